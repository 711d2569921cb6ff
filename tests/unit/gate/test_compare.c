/* Claims about profiler/gate/compare.h: the rule, and how often it errs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "profiler/gate/compare.h"

#define MIB          (1024.0 * 1024)
#define GIB          (1024 * MIB)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void a_median_bears_one_broken_run(void **state)
{
	size_t index;

	(void)state;
	assert_true(median((const double[]){5}, 1, &index) == 5 && index == 0);
	assert_true(median((const double[]){9, 1, 100}, 3, &index) == 9 && index == 0);
	assert_true(median((const double[]){1, 3}, 2, &index) == 2 && index == 0);
	assert_true(median((const double[]){7, 7, 7, 7}, 4, NULL) == 7);
	assert_true(median((const double[]){4, 1, 3, 2}, 4, NULL) == 2.5);
}

/* The published factors: N in units of s when all runs agree with the prior. */
static void the_noise_bound_follows_from_the_number_of_runs(void **state)
{
	static const struct {
		size_t n, m;
		double factor;
	} rows[] = {{1, 1, 5.30},  {3, 1, 3.78}, {5, 1, 3.29},
		    {10, 1, 2.83}, {3, 3, 2.74}, {5, 3, 2.37}};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		size_t n = rows[i].n, m = rows[i].m, freedom = 4 + n + m - 2;
		double base[10], head[3];
		struct comparison c;
		double s;

		for (size_t k = 0; k < n; k++)
			base[k] = GIB;
		for (size_t k = 0; k < m; k++)
			head[k] = GIB;
		compare(&c, MODEL_UNIT_BYTES, base, n, head, m, 5, 16 * MIB);
		s = sqrt(4.0 / (double)freedom) * 0.005 * GIB;
		assert_true(fabs(c.noise / s - rows[i].factor) < 0.01);
		assert_int_equal(c.verdict, COMPARE_UNCHANGED);
	}
}

static enum compare_verdict verdict(double base, double head, double percent, double floor)
{
	struct comparison c;

	compare(&c, MODEL_UNIT_BYTES, (const double[]){base, base, base}, 3, &head, 1, percent,
		floor);
	return c.verdict;
}

static void both_the_tolerance_and_the_noise_must_be_passed(void **state)
{
	(void)state;
	assert_int_equal(verdict(GIB, 1.04 * GIB, 5, 16 * MIB), COMPARE_UNCHANGED);
	assert_int_equal(verdict(GIB, 1.06 * GIB, 5, 16 * MIB), COMPARE_REGRESSED);
	assert_int_equal(verdict(GIB, 0.94 * GIB, 5, 16 * MIB), COMPARE_IMPROVED);
	assert_int_equal(verdict(GIB, 1.01 * GIB, 0, 0), COMPARE_INCONCLUSIVE);
	assert_int_equal(verdict(GIB, 0.99 * GIB, 0, 0), COMPARE_INCONCLUSIVE);
	assert_int_equal(verdict(0, 15 * MIB, 5, 16 * MIB), COMPARE_UNCHANGED);
	assert_int_equal(verdict(0, 17 * MIB, 5, 16 * MIB), COMPARE_REGRESSED);
}

static void noisy_runs_widen_the_bound(void **state)
{
	struct comparison calm, noisy;
	const double head = 1.08 * GIB;

	(void)state;
	compare(&calm, MODEL_UNIT_BYTES, (const double[]){GIB, GIB, GIB}, 3, &head, 1, 5, 0);
	compare(&noisy, MODEL_UNIT_BYTES, (const double[]){0.9 * GIB, GIB, 1.1 * GIB}, 3, &head, 1,
		5, 0);
	assert_int_equal(calm.verdict, COMPARE_REGRESSED);
	assert_int_equal(noisy.verdict, COMPARE_INCONCLUSIVE);
}

static void seconds_are_taken_to_be_noisy_and_counts_exact(void **state)
{
	struct comparison c;

	(void)state;
	compare(&c, MODEL_UNIT_SECONDS, (const double[]){10}, 1, (const double[]){18}, 1, 5, 0);
	assert_int_equal(c.verdict, COMPARE_INCONCLUSIVE);
	compare(&c, MODEL_UNIT_COUNT, (const double[]){0}, 1, (const double[]){1}, 1, 0, 0);
	assert_int_equal(c.verdict, COMPARE_REGRESSED);
}

/* ---- how often it errs ---------------------------------------------------------------------------------- */

static uint64_t seed = 1;

static double uniform(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(seed >> 33) + 0.5) / (double)(UINT64_C(1) << 31);
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Heavy noise: one run in ten has an extra exponential excess of mean 3 sigma, upwards. */
static double figure(double level, double sigma, int heavy)
{
	double noise = normal();

	if (heavy && uniform() < 0.1)
		noise += -3 * log(uniform());
	return level * (1 + sigma * noise);
}

/* Share of builds called `regressed` when the head's level is `growth` above the baseline's. */
static double alarms(size_t n, size_t m, double sigma, int heavy, double growth)
{
	enum { BUILDS = 20000 };
	unsigned found = 0;

	for (int i = 0; i < BUILDS; i++) {
		double base[10], head[3];
		struct comparison c;

		for (size_t k = 0; k < n; k++)
			base[k] = figure(4 * GIB, sigma, heavy);
		for (size_t k = 0; k < m; k++)
			head[k] = figure(4 * GIB * (1 + growth), sigma, heavy);
		compare(&c, MODEL_UNIT_BYTES, base, n, head, m, 5, 16 * MIB);
		found += c.verdict == COMPARE_REGRESSED;
	}
	return (double)found / BUILDS;
}

static void unchanged_code_is_hardly_ever_called_regressed(void **state)
{
	(void)state;
	assert_true(alarms(1, 1, 0.005, 0, 0) == 0);
	assert_true(alarms(5, 1, 0.01, 0, 0) < 0.0005);
	assert_true(alarms(5, 1, 0.005, 1, 0) < 0.008);
	assert_true(alarms(3, 3, 0.01, 1, 0) < 0.002);
}

static void growth_beyond_the_tolerance_is_found(void **state)
{
	(void)state;
	assert_true(alarms(5, 1, 0.005, 0, 0.057) > 0.85);
	assert_true(alarms(3, 1, 0.01, 0, 0.066) > 0.85);
	assert_true(alarms(5, 3, 0.01, 0, 0.061) > 0.85);
	assert_true(alarms(1, 1, 0.005, 1, 0.10) > 0.97);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_median_bears_one_broken_run),
		cmocka_unit_test(the_noise_bound_follows_from_the_number_of_runs),
		cmocka_unit_test(both_the_tolerance_and_the_noise_must_be_passed),
		cmocka_unit_test(noisy_runs_widen_the_bound),
		cmocka_unit_test(seconds_are_taken_to_be_noisy_and_counts_exact),
		cmocka_unit_test(unchanged_code_is_hardly_ever_called_regressed),
		cmocka_unit_test(growth_beyond_the_tolerance_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
