/* Idle or not, from counters: see the header. */
#include "profiler/collect/idle.h"

#define SECOND  INT64_C(1000000000)
#define TIMEOUT (5 * SECOND)

/* What one time-out may come to. Measured: 1 to 3 switches, up to 1 tick, 6 faults where pages are
 * still shared with a parent. Both halves of the ticks are rounded down, so each may step; a machine
 * that took pages away gives them back by faults. Work that comes closer to this is seen by how often
 * it comes. */
enum { TIMEOUT_SWITCHES = 8, TIMEOUT_TICKS = 2, TIMEOUT_FAULTS = 512 };

/* A burst that a look cut in two goes on in the next one. */
static int goes_on(const struct idle_worker *w, const struct idle_sight *now)
{
	return w->burst.first_ns == w->last.t_ns && now->t_ns - w->last.t_ns < 2 * SECOND;
}

/* The burst before was less than a time-out ago, wherever in its looks the two lie. Timers are late,
 * never early: the rest is for rounding. */
static int too_soon(const struct idle_worker *w, const struct idle_sight *now)
{
	return w->burst.since_ns && now->t_ns - w->burst.since_ns < TIMEOUT - SECOND / 10;
}

static int is_work(struct idle_worker *w, const struct idle_sight *now)
{
	int64_t switches = now->switches - w->last.switches, ticks = now->ticks - w->last.ticks;
	int64_t faults = now->minor_faults - w->last.minor_faults;
	int64_t timeouts = 1 + (now->t_ns - w->last.t_ns) / TIMEOUT;
	struct idle_burst *b = &w->burst;

	if (!switches && !ticks && !faults) /* asleep all the time; a time-out is not that long */
		return now->wait == IDLE_WAIT_OTHER && w->last.wait == IDLE_WAIT_OTHER;
	if (!goes_on(w, now))
		*b = (struct idle_burst){
			.works = too_soon(w, now),
			.since_ns = w->last.t_ns,
			.first_ns = now->t_ns,
		};
	b->switches += switches;
	b->ticks += ticks;
	b->minor_faults += faults;
	b->works |= b->switches > TIMEOUT_SWITCHES * timeouts ||
		    b->ticks > TIMEOUT_TICKS * timeouts ||
		    b->minor_faults > TIMEOUT_FAULTS * timeouts;
	return b->works;
}

int idle_worker_see(struct idle_worker *w, const struct idle_sight *now)
{
	int works = w->last.t_ns && is_work(w, now);

	w->last = *now;
	return works;
}

void idle_pool_look(struct idle_pool *p, int64_t t_ns, int works, int in_use)
{
	if (works) {
		int paused = p->looked_ns > p->active_ns; /* a look between them saw no work */

		if (in_use && paused && t_ns - p->active_ns > p->longest_ns)
			p->longest_ns = t_ns - p->active_ns;
		p->active_ns = t_ns;
	}
	p->looked_ns = t_ns;
}

int idle_pool_is_idle(const struct idle_pool *p, int64_t t_ns)
{
	int64_t least_ns = 3 * p->longest_ns;

	if (least_ns < 10 * SECOND)
		least_ns = 10 * SECOND;
	return t_ns - p->active_ns >= least_ns;
}
