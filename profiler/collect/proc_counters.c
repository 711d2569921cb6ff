/* Parsers of stat, statm and status: see the header. */
#include "profiler/collect/proc_counters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/collect/proc_file.h"

enum { /* fields of stat as proc(5) counts them */
       FIELD_STATE = 3,
       FIELD_PARENT = 4,
       FIELD_FLAGS = 9,
       FIELD_MINFLT = 10,
       FIELD_UTIME = 14,
       FIELD_STIME = 15,
       FIELD_THREADS = 20,
       FIELD_START = 22,
       FIELD_EXIT = 52,
};

static void take_field(struct proc_stat *out, int field, const char *text)
{
	switch (field) {
	case FIELD_PARENT:
		out->parent_pid = (pid_t)strtol(text, NULL, 10);
		break;
	case FIELD_FLAGS:
		out->flags = (unsigned)strtoul(text, NULL, 10);
		break;
	case FIELD_MINFLT:
		out->minor_faults = strtoll(text, NULL, 10);
		break;
	case FIELD_UTIME:
	case FIELD_STIME:
		out->cpu_ticks += strtoll(text, NULL, 10);
		break;
	case FIELD_THREADS:
		out->threads = strtoll(text, NULL, 10);
		break;
	case FIELD_START:
		out->start_ticks = strtoull(text, NULL, 10);
		break;
	case FIELD_EXIT:
		out->exit_status = (int)strtol(text, NULL, 10);
		break;
	}
}

int proc_stat_parse(const char *text, struct proc_stat *out)
{
	const char *open = strchr(text, '(');
	const char *close =
		strrchr(text, ')'); /* the name may hold anything, blanks and brackets too */
	int field = FIELD_STATE;

	*out = (struct proc_stat){0};
	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return -EINVAL;
	snprintf(out->comm, sizeof(out->comm), "%.*s", (int)(close - open - 1), open + 1);
	out->state = close[2];
	for (const char *p = strchr(close + 2, ' '); p; p = strchr(p + 1, ' '))
		take_field(out, ++field, p + 1);
	return field >= FIELD_START ? 0 : -EINVAL;
}

/* Read for every process ten times a second: without sscanf. */
int proc_statm_parse(const char *text, int64_t page_bytes, struct proc_statm *out)
{
	int64_t pages[3]; /* size, resident, shared */

	for (int i = 0; i < 3; i++) {
		char *end;

		pages[i] = strtoll(text, &end, 10);
		if (end == text)
			return -EINVAL;
		text = end;
	}
	out->rss_bytes = pages[1] * page_bytes;
	out->anon_bytes = pages[1] > pages[2] ? (pages[1] - pages[2]) * page_bytes : 0;
	return 0;
}

/* The last number of the NSpid line: the pid in the innermost namespace. */
static pid_t inner_pid(const char *text)
{
	const char *line = strstr(text, "\nNSpid:");
	const char *end = line ? strchrnul(line + 1, '\n') : NULL;

	if (!line)
		return 0;
	while (end > line && end[-1] >= '0' && end[-1] <= '9')
		end--;
	return (pid_t)strtol(end, NULL, 10);
}

int proc_status_parse(const char *text, struct proc_status *out)
{
	static const struct keyed_field fields[] = {
		{"VmRSS", offsetof(struct proc_status, rss_bytes)},
		{"RssAnon", offsetof(struct proc_status, anon_bytes)},
		{"RssFile", offsetof(struct proc_status, file_bytes)},
		{"RssShmem", offsetof(struct proc_status, shmem_bytes)},
		{"VmSwap", offsetof(struct proc_status, swap_bytes)},
		{"VmPTE", offsetof(struct proc_status, page_table_bytes)},
		{"VmLck", offsetof(struct proc_status, locked_bytes)},
		{"voluntary_ctxt_switches", offsetof(struct proc_status, voluntary_switches)},
	};

	if (strncmp(text, "Name:", 5))
		return -EINVAL;
	keyed_text_parse(text, fields, sizeof(fields) / sizeof(fields[0]), out);
	out->inner_pid = inner_pid(text);
	return 0;
}

int proc_stat_read(pid_t pid, struct proc_stat *out)
{
	char text[1024];
	ssize_t n = proc_read(pid, "stat", text, sizeof(text));

	*out = (struct proc_stat){0};
	return n < 0 ? (int)n : proc_stat_parse(text, out);
}
