/* Rounds of measurement: see the header. */
#include "profiler/collect/sampler.h"

#include <errno.h>
#include <stdlib.h>

#include "profiler/collect/clock.h"
#include "profiler/collect/forks.h"
#include "profiler/collect/sampler_shm.h"
#include "profiler/collect/sampler_system.h"

#define MS INT64_C(1000000)

int sampler_init(struct sampler *s, struct edges *edges, pid_t reaper)
{
	*s = (struct sampler){
		.job = edges->job,
		.pools = edges->pools,
		.edges = edges,
		.recorder = edges->job->recorder,
		.cgroup = {.current_fd = -1, .stat_fd = -1, .events_fd = -1, .kernel_fd = -1},
		.cgroup_checked_ns = SESSION_NULL,
		.limit_bytes = SESSION_NULL,
		.oom_kills = CGROUP_UNKNOWN,
	};
	machine_open(&s->machine);
	s->rates = rates_for(0, 0, 0);
	budget_start(&s->budget, clock_monotonic_ns(), clock_cpu_ns());
	return discovery_init(&s->discovery, reaper);
}

void sampler_release(struct sampler *s)
{
	discovery_release(&s->discovery);
	fork_names_release(&s->fork_names);
	machine_close(&s->machine);
	cgroup_close(&s->cgroup);
	shm_table_release(&s->shm);
	proc_text_release(&s->maps);
}

/* ---- T1: statm of everybody ---- */

static void measure_all(struct sampler *s, int64_t t_ns)
{
	struct process *p;

	s->last_round_ns = t_ns;
	s->last_anon_bytes = 0;
	JOB_EACH_ALIVE(s->job, p) {
		struct session_sample row = {.t_ns = t_ns, .process = p->id, .n = 1};

		if (!process_measure(p, t_ns))
			continue;
		row.rss_bytes = p->statm.rss_bytes;
		row.anon_bytes = p->statm.anon_bytes;
		s->last_anon_bytes += row.anon_bytes;
		session_put_sample(s->recorder->session, &row);
	}
}

/* ---- T3: walks ---- */

static int64_t expected_cost(const struct process *p)
{
	int64_t by_size = walk_expected_ns(p->statm.rss_bytes);

	return p->pace.walks && p->pace.wall_ns < by_size ? p->pace.wall_ns : by_size;
}

static void update_budget(struct sampler *s)
{
	budget_update(&s->budget, clock_monotonic_ns(), clock_cpu_ns());
}

/* The others of a family in which much was copied: their shares are larger now. */
static void suspect_family(struct sampler *s, const struct process *copier, int64_t copied_bytes)
{
	struct process *p;

	if (!walk_worthwhile(copied_bytes, copier->private_at_walk))
		return;
	JOB_EACH_ALIVE(s->job, p)
		if (p->family == copier->family && p != copier)
			p->suspect = 1;
}

/* 1 when the walk was done. */
static int walk(struct sampler *s, struct process *p, int64_t t_ns, enum walk_reason reason)
{
	int64_t copied_bytes;
	int error = process_walk(p, s->recorder, t_ns, reason, &copied_bytes);

	s->walked_ns = t_ns;
	suspect_family(s, p, copied_bytes);
	if (error == -EACCES && !s->walks_refused++)
		recorder_note(
			s->recorder, "warning",
			"smaps_rollup of a process cannot be read: no proportional bytes of it");
	return !error;
}

/* The same on credit, within limits. A walk that would cost too much is counted as skipped. */
static int walk_on_credit(struct sampler *s, struct process *p, int64_t t_ns)
{
	update_budget(s);
	if (walk_allowed(&p->pace, t_ns, WALK_EDGE) &&
	    budget_allows(&s->budget, expected_cost(p), WALK_EDGE))
		return walk(s, p, t_ns, WALK_EDGE);
	s->recorder->skipped++;
	return 0;
}

/* Is there anything that its last walk did not see? What only its relatives did makes it stale, and
 * has its own time. */
static int has_news(struct process *p)
{
	if (!p->pace.walks)
		return 1;
	process_count_faults(p);
	return walk_worthwhile(process_changed_bytes(p), p->private_at_walk);
}

static int measured_now(const struct process *p, int64_t t_ns)
{
	return p->statm_ns == t_ns && !p->exiting;
}

/* When forks and ends have calmed down, or did not for long: families are walked together, so that
 * what they share is counted once. */
static int is_settled(const struct sampler *s, const struct process *p, int64_t t_ns)
{
	return t_ns - s->job->changed_ns >= 60 * MS || t_ns - p->stale_ns >= 300 * MS;
}

/* A beginning that costs something takes no credit: pools end, are built and forked within moments, and of
 * the walks made for each all but the last would be of a family that has not settled. The walk of the
 * family serves, or the next regular one. */
static int is_served_later(const struct process *p, int64_t t_ns)
{
	return !walk_is_cheap(expected_cost(p)) &&
	       (p->stale || !walk_allowed(&p->pace, t_ns, WALK_REGULAR));
}

/* Those whom an edge concerns, and the counters of their heaps with them. Whom it could not walk
 * now waits as stale. */
static void walk_edges(struct sampler *s, int64_t t_ns)
{
	struct process *p;

	JOB_EACH_ALIVE(s->job, p) {
		enum process_edge edge = p->edge;

		p->edge = PROCESS_EDGE_NONE;
		if (!edge || !measured_now(p, t_ns))
			continue;
		process_write_heap(p, s->recorder, t_ns);
		if (edge == PROCESS_EDGE_BEGINS && is_served_later(p, t_ns))
			continue;
		if (has_news(p) && !walk_on_credit(s, p, t_ns) && !p->stale) {
			p->stale = 1;
			p->stale_ns = t_ns;
		}
	}
}

static int stands_for_pool(const struct sampler *s, const struct process *p)
{
	return is_representative(p->worker_index, p->worker_count, s->edges->turn);
}

static void walk_stale(struct sampler *s, int64_t t_ns)
{
	struct process *p;

	JOB_EACH_ALIVE(s->job, p) {
		if (!p->stale || !measured_now(p, t_ns) || !is_settled(s, p, t_ns) ||
		    p->pace.last_ns == t_ns)
			continue;
		if (p->pace.walks && !stands_for_pool(s, p))
			continue;
		walk_on_credit(s, p, t_ns);
	}
}

/* Of a change that statm does not prove. */
static int shows_signs(const struct process *p, int64_t t_ns)
{
	return walk_looks_again(&p->pace, t_ns) &&
	       (p->suspect || walk_worthwhile(process_changed_bytes(p), p->private_at_walk));
}

static int wants_regular_walk(const struct sampler *s, const struct process *p, int64_t t_ns)
{
	if (!measured_now(p, t_ns) || p->pace.last_ns == t_ns || !stands_for_pool(s, p) ||
	    !walk_allowed(&p->pace, t_ns, WALK_REGULAR))
		return 0;
	if (p->stale)
		return is_settled(s, p, t_ns);
	return walk_worthwhile(process_grown_bytes(p), p->private_at_walk) || shows_signs(p, t_ns);
}

/* Stale before changed, much before little, long ago before lately. */
static int is_more_urgent(const struct process *a, const struct process *b)
{
	int64_t change_a = process_changed_bytes(a), change_b = process_changed_bytes(b);

	if (a->stale != b->stale)
		return a->stale;
	return change_a != change_b ? change_a > change_b : a->pace.last_ns < b->pace.last_ns;
}

/* The budget may be eaten up by the rounds on a machine that is overloaded. One walk every two
 * seconds is made all the same: a figure that never moves would be worse than its cost. */
static int may_afford(struct sampler *s, const struct process *p, int64_t t_ns)
{
	update_budget(s);
	return budget_allows(&s->budget, expected_cost(p), WALK_REGULAR) ||
	       t_ns - s->walked_ns >= 2000 * MS;
}

static void walk_regular(struct sampler *s, int64_t t_ns)
{
	struct process *p, *next;

	do {
		next = NULL;
		JOB_EACH_ALIVE(s->job, p)
			if (wants_regular_walk(s, p, t_ns) && (!next || is_more_urgent(p, next)))
				next = p;
		if (!next)
			return;
		if (!may_afford(s, next, t_ns)) {
			s->recorder->skipped++;
			return;
		}
	} while (walk(s, next, t_ns, WALK_REGULAR));
}

/* ---- rounds ---- */

static void take_round(struct sampler *s, int regular)
{
	int64_t t_ns = recorder_now(s->recorder), cpu_ns = clock_cpu_ns();

	sampler_write_system(s, t_ns);
	measure_all(s, t_ns);
	s->round_cost_ns = cost_average(s->round_cost_ns, clock_cpu_ns() - cpu_ns);
	walk_edges(s, t_ns);
	if (regular) {
		walk_stale(s, t_ns);
		walk_regular(s, t_ns);
	}
	s->recorder->rounds++;
	s->edges->measure = 0;
}

/* An exec that succeeded without a new segment (a static binary, another shim) left one that tells
 * of the old image. */
static void look_for_execs(struct sampler *s, struct process *p)
{
	if (!p->segment.map)
		return;
	if (p->segment_state.exec_ns == p->segment_exec_ns)
		return;
	p->segment_exec_ns = p->segment_state.exec_ns;
	if (process_look_again(p) > 0) {
		edges_finish(s->edges, p);
		segment_close(&p->segment);
	}
}

static void refresh_state(struct sampler *s, struct process *p)
{
	struct segment_state state;

	if (!p->segment.map)
		return;
	if (segment_state(&p->segment, &state)) {
		job_finish_segment(s->job, p);
		return;
	}
	if (state.python_state != p->segment_state.python_state ||
	    state.exec_ns != p->segment_state.exec_ns) {
		p->segment_state = state;
		process_write(p, s->recorder);
	}
	look_for_execs(s, p);
}

static void take_details(struct sampler *s)
{
	int64_t t_ns = recorder_now(s->recorder), cpu_ns = clock_cpu_ns();
	struct process *p;

	if (discover(&s->discovery, s->job, t_ns))
		s->edges->measure = 1;
	sampler_refresh_limits(s, t_ns);
	shm_space_look(&s->shm_space, s->recorder, t_ns);
	JOB_EACH_ALIVE(s->job, p) {
		refresh_state(s, p);
		process_write_detail(p, s->recorder, t_ns);
		process_write_heap(p, s->recorder, t_ns);
		pools_update(s->pools, s->job, p, t_ns, 0);
	}
	forks_settle(s->pools, s->job, &s->fork_names, t_ns);
	pools_settle(s->pools, s->job, t_ns);
	s->edges->turn++;
	s->detail_cost_ns = cost_average(s->detail_cost_ns, clock_cpu_ns() - cpu_ns);
}

static void take_shm(struct sampler *s)
{
	int64_t cpu_ns = clock_cpu_ns();

	s->shm_last_ns = recorder_now(s->recorder);
	sampler_walk_shm(s, s->shm_last_ns);
	s->edges->walk_shm = 0;
	s->shm_cost_ns = cost_average(s->shm_cost_ns, clock_cpu_ns() - cpu_ns);
}

/* In step with the beginning, unless it fell behind by more than a period. */
static int64_t next_due(int64_t due_ns, int64_t period_ns, int64_t now_ns)
{
	return due_ns + period_ns > now_ns ? due_ns + period_ns : now_ns + period_ns;
}

void sampler_step(struct sampler *s)
{
	int64_t now_ns = recorder_now(s->recorder);
	int shm_edge = s->edges->walk_shm && now_ns - s->shm_last_ns >= 100 * MS &&
		       budget_allows(&s->budget, s->shm_cost_ns, WALK_EDGE);

	if (now_ns >= s->round_due_ns || s->edges->measure) {
		take_round(s, now_ns >= s->round_due_ns);
		if (now_ns >= s->round_due_ns)
			s->round_due_ns = next_due(s->round_due_ns, s->rates.round_ns, now_ns);
	}
	if (now_ns >= s->shm_due_ns || shm_edge) {
		take_shm(s);
		s->shm_due_ns = now_ns + s->rates.shm_ns;
	}
	if (now_ns >= s->detail_due_ns) {
		take_details(s);
		s->rates = rates_for(s->round_cost_ns, s->detail_cost_ns, s->shm_cost_ns);
		s->detail_due_ns = now_ns + s->rates.detail_ns;
	}
}

void sampler_last_round(struct sampler *s)
{
	take_details(s);
	take_round(s, 1);
	take_shm(s);
}
