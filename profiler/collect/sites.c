/* Call sites into the session: see the header. */
#include "profiler/collect/sites.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/collect/clock.h"
#include "profiler/collect/sites_rows.h"

#define MS INT64_C(1000000)

enum {
	MOST_MODULES = 1 << 13,
	MOST_FRAMES = 1 << 17,
	MOST_STACKS = 1 << 18,
};

void sites_init(struct sites *s, struct recorder *r)
{
	*s = (struct sites){
		.recorder = r,
		.began_ns = clock_read_ns(CLOCK_REALTIME),
		.modules.most = MOST_MODULES,
		.frames.most = MOST_FRAMES,
		.stacks.most = MOST_STACKS,
	};
}

void sites_release(struct sites *s)
{
	for (size_t i = 0; i < s->modules.count; i++)
		free(s->module_rows[i].path);
	free(s->module_rows);
	free(s->frame_rows);
	free(s->site_rows);
	numbers_release(&s->modules);
	numbers_release(&s->frames);
	numbers_release(&s->stacks);
}

/* ---- readings ---- */

static void name_of_file(const struct process *p, char *name, size_t size)
{
	size_t stem = strlen(p->segment_name);

	if (stem > strlen(LOOPMEM_SEGMENT_SUFFIX))
		stem -= strlen(LOOPMEM_SEGMENT_SUFFIX);
	snprintf(name, size, "%.*s%s", (int)stem, p->segment_name, LOOPMEM_SITES_SUFFIX);
}

static int open_file(struct sites *s, const struct job *j, struct process *p)
{
	char name[sizeof(p->segment_name) + sizeof(LOOPMEM_SITES_SUFFIX)];
	int error;

	if (p->sites.map)
		return 1;
	if (!p->segment_name[0])
		return 0;
	name_of_file(p, name, sizeof(name));
	error = sites_open(&p->sites, j->segment_dir_fd, name);
	if (error == -EPROTO && !s->foreign_version++)
		recorder_note(s->recorder, "warning",
			      "call sites of another version of libloopmem.so are not read");
	return !error;
}

/* Once each: what of the wish to follow objects became. */
static void look_at_objects(struct sites *s, const struct loopmem_sites *head)
{
	static const char *const why_not[] = {
		[LOOPMEM_OBJECTS_TAKEN] =
			"another tool (tracemalloc?) had wrapped Python's allocators before",
		[LOOPMEM_OBJECTS_NO_STACKS] = "Python's frames cannot be read",
	};
	uint32_t objects = head->python_objects;

	if (objects == LOOPMEM_OBJECTS_FOLLOWED && !s->objects_told++)
		session_put_int(s->recorder->session, "python_objects", 1);
	if (objects < sizeof(why_not) / sizeof(why_not[0]) && why_not[objects])
		recorder_note(s->recorder, "warning", "objects of Python are not followed: %s",
			      why_not[objects]);
}

/* Once a process and state: why its stacks have no frames of Python. */
static void look_at_head(struct sites *s, struct process *p)
{
	struct loopmem_sites head;

	if (sites_head(&p->sites, &head))
		return;
	if (p->sites_objects != head.python_objects) {
		p->sites_objects = head.python_objects;
		look_at_objects(s, &head);
	}
	if (!s->mean_told++)
		session_put_int(s->recorder->session, "sample_bytes", (int64_t)head.mean_bytes);
	if (head.coarsest_bytes > s->coarsest_bytes) {
		s->coarsest_bytes = head.coarsest_bytes;
		session_put_int(s->recorder->session, "sample_bytes_most",
				(int64_t)head.coarsest_bytes);
	}
	if (p->sites_state == head.python_stacks)
		return;
	p->sites_state = head.python_stacks;
	if (head.python_stacks == LOOPMEM_STACKS_OFF)
		recorder_note(s->recorder, "warning", "no Python lines of call sites: %s",
			      head.python_reason);
}

static void read_process(struct sites *s, const struct job *j, struct process *p, int64_t t_ns)
{
	struct sites_reading reading = {.s = s, .p = p, .t_ns = t_ns};
	const struct sites_events events = sites_rows_events(&reading);

	if (!open_file(s, j, p))
		return;
	if (sites_read(&p->sites, &events) == -EIO)
		recorder_note(s->recorder, "warning",
			      "the call sites of pid %d were cut short: they end before it does",
			      (int)p->pid);
	look_at_head(s, p);
}

/* At first often, for short runs; then every ten seconds. */
static int64_t period_ns(int64_t t_ns)
{
	const int64_t least_ns = 1000 * MS, most_ns = 10000 * MS;
	int64_t period = t_ns / 30;

	return period < least_ns ? least_ns : period > most_ns ? most_ns : period;
}

static int is_due(const struct sites *s, int64_t t_ns, int64_t height_bytes)
{
	const int64_t pause_ns = 50 * MS, edge_pause_ns = 500 * MS;
	int64_t passed_ns = t_ns - s->read_ns;

	if (height_bytes > s->height_bytes + s->height_bytes / 50)
		return passed_ns >= pause_ns;
	if (s->edge)
		return passed_ns >= edge_pause_ns;
	return passed_ns >= period_ns(t_ns);
}

void sites_step(struct sites *s, struct job *j, int64_t t_ns, int64_t height_bytes)
{
	struct process *p;

	if (!is_due(s, t_ns, height_bytes))
		return;
	JOB_EACH_ALIVE(j, p)
		if (p->segment.map)
			read_process(s, j, p, t_ns);
	s->read_ns = t_ns;
	s->edge = 0;
	if (height_bytes > s->height_bytes)
		s->height_bytes = height_bytes;
}

void sites_finish(struct sites *s, struct job *j, struct process *p)
{
	char name[sizeof(p->segment_name) + sizeof(LOOPMEM_SITES_SUFFIX)];
	int64_t t_ns = p->ended_ns != SESSION_NULL ? p->ended_ns : recorder_now(s->recorder);

	read_process(s, j, p, t_ns);
	sites_close(&p->sites);
	if (!p->segment_name[0] || j->segment_dir_fd < 0)
		return;
	name_of_file(p, name, sizeof(name));
	unlinkat(j->segment_dir_fd, name, 0);
}

/* ---- names ---- */

struct answers {
	struct sites *s;
	const int32_t *frames; /* by index of the question */
	int32_t last;
	int depth;
};

static void take_answer(void *arg, size_t index, const struct sites_symbol *symbol)
{
	struct answers *answers = arg;
	int32_t frame = answers->frames[index];

	answers->depth = frame == answers->last ? answers->depth + 1 : 0;
	answers->last = frame;
	sites_rows_symbol(answers->s, frame, answers->depth, symbol);
}

/* May the file be what was loaded? Who opens it compares the build id; without one it must be as it was when the run
 * began. */
static int may_be_what_ran(const struct sites *s, const struct sites_module_row *row)
{
	struct stat st;

	return row->build_id_bytes ||
	       (!stat(row->path, &st) && clock_in_ns(st.st_ctim) < s->began_ns);
}

static int64_t resolve_module(struct sites *s, int32_t module, sites_resolve_fn *resolve,
			      uint64_t *addresses, int32_t *frames)
{
	const struct sites_module_row *row = &s->module_rows[module - 1];
	struct answers answers = {.s = s, .frames = frames};
	size_t count = 0;

	for (size_t i = 0; i < s->frames.count; i++) {
		if (s->frame_rows[i].module != module)
			continue;
		addresses[count] = s->frame_rows[i].address;
		frames[count++] = (int32_t)i + 1;
	}
	if (!count || !row->path || !may_be_what_ran(s, row))
		return 0;
	return resolve(&(struct sites_question){row->path, row->build_id, row->build_id_bytes,
						addresses, count, 0},
		       take_answer, &answers);
}

int64_t sites_resolve(struct sites *s, sites_resolve_fn *resolve)
{
	const int64_t patience_ns = 15000 * MS;
	int64_t until_ns = clock_monotonic_ns() + patience_ns, cpu_ns = 0;
	size_t count = s->frames.count;
	uint64_t *addresses = malloc((count + 1) * sizeof(*addresses));
	int32_t *frames = malloc((count + 1) * sizeof(*frames));

	for (int32_t m = 1; resolve && addresses && frames && (size_t)m <= s->modules.count; m++) {
		if (clock_monotonic_ns() > until_ns) {
			recorder_note(s->recorder, "notice",
				      "naming native frames took too long: some have no name");
			break;
		}
		cpu_ns += resolve_module(s, m, resolve, addresses, frames);
	}
	free(addresses);
	free(frames);
	return cpu_ns;
}
