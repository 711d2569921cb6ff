/*
 * growth.h: does a figure grow, and does it go on? A stretch of working time (one span or several laid end to end) is cut into windows of equal
 * length; of each only the least value counts, its floor. What comes and goes (a batch in flight, garbage that waits to be collected) leaves
 * floors where they are; what is kept lifts them all. What was there before the second window is how a program starts up, and is no growth.
 */
#ifndef PROFILER_MODEL_GROWTH_H
#define PROFILER_MODEL_GROWTH_H

#include <stddef.h>
#include <stdint.h>

enum { GROWTH_WINDOWS_MAX = 8 };

struct growth_stretch {
	int64_t start_ns, end_ns;
};

struct growth {
	const struct growth_stretch *
		stretches; /* by time, apart from each other; the caller's, needed until the last add */
	size_t count;
	int windows; /* at most GROWTH_WINDOWS_MAX, at least 4 */
	int64_t total_ns;
	/* where the last value was: values come by time */
	size_t at;
	int64_t before_ns;            /* length of the stretches before `at` */
	int seen[GROWTH_WINDOWS_MAX]; /* values; of a sum the fewest of any figure */
	double floor[GROWTH_WINDOWS_MAX];
	double first, last; /* values at both ends */
	int any;
};

enum growth_shape {
	GROWTH_NONE,   /* it does not grow, or too few values are known */
	GROWTH_LEVELS, /* it grew over several windows and stopped */
	GROWTH_STEADY, /* it grows to the end, about as fast all along */
};

void growth_begin(struct growth *g, const struct growth_stretch *stretches, size_t count,
		  int windows);

/* A value at a moment; those outside of the stretches are left out. Moments ascend. */
void growth_add(struct growth *g, int64_t t_ns, double value);

/* Adds another figure of the same stretches to this one: floors, first and last. A window that either lacks is lacking. */
void growth_sum(struct growth *g, const struct growth *other);

/* Every window has 8 values or more, so that its floor is one: what is asked where the growth is so little that other things come as high. */
int growth_is_dense(const struct growth *g);

/* From the second floor to the last. */
double growth_rise(const struct growth *g);

/* The shape, when the floors rise by `least` or more. */
enum growth_shape growth_shape(const struct growth *g, double least);

#endif
