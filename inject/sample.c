/*
 * sample.c: exponential gaps and weights. Logarithm and exponential are computed here because libm would cost every process
 * of the tree the time to load it.
 */
#include "inject/sample.h"

/* splitmix64 (Steele, Lea, Flood 2014): any state is a good state. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* -ln(n / 2^53) for n in 1 .. 2^53. n = m 2^e with m in [1, 2), and ln m = 2 atanh((m-1)/(m+1));
 * the series is cut where its terms are below 1e-10. */
static double minus_log(uint64_t n)
{
	int e = 63 - __builtin_clzll(n);
	double m = (double)n / (double)(UINT64_C(1) << e);
	double t = (m - 1) / (m + 1), square = t * t, power = t, sum = 0;

	for (int k = 1; k < 20; k += 2) {
		sum += power / k;
		power *= square;
	}
	return (53 - e) * 0.69314718055994530942 - 2 * sum;
}

int64_t sample_gap(uint64_t *random, uint64_t mean_bytes)
{
	if (mean_bytes == 1)
		return 0;
	return (int64_t)((double)mean_bytes * minus_log((next_random(random) >> 11) + 1));
}

/* 1 - exp(-x) for x > 0: by the series of x / 2^halvings, then 1 - (1 - y)^2 = 2 y - y^2 back up. */
static double chance(double x)
{
	enum { HALVINGS = 10 };
	double y;

	if (x > 40)
		return 1;
	x /= 1 << HALVINGS;
	y = x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5))));
	for (int i = 0; i < HALVINGS; i++)
		y = 2 * y - y * y;
	return y;
}

double sample_weight(uint64_t bytes, uint64_t mean_bytes)
{
	if (mean_bytes == 1)
		return 1;
	return 1 / chance((double)bytes / (double)mean_bytes);
}
