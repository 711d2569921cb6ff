/*
 * The session as a Chrome trace, which Perfetto reads: a process a track with counters of its memory, the owner's phases, the pools as threads
 * of their owner, an arrow from each pool to its workers. Slices of a thread must nest, and pools of one owner overlap: each pool has a thread of its own. A counter has one
 * series, since each is drawn by itself. Only the moments of timeline.h are written, and of those only what changed.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/export.h"
#include "profiler/view/json_values.h"
#include "profiler/view/timeline.h"

enum { MOMENTS = 4000, POOL_THREADS = 0x40000000, REUSED_PIDS = 0x20000000 };
#define CHANGE_BYTES (INT64_C(1) << 20)

enum counter { PRIVATE, PROPORTIONAL, LIVE_HEAP, UNSHARED, COUNTERS };
enum job_counter { TOTAL, LIMIT, PARKED_BATCHES, HELD_IDLE, JOB_COUNTERS };

static const char *const counter_names[] = {
	[PRIVATE] = "mem private",
	[PROPORTIONAL] = "mem pss",
	[LIVE_HEAP] = "mem live heap",
	[UNSHARED] = "mem unshared",
};
static const char *const job_counter_names[] = {
	[TOTAL] = "job pss",
	[LIMIT] = "job limit",
	[PARKED_BATCHES] = "job parked batches",
	[HELD_IDLE] = "job held idle",
};

struct trace {
	FILE *out;
	const struct model *m;
	size_t events;
	int failed;
	int64_t *pids;             /* of the processes, in the trace */
	int64_t (*told)[COUNTERS]; /* last value of each process, -1 = none */
	int64_t told_job[JOB_COUNTERS];
};

static void put(struct trace *t, json_t *event)
{
	if (!event) {
		t->failed = 1;
		return;
	}
	fputs(t->events++ ? ",\n" : "\n", t->out);
	json_dumpf(event, t->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(event);
}

static double us(int64_t t_ns)
{
	return (double)t_ns / 1e3;
}

/* A pid that was used before is replaced by one that no process has. */
static void choose_pids(struct trace *t)
{
	const struct model *m = t->m;

	for (size_t i = 0; i < m->process_count; i++) {
		t->pids[i] = m->processes[i].pid;
		for (size_t k = 0; k < i; k++)
			if (m->processes[k].pid == m->processes[i].pid)
				t->pids[i] = REUSED_PIDS + (int64_t)i;
	}
}

/* The process that the job's own counters are put under. */
static size_t first_owner(const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].role == MODEL_ROLE_OWNER)
			return i;
	return 0;
}

static void process_name(const struct model *m, const struct model_process *p, char *out,
			 size_t size)
{
	const char *pool = p->pool >= 0 ? m->pools[p->pool].name : "";

	if (p->role == MODEL_ROLE_WORKER && p->worker_id != MODEL_NONE)
		snprintf(out, size, "%s worker %" PRId64 " (pid %" PRId64 ")", pool, p->worker_id,
			 p->pid);
	else
		snprintf(out, size, "%s (pid %" PRId64 ")", p->role_text ? p->role_text : "process",
			 p->pid);
}

static void put_processes(struct trace *t)
{
	const struct model *m = t->m;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];
		/* owners first, then the pools in order of birth, then the rest */
		int64_t place = p->role == MODEL_ROLE_OWNER    ? 0
				: p->role == MODEL_ROLE_WORKER ? 1 + p->pool
							       : 1 + (int64_t)m->pool_count;
		char name[256];

		process_name(m, p, name, sizeof(name));
		put(t, json_pack("{s:s, s:s, s:I, s:{s:o}}", "ph", "M", "name", "process_name",
				 "pid", (json_int_t)t->pids[i], "args", "name", json_text(name)));
		put(t, json_pack("{s:s, s:s, s:I, s:{s:I}}", "ph", "M", "name",
				 "process_sort_index", "pid", (json_int_t)t->pids[i], "args",
				 "sort_index", (json_int_t)place));
	}
}

/* A slice; takes over `args`. */
static void put_slice(struct trace *t, int64_t pid, int64_t tid, const char *name,
		      const int64_t span_ns[2], json_t *args)
{
	put(t, json_pack("{s:s, s:o, s:f, s:f, s:I, s:I, s:o}", "ph", "X", "name", json_text(name),
			 "ts", us(span_ns[0]), "dur", us(span_ns[1] - span_ns[0]), "pid",
			 (json_int_t)pid, "tid", (json_int_t)tid, "args", args));
}

static void put_phases(struct trace *t)
{
	const struct model *m = t->m;

	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *p = &m->phases[i];
		int64_t pid = t->pids[p->owner];

		if (!p->between)
			put_slice(t, pid, pid, p->name, (int64_t[]){p->start_ns, p->end_ns},
				  json_pack("{s:s, s:o, s:I, s:o}", "stage",
					    model_stage_name(p->stage), "epoch",
					    json_count(p->epoch), "peak_pss_bytes",
					    (json_int_t)p->peak_bytes, "stall_s",
					    json_seconds(p->stall_ns)));
	}
}

static void put_pool(struct trace *t, const struct model_pool *pool)
{
	const struct model *m = t->m;
	int64_t pid = t->pids[pool->owner < 0 ? first_owner(m) : (size_t)pool->owner];
	int64_t tid = POOL_THREADS + pool->number;
	int64_t end = pool->end_ns == MODEL_NONE ? m->last_ns : pool->end_ns;

	put(t, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", "thread_name", "pid",
			 (json_int_t)pid, "tid", (json_int_t)tid, "args", "name",
			 json_text(pool->name)));
	put_slice(t, pid, tid, pool->name, (int64_t[]){pool->begin_ns, end},
		  json_pack("{s:s, s:o, s:I, s:I, s:I}", "stage", model_stage_name(pool->stage),
			    "label", json_text(pool->label), "workers",
			    (json_int_t)pool->member_count, "private_bytes_max",
			    (json_int_t)pool->private_max, "idle_retained_bytes_max",
			    (json_int_t)pool->idle_max_bytes));
	for (size_t i = 0; i < pool->span_count; i++) {
		const struct model_span *s = &pool->spans[i];

		if (s->end_ns > s->start_ns)
			put_slice(t, pid, tid, model_state_name(s->state),
				  (int64_t[]){s->start_ns, s->end_ns},
				  json_pack("{s:b}", "hindsight", s->hindsight));
	}
}

static void put_instant(struct trace *t, int64_t t_ns, const char *scope, size_t process,
			const char *name)
{
	int64_t pid = t->pids[process];

	put(t, json_pack("{s:s, s:s, s:o, s:f, s:I, s:I}", "ph", "i", "s", scope, "name",
			 json_text(name), "ts", us(t_ns), "pid", (json_int_t)pid, "tid",
			 (json_int_t)pid));
}

/* One end of an arrow, on the slice that lies around it. */
static void put_flow(struct trace *t, const char *end, size_t id, int64_t t_ns,
		     const int64_t thread[2], const char *name)
{
	char hex[24];
	json_t *event;

	snprintf(hex, sizeof(hex), "0x%zx", id);
	event = json_pack("{s:s, s:s, s:s, s:o, s:f, s:I, s:I}", "ph", end, "cat", "birth", "id",
			  hex, "name", json_text(name), "ts", us(t_ns), "pid",
			  (json_int_t)thread[0], "tid", (json_int_t)thread[1]);
	if (event && *end == 'f')
		json_object_set_new(event, "bp",
				    json_string("e")); /* ends at the slice around it */
	put(t, event);
}

/* The life of a worker, with an arrow from the pool it was made for. */
static void put_worker(struct trace *t, size_t i)
{
	const struct model *m = t->m;
	const struct model_process *p = &m->processes[i];
	const struct model_pool *pool = &m->pools[p->pool];
	int64_t owner = t->pids[pool->owner < 0 ? first_owner(m) : (size_t)pool->owner];
	int64_t end = p->ended_ns == MODEL_NONE ? m->last_ns : p->ended_ns;
	int64_t from = p->born_ns;
	const char *how = pool->start_method[0] ? pool->start_method : "fork";

	if (p->born_ns == MODEL_NONE || end < p->born_ns)
		return;
	put_slice(t, t->pids[i], t->pids[i], pool->short_name, (int64_t[]){p->born_ns, end},
		  json_pack("{s:o, s:s, s:o}", "worker", json_count(p->worker_id), "stage",
			    model_stage_name(pool->stage), "private_bytes_max",
			    json_count(p->private_max)));
	/* seen to be born a moment before its pool was: the arrow begins where the pool does */
	if (from < pool->begin_ns)
		from = pool->begin_ns;
	if (from > end)
		return;
	put_flow(t, "s", i + 1, from, (int64_t[]){owner, POOL_THREADS + pool->number}, how);
	put_flow(t, "f", i + 1, from, (int64_t[]){t->pids[i], t->pids[i]}, how);
}

/* Findings at their worst moment, and workers that did not end by themselves. */
static void put_instants(struct trace *t)
{
	const struct model *m = t->m;

	for (size_t i = 0; i < m->finding_count; i++)
		if (m->findings[i].moment_count)
			put_instant(t, m->findings[i].moments[0], "g", first_owner(m),
				    m->findings[i].id);
	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];
		char name[64], signal[SIGNAL_NAME_MAX];

		if (p->ended_ns == MODEL_NONE)
			continue;
		if (p->exit_signal != MODEL_NONE && p->exit_signal)
			snprintf(name, sizeof(name), "killed by %s",
				 signal_name(signal, p->exit_signal));
		else if (p->exit_code != MODEL_NONE && p->exit_code)
			snprintf(name, sizeof(name), "exit %" PRId64, p->exit_code);
		else
			continue;
		put_instant(t, p->ended_ns, "p", i, name);
	}
}

/* ---- counters ---- */

static void put_counter(struct trace *t, int64_t t_ns, size_t process, const char *name,
			int64_t value)
{
	put(t, json_pack("{s:s, s:s, s:f, s:I, s:{s:I}}", "ph", "C", "name", name, "ts", us(t_ns),
			 "pid", (json_int_t)t->pids[process], "args", "bytes", (json_int_t)value));
}

/* Is it worth a new event? By 1 % and 1 MiB, or to or from nothing. */
static int changed(int64_t before, int64_t now)
{
	int64_t by = now > before ? now - before : before - now;

	return before < 0 || (now != before && (!now || !before)) ||
	       (by >= CHANGE_BYTES && by >= before / 100);
}

static void put_process_counters(struct trace *t, const struct model_moment *at, size_t i)
{
	const struct model_process_moment *p = &at->processes[i];
	const int64_t values[COUNTERS] = {
		[PRIVATE] = p->alive ? p->private_bytes : 0,
		[PROPORTIONAL] = p->alive ? p->proportional : 0,
		[LIVE_HEAP] = p->alive ? p->live_heap : 0,
		[UNSHARED] = p->alive ? p->unshared : 0,
	};

	for (int k = 0; k < COUNTERS; k++) {
		/* a process that is not there yet has no counter, nor one that is never more than nothing */
		if (t->told[i][k] < 0 && !values[k])
			continue;
		if (!changed(t->told[i][k], values[k]))
			continue;
		t->told[i][k] = values[k];
		put_counter(t, at->round.t_ns, i, counter_names[k], values[k]);
	}
}

static void put_job_counters(struct trace *t, const struct model_round *r)
{
	const int64_t values[JOB_COUNTERS] = {
		[TOTAL] = r->total_bytes,
		[LIMIT] = r->limit_bytes,
		[PARKED_BATCHES] = r->parked_batch_bytes,
		[HELD_IDLE] = r->held_idle_bytes,
	};

	for (int k = 0; k < JOB_COUNTERS; k++) {
		/* a peak that is a little higher than its neighbours is the peak */
		int worst = r->t_ns == t->m->totals.peak_at_ns;

		if (values[k] == MODEL_NONE || !(worst || changed(t->told_job[k], values[k])))
			continue;
		t->told_job[k] = values[k];
		put_counter(t, r->t_ns, first_owner(t->m), job_counter_names[k], values[k]);
	}
}

static void put_counters(struct trace *t)
{
	struct timeline moments;

	if (timeline_choose(&moments, t->m, MOMENTS) < 0) {
		t->failed = 1;
		return;
	}
	for (size_t i = 0; i < moments.count && !t->failed; i++) {
		struct model_moment at;

		if (model_at(t->m, moments.t_ns[i], &at) < 0) {
			t->failed = 1;
			break;
		}
		put_job_counters(t, &at.round);
		for (size_t k = 0; k < t->m->process_count; k++)
			put_process_counters(t, &at, k);
		model_moment_release(&at);
	}
	timeline_release(&moments);
}

int export_perfetto(FILE *out, const struct model *m, const struct export_options *options,
		    struct error *e)
{
	json_t *version;
	struct trace t = {.out = out, .m = m, .told_job = {-1, -1, -1, -1}};

	(void)options;
	t.told = malloc((m->process_count + 1) * sizeof(*t.told));
	t.pids = malloc((m->process_count + 1) * sizeof(*t.pids));
	t.failed = !t.told || !t.pids;
	for (size_t i = 0; !t.failed && i < m->process_count; i++)
		for (int k = 0; k < COUNTERS; k++)
			t.told[i][k] = -1;
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", out);
	if (!t.failed && m->process_count) {
		choose_pids(&t);
		put_processes(&t);
		put_phases(&t);
		for (size_t i = 0; i < m->pool_count; i++)
			put_pool(&t, &m->pools[i]);
		for (size_t i = 0; i < m->process_count; i++)
			if (m->processes[i].role == MODEL_ROLE_WORKER && m->processes[i].pool >= 0)
				put_worker(&t, i);
		put_instants(&t);
		put_counters(&t);
	}
	fputs("\n],\"metadata\":", out);
	version = json_pack("{s:o}", "loopmem", json_text(m->version));
	json_dumpf(version, out, JSON_COMPACT);
	json_decref(version);
	fputs("}\n", out);
	free(t.told);
	free(t.pids);
	return t.failed ? error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the trace") : 0;
}
