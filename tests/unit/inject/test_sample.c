/*
 * Gaps between samples are exponential with the mean that was asked for.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inject/sample.h"

enum { DRAWS = 200000, MEAN = 524288 };

static void gaps_have_the_mean_and_the_spread_of_an_exponential(void **state)
{
	double sum = 0, squares = 0, beyond = 0;
	uint64_t random = 42;

	(void)state;
	for (int i = 0; i < DRAWS; i++) {
		double gap = (double)sample_gap(&random, MEAN);
		assert_true(gap >= 0 && gap < 64.0 * MEAN);
		sum += gap;
		squares += gap * gap;
		beyond += gap > 2.0 * MEAN;
	}
	/* five standard errors each */
	assert_true(fabs(sum / DRAWS / MEAN - 1) < 5 / sqrt(DRAWS));
	assert_true(fabs(squares / DRAWS / MEAN / MEAN - 2) < 5 * sqrt(20.0 / DRAWS));
	assert_true(fabs(beyond / DRAWS - exp(-2)) < 5 * sqrt(exp(-2) / DRAWS));
}

static void streams_of_two_threads_differ(void **state)
{
	uint64_t one = 1, other = 2;
	int same = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		same += sample_gap(&one, MEAN) == sample_gap(&other, MEAN);
	assert_true(same < 3);
}

static void a_mean_of_one_takes_every_allocation(void **state)
{
	uint64_t random = 3;

	(void)state;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(sample_gap(&random, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gaps_have_the_mean_and_the_spread_of_an_exponential),
		cmocka_unit_test(streams_of_two_threads_differ),
		cmocka_unit_test(a_mean_of_one_takes_every_allocation),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
