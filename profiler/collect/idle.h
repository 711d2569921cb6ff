/*
 * idle.h: does a worker wait for work, and does a pool, judged from outside. Pure.
 *
 * A loader's worker with nothing to do waits in poll with a time-out of 5 s: one voluntary switch
 * in 5 s, no more than a tick, few faults. A pool is idle when all its workers are, for three times
 * the longest pause it made while in use, and for 10 s at least: a slow training pauses too.
 */
#ifndef PROFILER_COLLECT_IDLE_H
#define PROFILER_COLLECT_IDLE_H

#include <stdint.h>

enum idle_wait {
	IDLE_WAIT_UNKNOWN, /* may not be read: the counters decide alone */
	IDLE_WAIT_POLL,
	IDLE_WAIT_OTHER, /* runs, or waits for something else */
};

struct idle_sight {
	int64_t t_ns;
	int64_t switches; /* voluntary */
	int64_t ticks, minor_faults;
	enum idle_wait wait;
};

struct idle_worker {
	struct idle_sight last; /* t_ns 0 = never seen */
	int64_t stirred_ns;     /* the last switch or tick */
};

/* Takes a new sight. 1 = it worked since the last one; 0 = it waited, or this is the first. */
int idle_worker_see(struct idle_worker *w, const struct idle_sight *now);

struct idle_pool {
	int64_t active_ns;  /* a worker of it worked; since then it is idle */
	int64_t longest_ns; /* pause between two moments in use */
};

/* A worker worked at t_ns. A pause that was known to be no pause of the training (`was_idle`) is
 * not taken for one. */
void idle_pool_works(struct idle_pool *p, int64_t t_ns, int was_idle);

int idle_pool_is_idle(const struct idle_pool *p, int64_t t_ns);

#endif
