/* Claims about tui/forecast.h: growth is told from pools that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tui/forecast.h"

#define SECOND INT64_C(1000000000)
#define MIB    INT64_C(1048576)

enum { ROUNDS = 121 };

static struct model_round rounds[ROUNDS];
static struct model_pool pool;
static struct model_pool_moment pool_now;
static struct model m;

/* Two minutes, a sample a second, of `start` MiB growing by `per_s`, with a pool of `wave` MiB that is there every other ten seconds. */
static struct model_moment make(double start, double per_s, double wave, enum model_state state)
{
	for (int i = 0; i < ROUNDS; i++) {
		double mib = start + per_s * i + (i / 10 % 2 ? wave : 0);

		rounds[i] =
			(struct model_round){.t_ns = i * SECOND, .total_bytes = (int64_t)mib * MIB};
	}
	m = (struct model){
		.rounds = rounds, .round_count = ROUNDS, .pools = &pool, .pool_count = 1};
	pool_now.state = state;
	return (struct model_moment){
		.t_ns = 120 * SECOND, .round = rounds[120], .pools = &pool_now};
}

static void steady_growth_meets_the_limit_when_it_does(void **state)
{
	struct model_moment now = make(1000, 10, 0, MODEL_DELIVERING);
	int64_t left = forecast_limit_ns(&m, &now, 2800 * MIB); /* 2200 now: 60 s */

	(void)state;
	assert_in_range(left / SECOND, 58, 62);
}

static void pools_that_come_and_go_are_no_growth(void **state)
{
	struct model_moment now = make(1000, 0, 500, MODEL_DELIVERING);

	(void)state;
	assert_int_equal(forecast_limit_ns(&m, &now, 2800 * MIB), MODEL_NONE);
}

static void growth_under_coming_and_going_pools_is_seen(void **state)
{
	struct model_moment now = make(1000, 10, 500, MODEL_DELIVERING);

	(void)state;
	assert_in_range(forecast_limit_ns(&m, &now, 4000 * MIB) / SECOND, 120, 240);
}

static void shrinking_is_no_growth(void **state)
{
	struct model_moment now = make(3000, -5, 0, MODEL_DELIVERING);

	(void)state;
	assert_int_equal(forecast_limit_ns(&m, &now, 4000 * MIB), MODEL_NONE);
}

static void what_is_more_than_an_hour_away_is_not_in_sight(void **state)
{
	struct model_moment now = make(1000, 1, 0, MODEL_DELIVERING);

	(void)state;
	assert_int_equal(forecast_limit_ns(&m, &now, 1120 * MIB + 4000 * MIB), MODEL_NONE);
}

static void a_pool_that_starts_is_no_growth(void **state)
{
	struct model_moment now = make(1000, 10, 0, MODEL_STARTING);

	(void)state;
	assert_int_equal(forecast_limit_ns(&m, &now, 2800 * MIB), MODEL_NONE);
}

static void nothing_is_foretold_in_the_first_minute_or_without_a_limit(void **state)
{
	struct model_moment now = make(1000, 10, 0, MODEL_DELIVERING);

	(void)state;
	assert_int_equal(forecast_limit_ns(&m, &now, MODEL_NONE), MODEL_NONE);
	now.t_ns = 59 * SECOND;
	assert_int_equal(forecast_limit_ns(&m, &now, 2800 * MIB), MODEL_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steady_growth_meets_the_limit_when_it_does),
		cmocka_unit_test(pools_that_come_and_go_are_no_growth),
		cmocka_unit_test(growth_under_coming_and_going_pools_is_seen),
		cmocka_unit_test(shrinking_is_no_growth),
		cmocka_unit_test(what_is_more_than_an_hour_away_is_not_in_sight),
		cmocka_unit_test(a_pool_that_starts_is_no_growth),
		cmocka_unit_test(nothing_is_foretold_in_the_first_minute_or_without_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
