/* Edges from segments to the session: see the header. */
#include "profiler/collect/edges.h"

#include <string.h>

enum measure {
	MEASURE_NOTHING,
	MEASURE_OWNER, /* whose segment told it */
	MEASURE_POOL,  /* the pool's workers and the owner */
};

/* What an edge is called, whom to measure for it and how soon, and whether so many of them can come
 * that they have to be thinned. */
static const struct {
	const char *name;
	enum measure measure;
	enum process_edge edge;
	int shm, frequent;
} kinds[] = {
	[LOOPMEM_EVENT_POOL_BEGIN] = {"pool-begin", MEASURE_POOL, PROCESS_EDGE_BEGINS, 1, 0},
	[LOOPMEM_EVENT_POOL_WORKER] = {"pool-worker", MEASURE_NOTHING, PROCESS_EDGE_NONE, 0, 0},
	[LOOPMEM_EVENT_POOL_DELIVER] = {"pool-deliver", MEASURE_POOL, PROCESS_EDGE_BEGINS, 1, 1},
	[LOOPMEM_EVENT_POOL_FIRST] = {"pool-first", MEASURE_POOL, PROCESS_EDGE_BEGINS, 0, 0},
	[LOOPMEM_EVENT_POOL_PARK] = {"pool-park", MEASURE_POOL, PROCESS_EDGE_NOW, 1, 1},
	[LOOPMEM_EVENT_POOL_EXHAUSTED] = {"pool-exhausted", MEASURE_POOL, PROCESS_EDGE_NOW, 1, 0},
	[LOOPMEM_EVENT_POOL_REUSE] = {"pool-reuse", MEASURE_POOL, PROCESS_EDGE_BEGINS, 0, 0},
	[LOOPMEM_EVENT_POOL_END] = {"pool-end", MEASURE_POOL, PROCESS_EDGE_BEGINS, 1, 0},
	[LOOPMEM_EVENT_PHASE_BEGIN] = {"phase-begin", MEASURE_OWNER, PROCESS_EDGE_NOW, 0, 1},
	[LOOPMEM_EVENT_PHASE_END] = {"phase-end", MEASURE_OWNER, PROCESS_EDGE_NOW, 0, 1},
	[LOOPMEM_EVENT_FORK] = {"fork", MEASURE_NOTHING, PROCESS_EDGE_NONE, 0, 1},
	[LOOPMEM_EVENT_EXEC] = {"exec", MEASURE_NOTHING, PROCESS_EDGE_NONE, 0, 1},
	[LOOPMEM_EVENT_EXIT] = {"exit", MEASURE_NOTHING, PROCESS_EDGE_NONE, 0, 1},
	[LOOPMEM_EVENT_RELEASE] = {"release", MEASURE_POOL, PROCESS_EDGE_NOW, 0, 0},
	[LOOPMEM_EVENT_POOL_CLOSING] = {"pool-closing", MEASURE_POOL, PROCESS_EDGE_NOW, 0, 0},
	[LOOPMEM_EVENT_TRIM] = {"trim", MEASURE_OWNER, PROCESS_EDGE_NOW, 0, 0},
	[LOOPMEM_EVENT_KILL] = {"kill", MEASURE_NOTHING, PROCESS_EDGE_NONE, 0, 1},
	[LOOPMEM_EVENT_REAPED] = {"reaped", MEASURE_NOTHING, PROCESS_EDGE_NONE, 0, 1},
};

/* Of the frequent kinds a process may tell 2000 in a row and 20 a second for ever: a loop that
 * reads two pools in turn is told at every batch, and its session must not grow without end. */
static int may_tell(struct process *p, int64_t t_ns)
{
	const int64_t price_ns = 50000000, credit_ns = 2000 * price_ns;

	if (p->events_paid_ns < t_ns)
		p->events_paid_ns = t_ns;
	if (p->events_paid_ns - t_ns > credit_ns)
		return 0;
	p->events_paid_ns += price_ns;
	return 1;
}

/* Of an event that tells of a process: its pid here; SESSION_NULL when that is a group. */
static int64_t value_of(const struct edges *e, const struct loopmem_event *event, int64_t t_ns)
{
	const struct process *p;

	if (event->kind != LOOPMEM_EVENT_KILL && event->kind != LOOPMEM_EVENT_REAPED)
		return event->value;
	if (event->value <= 0)
		return SESSION_NULL;
	p = job_find_inner(e->job, (pid_t)event->value, t_ns);
	return p ? p->pid : event->value;
}

static void write_event(const struct edges *e, const struct process *p, const struct pool *pool,
			const struct loopmem_event *event, int64_t t_ns)
{
	const struct session_event row = {
		.t_ns = t_ns,
		.kind = kinds[event->kind].name,
		.process = p->id,
		.pool = pool ? pool->number : SESSION_NULL,
		.value = value_of(e, event, t_ns),
		.value2 = event->value2,
		.text = event->text[0] ? event->text : NULL,
	};

	session_put_event(e->job->recorder->session, &row);
}

static void mark(struct edges *e, struct process *p, struct pool *pool, uint32_t kind)
{
	if (kinds[kind].measure == MEASURE_NOTHING)
		return;
	if (kinds[kind].measure == MEASURE_POOL && pool)
		pool_mark_edge(pool, kinds[kind].edge, e->turn);
	else
		process_mark_edge(p, kinds[kind].edge);
	e->measure = e->sites = 1;
	e->walk_shm |= kinds[kind].shm;
}

/* Whether the process that has this pid now was born at that time: start times come in steps of 10 ms. */
static int was_born(const struct recorder *r, pid_t pid, int64_t t_ns)
{
	const int64_t step_ns = 10000000;
	int64_t after_ns = t_ns - process_birth_ns(r, pid);

	return after_ns > -step_ns && after_ns < 100 * step_ns;
}

/* Of a daemon the kernel no longer names the parent, which ended at once. */
static void take_fork(struct edges *e, struct process *parent, const struct loopmem_event *event,
		      int64_t t_ns)
{
	pid_t pid = (pid_t)event->value;
	struct process *child = job_add(e->job, pid, NULL);

	if (!child && parent->state != PROCESS_ALIVE && was_born(e->job->recorder, pid, t_ns))
		child = job_add(e->job, pid, parent);
	if (!child)
		return;
	e->measure = 1;
	memcpy(child->fork_site, event->text, sizeof(child->fork_site));
	child->claimed = event->value2 != 0;
}

/* It tested, or says why it cannot. */
static void take_trim(struct edges *e, const struct loopmem_event *event)
{
	if (event->text[0])
		recorder_note(e->job->recorder, "warning", "--trim-test: not tested: %s",
			      event->text);
}

/* Its parent knows how it ended, and may have been quicker than a look at the zombie. */
static void take_reaped(struct edges *e, const struct loopmem_event *event, int64_t t_ns)
{
	struct process *child = job_find_inner(e->job, (pid_t)event->value, t_ns);
	int status = (int)event->value2;

	if (child && child->state != PROCESS_DONE && !process_is(child->pid, child->start_ticks))
		job_end(e->job, child, t_ns, &status);
}

static void take_event(struct edges *e, struct process *p, const struct loopmem_event *event)
{
	struct pool *pool = event->pool_id ? pools_find(e->pools, p, event->pool_id) : NULL;
	int64_t t_ns = recorder_past(e->job->recorder, event->time_ns);

	if (event->kind >= sizeof(kinds) / sizeof(kinds[0]) || !kinds[event->kind].name)
		return;
	if (event->kind == LOOPMEM_EVENT_FORK && p->inner_pid == p->pid)
		take_fork(e, p, event, t_ns);
	if (event->kind == LOOPMEM_EVENT_REAPED)
		take_reaped(e, event, t_ns);
	if (event->kind == LOOPMEM_EVENT_TRIM)
		take_trim(e, event);
	if (kinds[event->kind].frequent && !may_tell(p, t_ns))
		e->thinned++;
	else
		write_event(e, p, pool, event, t_ns);
	mark(e, p, pool, event->kind);
}

static void drain(struct edges *e, struct process *p, int ended)
{
	struct loopmem_event event;
	uint64_t lost = 0;

	while (segment_next_event(&p->segment, ended, &event, &lost))
		take_event(e, p, &event);
	e->job->recorder->dropped_events += (int64_t)lost;
}

static int has_news(const struct process *p)
{
	return p->segment.map && segment_has_events(&p->segment);
}

void edges_poll(struct edges *e)
{
	int64_t now_ns = recorder_now(e->job->recorder);
	int news = 0;

	for (size_t i = 0; i < e->job->count; i++)
		news |= has_news(e->job->items[i]);
	if (!news)
		return;
	pools_find_new(e->pools, e->job);
	for (size_t i = 0; i < e->job->count; i++) { /* the table grows while forks are taken in */
		struct process *p = e->job->items[i];

		if (!has_news(p))
			continue;
		pools_update(e->pools, e->job, p, now_ns, 0);
		drain(e, p, p->state != PROCESS_ALIVE);
	}
}

void edges_finish(struct edges *e, struct process *p)
{
	pools_find_new(e->pools, e->job);
	pools_update(e->pools, e->job, p, recorder_now(e->job->recorder), 1);
	drain(e, p, 1);
	pools_owner_gone(e->pools, p);
}
