/*
 * The estimator of docs/sampling.md: over 200 seeds its mean is what was allocated, and its spread what the formula says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inject/sample.h"

enum { SEEDS = 200, MEAN = 524288 };

struct workload {
	const char *name;
	uint64_t sizes[4]; /* taken in turn */
	uint64_t blocks;
};

static const struct workload workloads[] = {
	{"small", {24, 56, 120, 500}, 400000},
	{"mixed", {512, 4096, 200000, 2048}, 40000},
	{"large", {100000, 600000, 2000000, 524288}, 800},
};

struct estimate {
	double bytes, blocks;
};

/* Not a multiple of the generator's own step: such streams would overlap. */
static uint64_t stream(uint64_t seed)
{
	return seed * UINT64_C(0xd6e8feb86659fd93);
}

/* With one mean: a countdown, the block it ends in is sampled, a new countdown from its end. */
static struct estimate sample(const struct workload *w, uint64_t seed, uint64_t mean)
{
	uint64_t random = stream(seed);
	int64_t countdown = sample_gap(&random, mean);
	struct estimate estimate = {0};

	for (uint64_t i = 0; i < w->blocks; i++) {
		uint64_t bytes = w->sizes[i % 4];
		countdown -= (int64_t)bytes;
		if (countdown >= 0)
			continue;
		countdown = sample_gap(&random, mean);
		estimate.bytes += (double)bytes * sample_weight(bytes, mean);
		estimate.blocks += sample_weight(bytes, mean);
	}
	return estimate;
}

/* Sum over blocks of x^2 (1 - p) / p, where x is what a block counts for. */
static double variance(const struct workload *w, int of_bytes)
{
	double sum = 0;

	for (uint64_t i = 0; i < w->blocks; i++) {
		double bytes = (double)w->sizes[i % 4], p = 1 - exp(-bytes / MEAN);
		sum += (of_bytes ? bytes * bytes : 1) * (1 - p) / p;
	}
	return sum;
}

static void check(const struct workload *w, int of_bytes)
{
	double truth = 0, sum = 0, squares = 0, expected = variance(w, of_bytes), mean, spread;

	for (uint64_t i = 0; i < w->blocks; i++)
		truth += of_bytes ? (double)w->sizes[i % 4] : 1;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct estimate e = sample(w, seed, MEAN);
		double value = of_bytes ? e.bytes : e.blocks;
		sum += value;
		squares += (value - truth) * (value - truth);
	}
	mean = sum / SEEDS;
	spread = squares / SEEDS;
	/* Four standard errors of the mean: wrong once in 16,000; the variance within 40 %, likewise. */
	assert_true(fabs(mean - truth) < 4 * sqrt(expected / SEEDS));
	assert_true(fabs(spread / expected - 1) < 0.4);
}

static void estimates_are_unbiased_and_spread_as_the_formula_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(workloads) / sizeof(*workloads); i++) {
		check(&workloads[i], 1);
		check(&workloads[i], 0);
	}
}

static void weights_are_the_inverse_of_the_chance(void **state)
{
	static const uint64_t sizes[] = {1, 24, 1000, 524288, 5000000, UINT64_C(1) << 40};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		double exact = -1 / expm1(-(double)sizes[i] / MEAN);
		assert_true(fabs(sample_weight(sizes[i], MEAN) / exact - 1) < 1e-9);
	}
}

/* The promise of docs/sampling.md, with blocks so small that their size does not help. */
static void a_site_of_512_means_is_within_a_tenth_in_95_of_100_runs(void **state)
{
	const struct workload site = {"site", {1032, 1032, 1032, 1032}, 512ull * MEAN / 1032};
	double truth = (double)site.blocks * 1032;
	int within = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		within += fabs(sample(&site, seed, MEAN).bytes - truth) <= truth / 10;
	assert_true(within >= SEEDS * 95 / 100);
}

static void a_mean_of_one_is_exact(void **state)
{
	struct estimate e;

	(void)state;
	e = sample(&workloads[0], 1, 1);
	assert_true(e.blocks == (double)workloads[0].blocks);
	assert_true(e.bytes == 100000.0 * (24 + 56 + 120 + 500));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_are_unbiased_and_spread_as_the_formula_says),
		cmocka_unit_test(weights_are_the_inverse_of_the_chance),
		cmocka_unit_test(a_site_of_512_means_is_within_a_tenth_in_95_of_100_runs),
		cmocka_unit_test(a_mean_of_one_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
