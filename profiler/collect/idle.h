/*
 * idle.h: does a worker wait for work, and does a pool, judged from outside. Pure.
 *
 * A loader's worker with nothing to do waits in poll with a time-out of 5 s. When that is over it
 * asks whether its pool is done, under a lock that all workers of the pool share; those that became
 * idle together time out together and wait for each other there: a few voluntary switches at once,
 * few ticks, few faults, and for a moment it runs, or waits in something that is not poll. A short
 * burst at least 5 s after the one before is therefore no work.
 *
 * A pool is idle when all its workers are, for three times the longest pause it made while in use,
 * and for 10 s at least: a slow training pauses too.
 */
#ifndef PROFILER_COLLECT_IDLE_H
#define PROFILER_COLLECT_IDLE_H

#include <stdint.h>

enum idle_wait {
	IDLE_WAIT_UNKNOWN, /* it runs, or that may not be read: the counters decide alone */
	IDLE_WAIT_POLL,
	IDLE_WAIT_OTHER, /* it sleeps in something else */
};

struct idle_sight {
	int64_t t_ns;
	int64_t switches; /* voluntary */
	int64_t ticks, minor_faults;
	enum idle_wait wait;
};

/* Looks in which counters moved, no more than two in a row. */
struct idle_burst {
	int64_t since_ns; /* the look before it; 0 = there was none yet */
	int64_t first_ns; /* its first look */
	int64_t switches, ticks, minor_faults;
	int works;
};

struct idle_worker {
	struct idle_sight last; /* t_ns 0 = never seen */
	struct idle_burst burst;
};

/* Takes a new sight. 1 = it worked since the last one; 0 = it waited, or this is the first. */
int idle_worker_see(struct idle_worker *w, const struct idle_sight *now);

struct idle_pool {
	int64_t active_ns;  /* a worker of it worked; since then it is idle */
	int64_t longest_ns; /* pause between two moments in use */
	int64_t looked_ns;  /* 0 = never */
};

/* A look at all workers. `works`: one of them worked since the look before. `in_use`: the pool was,
 * so far; what it did not do while it started, or was known to be at its end, is no pause. */
void idle_pool_look(struct idle_pool *p, int64_t t_ns, int works, int in_use);

int idle_pool_is_idle(const struct idle_pool *p, int64_t t_ns);

#endif
