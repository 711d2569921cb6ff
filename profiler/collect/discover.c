/* Listing of /proc: see the header. */
#include "profiler/collect/discover.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t pid_max(void)
{
	FILE *f = fopen("/proc/sys/kernel/pid_max", "re");
	unsigned long max = 0;

	if (f) {
		if (fscanf(f, "%lu", &max) != 1)
			max = 0;
		fclose(f);
	}
	return max && max <= 1 << 22 ? max : 1 << 22;
}

int discovery_init(struct discovery *d, pid_t reaper)
{
	*d = (struct discovery){.reaper = reaper, .pids = pid_max()};
	d->foreign = calloc(d->pids / 8 + 1, 1);
	return d->foreign ? 0 : -ENOMEM;
}

void discovery_release(struct discovery *d)
{
	free(d->foreign);
	d->foreign = NULL;
}

static int is_foreign(const struct discovery *d, pid_t pid)
{
	return (size_t)pid < d->pids && d->foreign[pid / 8] >> (pid % 8) & 1;
}

static void mark_foreign(struct discovery *d, pid_t pid)
{
	if ((size_t)pid < d->pids)
		d->foreign[pid / 8] |= (uint8_t)(1 << (pid % 8));
}

/* 1 when the process was added. */
static int look_at(struct discovery *d, struct job *j, pid_t pid)
{
	struct proc_stat stat;
	struct process *parent;

	if (proc_stat_read(pid, &stat) || stat.state == 'Z')
		return 0;
	parent = job_find(j, stat.parent_pid);
	if (!parent && !j->count)
		return 0;
	if (!parent && (!d->reaper || stat.parent_pid != d->reaper)) {
		mark_foreign(d, pid);
		return 0;
	}
	return job_add(j, pid, parent ? parent : j->items[0]) != NULL;
}

static int list_once(struct discovery *d, struct job *j)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	int added = 0;

	if (!proc)
		return 0;
	while ((entry = readdir(proc))) {
		pid_t pid;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (!is_foreign(d, pid) && !job_find(j, pid))
			added += look_at(d, j, pid);
	}
	closedir(proc);
	return added;
}

int discover(struct discovery *d, struct job *j, int64_t now_ns)
{
	const int64_t look_again_ns = INT64_C(10000000000);
	int added;

	if (now_ns - d->cleared_ns > look_again_ns) {
		memset(d->foreign, 0, d->pids / 8 + 1);
		d->cleared_ns = now_ns;
	}
	added = list_once(d, j);
	if (added) { /* children of what was just found may come before it in the list: pids wrap */
		memset(d->foreign, 0, d->pids / 8 + 1);
		added += list_once(d, j);
	}
	return added;
}
