/* Comparison with a baseline: see the header for the rule. */
#include "profiler/gate/compare.h"

#include <math.h>

#define PRIOR_FREEDOM 4
#define MIB           (1024.0 * 1024)

/* Noise before anything is measured. Bytes taken at phase edges hardly notice a busy machine (a coefficient of variation of 0.2 %
 * was measured); seconds do (47 %). */
static double prior(enum model_unit unit, double base)
{
	switch (unit) {
	case MODEL_UNIT_BYTES:
		return fmax(0.005 * base, MIB);
	case MODEL_UNIT_SECONDS:
		return fmax(0.5 * base, 0.1);
	case MODEL_UNIT_BYTE_SECONDS:
		return fmax(0.5 * base, MIB);
	case MODEL_UNIT_COUNT:
		break;
	}
	return 0;
}

/* The upper 1 % point of Student's t. */
static double student(size_t freedom)
{
	static const double points[] = {3.747, 3.365, 3.143, 2.998, 2.896, 2.821,
					2.764, 2.718, 2.681, 2.650, 2.624, 2.602,
					2.583, 2.567, 2.552, 2.539, 2.528};
	size_t i = freedom - PRIOR_FREEDOM;

	return i < sizeof(points) / sizeof(points[0]) ? points[i] : 2.5;
}

/* k Var(median of k) / variance, of normal noise; pi / 2 in the limit. */
static double median_variance(size_t k)
{
	static const double factors[] = {1, 1, 1.35, 1.19, 1.43, 1.29, 1.47, 1.35, 1.50, 1.38};

	return (k <= sizeof(factors) / sizeof(factors[0]) ? factors[k - 1] : M_PI_2) / (double)k;
}

static double squares(const double values[], size_t n)
{
	double mean = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		mean += values[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

/* The value that `rank` others precede in order; equal values stand in the order of their places. */
static size_t of_rank(const double values[], size_t n, size_t rank)
{
	for (size_t i = 0; i < n; i++) {
		size_t below = 0;

		for (size_t j = 0; j < n; j++)
			below += values[j] < values[i] || (values[j] == values[i] && j < i);
		if (below == rank)
			return i;
	}
	return 0;
}

double median(const double values[], size_t n, size_t *index)
{
	size_t lower = of_rank(values, n, (n - 1) / 2);
	size_t upper = of_rank(values, n, n / 2);

	if (index)
		*index = lower;
	return lower == upper ? values[lower] : (values[lower] + values[upper]) / 2;
}

static enum compare_verdict weigh(const struct comparison *c)
{
	double size = fabs(c->change);

	if (size > fmax(c->tolerance, c->noise))
		return c->change > 0 ? COMPARE_REGRESSED : COMPARE_IMPROVED;
	return size > c->tolerance ? COMPARE_INCONCLUSIVE : COMPARE_UNCHANGED;
}

void compare(struct comparison *c, enum model_unit unit, const double base[], size_t n,
	     const double head[], size_t m, double percent, double floor)
{
	double s0, variance;
	size_t freedom = PRIOR_FREEDOM + n + m - 2;

	c->base = median(base, n, NULL);
	c->head = median(head, m, NULL);
	c->change = c->head - c->base;
	s0 = prior(unit, c->base);
	variance =
		(PRIOR_FREEDOM * s0 * s0 + squares(base, n) + squares(head, m)) / (double)freedom;
	c->noise =
		student(freedom) * sqrt(variance) * sqrt(median_variance(n) + median_variance(m));
	c->tolerance = fmax(percent / 100 * c->base, floor);
	c->verdict = weigh(c);
}
