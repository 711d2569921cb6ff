/* clock.h: the collector's clocks, all in nanoseconds. */
#ifndef PROFILER_COLLECT_CLOCK_H
#define PROFILER_COLLECT_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t clock_in_ns(struct timespec t)
{
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline int64_t clock_read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return clock_in_ns(t);
}

/* CLOCK_MONOTONIC: the clock of segments and sessions. */
static inline int64_t clock_monotonic_ns(void)
{
	return clock_read_ns(CLOCK_MONOTONIC);
}

/* CPU time of the calling thread. */
static inline int64_t clock_cpu_ns(void)
{
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
