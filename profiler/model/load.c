/* Reads the rows of a session into arrays; a refresh adds what is new and tells from when on things differ. */
#include "profiler/model/load.h"

#include <stdlib.h>
#include <string.h>

/* Read again on a refresh: rows of one round are committed apart by far less. */
#define OVERLAP_NS INT64_C(2000000000)

/* No machine has more; sums of 2^13 of these stay within 64 bits. */
#define BYTES_MAX (INT64_C(1) << 50)
#define TIME_MAX  (INT64_C(1) << 60)

static int64_t bytes_of(int64_t value)
{
	return value < 0 ? 0 : value > BYTES_MAX ? BYTES_MAX : value;
}

static int64_t bytes_or_null(int64_t value)
{
	return value == SESSION_NULL ? value : bytes_of(value);
}

/* A figure of an event that may be absent: -1 then. Sums of these stay within 64 bits too. */
static int64_t count_of(int64_t value)
{
	return value < 0 ? -1 : bytes_of(value);
}

static int64_t time_of(int64_t value)
{
	return value < 0 ? 0 : value > TIME_MAX ? TIME_MAX : value;
}

static int64_t time_or_null(int64_t value)
{
	return value == SESSION_NULL ? value : time_of(value);
}

static void dirty_from(struct tables *t, int64_t t_ns)
{
	t->changed = 1;
	if (t_ns < t->dirty_ns)
		t->dirty_ns = t_ns;
}

static int out_of_memory(struct tables *t)
{
	t->failed = 1;
	return 1;
}

/* ---- processes, pools and who works for whom ------------------------------------------------------- */

/* Ids nearly always ascend from 1 without holes: look there first. */
#define FIND_ID(array, wanted)                                             \
	do {                                                               \
		if ((wanted) >= 1 && (size_t)(wanted) <= (array)->count && \
		    (array)->items[(wanted)-1].id == (wanted))             \
			return (int)((wanted)-1);                          \
		for (size_t i_ = 0; i_ < (array)->count; i_++)             \
			if ((array)->items[i_].id == (wanted))             \
				return (int)i_;                            \
		return -1;                                                 \
	} while (0)

int tables_process(const struct tables *t, int64_t id)
{
	FIND_ID(&t->processes, id);
}

static int index_of_pool(const struct tables *t, int64_t id)
{
	FIND_ID(&t->pools, id);
}

static struct session_process clean_process(struct tables *t, const struct session_process *row)
{
	struct session_process p = *row;

	p.born_ns = time_of(p.born_ns);
	p.ended_ns = time_or_null(p.ended_ns);
	p.inherited_live_bytes = bytes_or_null(p.inherited_live_bytes);
	p.shared_at_fork_bytes = bytes_or_null(p.shared_at_fork_bytes);
	p.role = strings_keep(&t->strings, p.role);
	p.cmdline = strings_keep(&t->strings, p.cmdline);
	p.allocator = strings_keep(&t->strings, p.allocator);
	p.python = strings_keep(&t->strings, p.python);
	p.python_state = strings_keep(&t->strings, p.python_state);
	p.python_reason = strings_keep(&t->strings, p.python_reason);
	return p;
}

/* Its parent, or that it was forked, bear on all of its figures; its end only on what comes after its last sample. */
static void note_process_change(struct tables *t, int index, const struct session_process *before,
				const struct session_process *after)
{
	const struct track *track = &t->tracks.items[index];
	struct session_process same_end = *after;

	if (!memcmp(before, after, sizeof(*after)))
		return;
	same_end.ended_ns = before->ended_ns;
	same_end.exit_code = before->exit_code;
	same_end.exit_signal = before->exit_signal;
	if (!memcmp(before, &same_end, sizeof(same_end)) && track->samples.count)
		dirty_from(t, track->samples.items[track->samples.count - 1].t_ns);
	else
		dirty_from(t, after->born_ns);
}

static int add_process(const struct session_process *row, void *arg)
{
	struct tables *t = arg;
	struct session_process p = clean_process(t, row), *known;
	int index = tables_process(t, row->id);

	if (index < 0) {
		known = array_add(&t->processes);
		if (!known || !array_add(&t->tracks))
			return out_of_memory(t);
		dirty_from(t, p.born_ns);
	} else {
		known = &t->processes.items[index];
		note_process_change(t, index, known, &p);
	}
	*known = p;
	return 0;
}

static struct session_pool clean_pool(struct tables *t, const struct session_pool *row)
{
	struct session_pool p = *row;

	p.begin_ns = time_of(p.begin_ns);
	p.first_batch_ns = time_or_null(p.first_batch_ns);
	p.last_batch_ns = time_or_null(p.last_batch_ns);
	p.exhausted_ns = time_or_null(p.exhausted_ns);
	p.end_ns = time_or_null(p.end_ns);
	p.stall_ns = time_of(p.stall_ns);
	p.alloc_bytes = bytes_of(p.alloc_bytes);
	p.free_bytes = bytes_of(p.free_bytes);
	p.stage = strings_keep(&t->strings, p.stage);
	p.start_method = strings_keep(&t->strings, p.start_method);
	p.label = strings_keep(&t->strings, p.label ? p.label : "");
	p.dataset = strings_keep(&t->strings, p.dataset ? p.dataset : "");
	p.origin = strings_keep(&t->strings, p.origin ? p.origin : "");
	return p;
}

/* A change of a pool's times shows in its spans, and those tell from when on the rounds differ. */
static int add_pool(const struct session_pool *row, void *arg)
{
	struct tables *t = arg;
	struct session_pool p = clean_pool(t, row), *known;
	int index = index_of_pool(t, row->id);

	known = index < 0 ? array_add(&t->pools) : &t->pools.items[index];
	if (!known)
		return out_of_memory(t);
	if (index >= 0 && !memcmp(known, &p, sizeof(p)))
		return 0;
	if (index < 0)
		dirty_from(t, p.begin_ns);
	t->changed = 1;
	*known = p;
	return 0;
}

/* A table is read in the same order every time: the next known link is the first guess. */
static int known_link(struct tables *t, int pool, int process)
{
	for (size_t i = 0; i < t->links.count; i++) {
		size_t at = (t->link_guess + i) % t->links.count;

		if (t->links.items[at].pool == pool && t->links.items[at].process == process) {
			t->link_guess = at + 1;
			return 1;
		}
	}
	return 0;
}

static int add_link(const struct session_pool_worker *row, void *arg)
{
	struct tables *t = arg;
	int pool = index_of_pool(t, row->pool), process = tables_process(t, row->process);
	struct session_pool_worker *link;

	if (pool < 0 || process < 0 || known_link(t, pool, process))
		return 0;
	link = array_add(&t->links);
	if (!link)
		return out_of_memory(t);
	*link = (struct session_pool_worker){pool, process, row->worker_id};
	dirty_from(t, t->processes.items[process].born_ns);
	return 0;
}

/* ---- events ----------------------------------------------------------------------------------------- */

static enum event_kind kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum event_kind kind;
	} kinds[] = {
		{"pool-begin", EVENT_POOL_BEGIN},
		{"pool-worker", EVENT_POOL_WORKER},
		{"pool-deliver", EVENT_POOL_DELIVER},
		{"pool-first", EVENT_POOL_FIRST},
		{"pool-park", EVENT_POOL_PARK},
		{"pool-exhausted", EVENT_POOL_EXHAUSTED},
		{"pool-reuse", EVENT_POOL_REUSE},
		{"pool-end", EVENT_POOL_END},
		{"phase-begin", EVENT_PHASE_BEGIN},
		{"phase-end", EVENT_PHASE_END},
		{"stale-shm", EVENT_STALE_SHM},
		{"earlier-shm", EVENT_EARLIER_SHM},
		{"pool-closing", EVENT_POOL_CLOSING},
		{"release", EVENT_RELEASE},
		{"oom-kill", EVENT_OOM_KILL},
		{"trim", EVENT_TRIM},
		{"kill", EVENT_KILL},
		{"interrupt", EVENT_INTERRUPT},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(name, kinds[i].name))
			return kinds[i].kind;
	return EVENT_OTHER;
}

/* Streams of several processes meet here: kept by time, those of one moment in order of arrival. */
static int add_event(const struct session_event *row, void *arg)
{
	struct tables *t = arg;
	struct event_row event = {
		.t_ns = time_of(row->t_ns),
		.id = row->id,
		.kind = kind_of(row->kind),
		.process = row->process == SESSION_NULL ? -1 : tables_process(t, row->process),
		.pool = row->pool == SESSION_NULL ? -1 : index_of_pool(t, row->pool),
		.value = count_of(row->value),
		.value2 = count_of(row->value2),
		.text = strings_keep(&t->strings, row->text ? row->text : ""),
	};
	size_t at;

	if (!array_add(&t->events))
		return out_of_memory(t);
	for (at = t->events.count - 1; at && t->events.items[at - 1].t_ns > event.t_ns; at--)
		t->events.items[at] = t->events.items[at - 1];
	t->events.items[at] = event;
	if (row->id > t->event_id)
		t->event_id = row->id;
	t->changed = 1;
	return 0;
}

/* ---- rows of a process ------------------------------------------------------------------------------- */

static struct track *track_of(struct tables *t, int64_t process)
{
	int index = tables_process(t, process);

	return index < 0 ? NULL : &t->tracks.items[index];
}

/* Puts `row` into an array by time and notes what changed. `array` is a pointer to an ARRAY. */
#define PUT_ROW(t, array, row)                                                                \
	do {                                                                                  \
		int is_new_;                                                                  \
		__typeof__((array)->items) to_ = array_at_time(array, (row)->t_ns, &is_new_); \
                                                                                              \
		if (!to_)                                                                     \
			return out_of_memory(t);                                              \
		if (is_new_ || memcmp(to_, row, sizeof(*(row))))                              \
			dirty_from(t, (row)->t_ns);                                           \
		*to_ = *(row);                                                                \
	} while (0)

static int add_sample(const struct session_sample *row, void *arg)
{
	struct tables *t = arg;
	struct track *track = track_of(t, row->process);
	struct sample_row sample = {time_of(row->t_ns), bytes_of(row->rss_bytes),
				    bytes_of(row->anon_bytes)};
	int is_new;

	if (!track)
		return 0;
	PUT_ROW(t, &track->samples, &sample);
	t->sample_rows++;
	/* n = 0: thinned, kept only for the walk of that moment */
	if (row->n && !array_at_time(&t->times, sample.t_ns, &is_new))
		return out_of_memory(t);
	t->sample_ns = sample.t_ns;
	return 0;
}

/* Private anonymous bytes: dirty does not mean anonymous, and kernels before 4.20 do not split Pss. */
static struct rollup_row clean_rollup(const struct session_rollup *row)
{
	struct rollup_row r = {
		.t_ns = time_of(row->t_ns),
		.rss_bytes = bytes_of(row->rss_bytes),
		.pss_bytes = bytes_of(row->pss_bytes),
		.pss_file_bytes = bytes_of(row->pss_file_bytes),
		.pss_shmem_bytes = bytes_of(row->pss_shmem_bytes),
		.shared_bytes =
			bytes_of(row->shared_clean_bytes) + bytes_of(row->shared_dirty_bytes),
		.private_dirty_bytes = bytes_of(row->private_dirty_bytes),
		.anonymous_bytes = bytes_of(row->anonymous_bytes),
		.minor_faults = bytes_of(row->minor_faults),
	};

	r.private_bytes = bytes_of(row->private_clean_bytes) + r.private_dirty_bytes;
	r.pss_anon_bytes = bytes_of(row->pss_anon_bytes);
	if (row->pss_anon_bytes == SESSION_NULL)
		r.pss_anon_bytes = r.anonymous_bytes < r.pss_bytes ? r.anonymous_bytes
								   : r.pss_bytes;
	r.private_anon_bytes = r.private_dirty_bytes < r.pss_anon_bytes ? r.private_dirty_bytes
									: r.pss_anon_bytes;
	return r;
}

static int add_rollup(const struct session_rollup *row, void *arg)
{
	struct tables *t = arg;
	struct track *track = track_of(t, row->process);
	struct rollup_row rollup = clean_rollup(row), *to;
	int is_new;

	if (!track)
		return 0;
	to = array_at_time(&track->rollups, rollup.t_ns, &is_new);
	if (!to)
		return out_of_memory(t);
	rollup.sharers = to->sharers;
	rollup.statm_anon_bytes = to->statm_anon_bytes;
	rollup.collected = to->collected;

	if (is_new || memcmp(to, &rollup, sizeof(rollup)))
		dirty_from(t, track->rollups.count == 1 && track->samples.count
				      ? track->samples.items[0].t_ns
				      : rollup.t_ns);
	*to = rollup;
	t->rollup_ns = rollup.t_ns;
	return 0;
}

static int add_heap(const struct session_heap *row, void *arg)
{
	struct tables *t = arg;
	struct track *track = track_of(t, row->process);
	int64_t live = bytes_of(row->alloc_bytes) - bytes_of(row->free_bytes);
	struct heap_row heap = {time_of(row->t_ns), bytes_of(live), bytes_of(row->map_anon_bytes),
				bytes_of(row->inherited_free_bytes)};

	if (!track)
		return 0;
	PUT_ROW(t, &track->heaps, &heap);
	t->heap_ns = heap.t_ns;
	return 0;
}

static int add_detail(const struct session_detail *row, void *arg)
{
	struct tables *t = arg;
	struct track *track = track_of(t, row->process);
	struct detail_row detail = {time_of(row->t_ns),
				    bytes_of(row->cpu_ticks),
				    bytes_of(row->page_table_bytes),
				    bytes_of(row->locked_bytes),
				    bytes_or_null(row->fds),
				    row->state && *row->state == 'R'};

	if (!track)
		return 0;
	PUT_ROW(t, &track->details, &detail);
	if (detail.fds > track->fds_max)
		track->fds_max = detail.fds;
	t->detail_ns = detail.t_ns;
	return 0;
}

/* ---- the job as a whole ------------------------------------------------------------------------------ */

static enum shm_class class_of(const char *name)
{
	return !strcmp(name, "parked")    ? SHM_PARKED
	       : !strcmp(name, "hostage") ? SHM_HOSTAGE
					  : SHM_IN_USE;
}

static int add_shm(const struct session_shm *row, void *arg)
{
	struct tables *t = arg;
	int64_t t_ns = time_of(row->t_ns);
	struct shm_walk *walk = t->walks.count ? &t->walks.items[t->walks.count - 1] : NULL;
	struct shm_row *to;

	if (!walk || walk->t_ns != t_ns) {
		walk = array_add(&t->walks);
		if (!walk)
			return out_of_memory(t);
		*walk = (struct shm_walk){t_ns, t->shm.count, 0};
	}
	to = array_add(&t->shm);
	if (!to)
		return out_of_memory(t);
	*to = (struct shm_row){row->creator == SESSION_NULL ? -1 : tables_process(t, row->creator),
			       class_of(row->class_name), bytes_of(row->bytes),
			       bytes_of(row->unmapped_bytes)};
	walk->count++;
	t->shm_ns = t_ns;
	dirty_from(t, t_ns);
	return 0;
}

static int add_system(const struct session_system *row, void *arg)
{
	struct tables *t = arg;
	struct system_row system = {
		.t_ns = time_of(row->t_ns),
		.limit_bytes = bytes_or_null(row->limit_bytes),
		.current_bytes = bytes_or_null(row->current_bytes),
		.file_bytes = bytes_or_null(row->file_bytes),
		.kernel_bytes = bytes_or_null(row->kernel_bytes),
		.oom_kills = bytes_or_null(row->oom_kills),
	};

	PUT_ROW(t, &t->systems, &system);
	t->system_ns = system.t_ns;
	return 0;
}

static int add_note(const struct session_note *row, void *arg)
{
	struct tables *t = arg;
	struct session_note *note = array_add(&t->notes);

	if (!note)
		return out_of_memory(t);
	*note = *row;
	note->text = strings_keep(&t->strings, row->text);
	note->level = strings_keep(&t->strings, row->level);
	return 0;
}

/* -1 before the first row, so that rows at 0 are read. */
static int64_t since(int64_t last_ns)
{
	return last_ns > OVERLAP_NS ? last_ns - OVERLAP_NS : -1;
}

int tables_refresh(struct tables *t, struct session_reader *r)
{
	int64_t shm_since = t->walks.count ? t->shm_ns : -1;

	t->dirty_ns = INT64_MAX;
	t->changed = 0;
	t->notes.count = 0;
	t->link_guess = 0;
	if (session_each_process(r, add_process, t) || session_each_pool(r, add_pool, t) ||
	    session_each_pool_worker(r, add_link, t) ||
	    session_each_event(r, t->event_id, add_event, t) ||
	    session_each_sample(r, since(t->sample_ns), add_sample, t) ||
	    session_each_rollup(r, since(t->rollup_ns), add_rollup, t) ||
	    session_each_heap(r, since(t->heap_ns), add_heap, t) ||
	    session_each_detail(r, since(t->detail_ns), add_detail, t) ||
	    session_each_shm(r, shm_since, add_shm, t) ||
	    session_each_system(r, since(t->system_ns), add_system, t) ||
	    session_each_note(r, add_note, t))
		return -1;
	return t->failed ? -1 : 0;
}

const struct system_row *tables_system_at(const struct tables *t, int64_t t_ns)
{
	size_t n = array_until(&t->systems, t_ns);

	return n ? &t->systems.items[n - 1] : NULL;
}

const struct shm_walk *tables_walk_at(const struct tables *t, int64_t t_ns)
{
	size_t n = array_until(&t->walks, t_ns);

	return n ? &t->walks.items[n - 1] : NULL;
}

void tables_forget_rows(struct tables *t)
{
	for (size_t i = 0; i < t->tracks.count; i++) {
		struct track *track = &t->tracks.items[i];

		array_release(&track->samples);
		array_release(&track->rollups);
		array_release(&track->heaps);
		array_release(&track->details);
		array_release(&track->copied);
		track->related = 0;
	}
	array_release(&t->times);
	array_release(&t->shm);
	array_release(&t->walks);
	array_release(&t->systems);
	t->sample_ns = t->rollup_ns = t->heap_ns = t->detail_ns = t->shm_ns = t->system_ns = 0;
	t->sample_rows = 0;
}

void tables_release(struct tables *t)
{
	tables_forget_rows(t);
	array_release(&t->tracks);
	array_release(&t->processes);
	array_release(&t->pools);
	array_release(&t->links);
	array_release(&t->events);
	array_release(&t->notes);
	strings_release(&t->strings);
}
