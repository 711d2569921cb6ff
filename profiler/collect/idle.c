/* Idle or not, from counters: see the header. */
#include "profiler/collect/idle.h"

#define SECOND INT64_C(1000000000)

/* Time-outs come every 5 s and are seen up to a second late. */
#define TIMEOUT_APART (7 * SECOND / 2)

/* A time-out runs a little of the interpreter: the first one in a forked worker copies some pages
 * (6 measured without torch). Work that faults more often takes ticks too. */
enum { FAULTS_OF_TIMEOUT = 64 };

/* More than time-outs make? */
static int is_work(struct idle_worker *w, const struct idle_sight *now)
{
	int64_t switches = now->switches - w->last.switches, ticks = now->ticks - w->last.ticks;
	int64_t timeouts = 1 + (now->t_ns - w->last.t_ns) / (5 * SECOND);
	int soon = w->stirred_ns && now->t_ns - w->stirred_ns < TIMEOUT_APART;

	if (switches || ticks)
		w->stirred_ns = now->t_ns;
	return switches > timeouts || ticks > 1 || ((switches || ticks) && soon) ||
	       now->minor_faults - w->last.minor_faults > FAULTS_OF_TIMEOUT ||
	       now->wait == IDLE_WAIT_OTHER;
}

int idle_worker_see(struct idle_worker *w, const struct idle_sight *now)
{
	int works = w->last.t_ns && is_work(w, now);

	w->last = *now;
	return works;
}

void idle_pool_works(struct idle_pool *p, int64_t t_ns, int was_idle)
{
	if (!was_idle && t_ns - p->active_ns > p->longest_ns)
		p->longest_ns = t_ns - p->active_ns;
	p->active_ns = t_ns;
}

int idle_pool_is_idle(const struct idle_pool *p, int64_t t_ns)
{
	int64_t least_ns = 3 * p->longest_ns;

	if (least_ns < 10 * SECOND)
		least_ns = 10 * SECOND;
	return t_ns - p->active_ns >= least_ns;
}
