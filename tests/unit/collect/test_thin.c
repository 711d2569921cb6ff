/* Claims about profiler/collect/thin.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiler/collect/thin.h"

#define S   INT64_C(1000000000)
#define MIN (60 * S)

static void the_last_quarter_of_an_hour_stays_whole(void **state)
{
	struct thinning t = {.max_bytes = THIN_DEFAULT_MAX_BYTES};
	struct thin_step steps[THIN_STEPS];

	(void)state;
	assert_int_equal(thin_due(&t, 10 * MIN, 1 << 20, steps), 0);
	assert_int_equal(thin_due(&t, 20 * MIN, 1 << 20, steps), 1);
	assert_int_equal(steps[0].before_ns, 5 * MIN);
	assert_int_equal(steps[0].span_ns, S);
}

static void old_rows_become_longer_spans_than_recent_ones(void **state)
{
	struct thinning t = {.max_bytes = THIN_DEFAULT_MAX_BYTES};
	struct thin_step steps[THIN_STEPS];

	(void)state;
	assert_int_equal(thin_due(&t, 180 * MIN, 1 << 20, steps), 2);
	assert_true(steps[0].before_ns < steps[1].before_ns);
	assert_true(steps[0].span_ns > steps[1].span_ns);
}

static void it_is_done_once_a_minute(void **state)
{
	struct thinning t = {.max_bytes = THIN_DEFAULT_MAX_BYTES};
	struct thin_step steps[THIN_STEPS];
	int done = 0;

	(void)state;
	for (int64_t now = 20 * MIN; now < 30 * MIN; now += S)
		done += thin_due(&t, now, 1 << 20, steps) > 0;
	assert_in_range(done, 9, 10);
}

static void near_the_limit_more_is_given_up_each_time(void **state)
{
	struct thinning t = {.max_bytes = 10 << 20};
	struct thin_step steps[THIN_STEPS], before;

	(void)state;
	assert_true(thin_due(&t, 200 * MIN, 9 << 20, steps) > 0);
	before = steps[0];
	assert_true(thin_due(&t, 200 * MIN + 5 * S, 9 << 20, steps) > 0);
	assert_true(steps[0].before_ns > before.before_ns);
	assert_true(steps[0].span_ns > before.span_ns);
	for (int i = 2; i < 100; i++)
		thin_due(&t, 200 * MIN + i * 5 * S, 9 << 20, steps);
	/* but never all: the last half minute stays */
	assert_true(steps[1].before_ns <= 200 * MIN + 99 * 5 * S - 30 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_quarter_of_an_hour_stays_whole),
		cmocka_unit_test(old_rows_become_longer_spans_than_recent_ones),
		cmocka_unit_test(it_is_done_once_a_minute),
		cmocka_unit_test(near_the_limit_more_is_given_up_each_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
