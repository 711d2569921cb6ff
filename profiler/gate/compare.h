/*
 * compare.h: has a figure grown against a baseline? Pure arithmetic, median against median (docs/budget.md, "Comparison").
 *
 *   s0^2  prior variance: noise that is expected before anything is known, worth d0 = 4 degrees of freedom
 *   s^2 = (d0 s0^2 + sum (b - mean b)^2 + sum (h - mean h)^2) / (d0 + (n - 1) + (m - 1))
 *   N   = t(0.99; d0 + n + m - 2) s sqrt(c(n)/n + c(m)/m)      what noise alone may do; c(k) = k Var(median) / sigma^2
 *   T   = max(percent of B, floor)                             what the user tolerates
 * Growth is called `regressed` when it passes both. One broken run cannot move a median of three; a variance shrunk towards the
 * prior is neither unknown with one run nor absurdly small with three.
 */
#ifndef PROFILER_GATE_COMPARE_H
#define PROFILER_GATE_COMPARE_H

#include <stddef.h>

#include "profiler/model/metrics.h"

enum compare_verdict {
	COMPARE_UNCHANGED,
	COMPARE_REGRESSED,
	COMPARE_IMPROVED,
	COMPARE_INCONCLUSIVE
};

/* So many runs of a baseline tell its noise; with fewer the bound is mostly what is expected of any. */
enum { COMPARE_ENOUGH_RUNS = 3 };

struct comparison {
	double base, head;       /* medians */
	double change;           /* head - base */
	double tolerance, noise; /* T and N, in the figure's unit */
	enum compare_verdict verdict;
};

/* `base` and `head` hold n and m > 0 figures of `unit`, in any order; they are not changed. */
void compare(struct comparison *c, enum model_unit unit, const double base[], size_t n,
	     const double head[], size_t m, double percent, double floor);

/* The middle one of n > 0 values, or the mean of the middle two. *index (may be NULL) is the value's place in `values`, or
 * that of the lower one of two. */
double median(const double values[], size_t n, size_t *index);

#endif
