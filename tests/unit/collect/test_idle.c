/* Claims about profiler/collect/idle.h: figures as they were measured in workers, once a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiler/collect/idle.h"

#define S INT64_C(1000000000)

/* Runs a worker for `seconds`; every second adds what `step` says. How often it was seen to work. */
static int watch(int seconds, void (*step)(struct idle_sight *, int second))
{
	struct idle_worker w = {0};
	struct idle_sight now = {.wait = IDLE_WAIT_POLL};
	int works = 0;

	for (int second = 1; second <= seconds; second++) {
		now.t_ns = second * S;
		step(&now, second);
		works += idle_worker_see(&w, &now);
	}
	return works;
}

static void time_outs(struct idle_sight *now, int second)
{
	now->switches += second % 5 == 0;
	now->ticks += second % 20 == 0;
	now->minor_faults += second == 5 ? 6 : 0;
}

static void delivers(struct idle_sight *now, int second)
{
	(void)second;
	now->switches += 35;
	now->ticks += 5;
}

static void computes(struct idle_sight *now, int second)
{
	(void)second;
	now->ticks += 100;
}

static void sleeps(struct idle_sight *now, int second)
{
	(void)second;
	now->wait = IDLE_WAIT_OTHER;
}

static void polls_a_socket(struct idle_sight *now, int second)
{
	now->switches += second % 5 < 4;
	now->ticks += second % 2;
}

static void unseen_time_outs(struct idle_sight *now, int second)
{
	now->wait = IDLE_WAIT_UNKNOWN;
	time_outs(now, second);
}

static void time_outs_are_no_work(void **state)
{
	(void)state;
	assert_int_equal(watch(60, time_outs), 0);
	assert_int_equal(watch(60, unseen_time_outs), 0);
}

static void work_is_seen_by_switches_ticks_or_what_it_waits_in(void **state)
{
	(void)state;
	assert_int_equal(watch(20, delivers), 19); /* the first sight says nothing */
	assert_int_equal(watch(20, computes), 19);
	assert_int_equal(watch(20, sleeps), 19);
	assert_true(watch(20, polls_a_socket) >= 15);
}

static void a_pool_is_idle_after_ten_seconds(void **state)
{
	struct idle_pool p = {0};

	(void)state;
	for (int second = 1; second <= 30; second++)
		idle_pool_works(&p, second * S, 0);
	assert_false(idle_pool_is_idle(&p, 39 * S));
	assert_true(idle_pool_is_idle(&p, 40 * S));
}

/* One that pauses for 8 s between batches is idle after 24 s only. */
static void a_pool_that_pauses_is_given_three_times_its_pause(void **state)
{
	struct idle_pool p = {0};

	(void)state;
	idle_pool_works(&p, 8 * S, 0);
	idle_pool_works(&p, 16 * S, 0);
	assert_false(idle_pool_is_idle(&p, 39 * S));
	assert_true(idle_pool_is_idle(&p, 40 * S));
}

/* An hour of validation is no pause of the training. */
static void a_pause_known_as_idle_does_not_count(void **state)
{
	struct idle_pool p = {0};

	(void)state;
	idle_pool_works(&p, S, 0);
	idle_pool_works(&p, 3600 * S, 1);
	assert_true(idle_pool_is_idle(&p, 3610 * S));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_outs_are_no_work),
		cmocka_unit_test(work_is_seen_by_switches_ticks_or_what_it_waits_in),
		cmocka_unit_test(a_pool_is_idle_after_ten_seconds),
		cmocka_unit_test(a_pool_that_pauses_is_given_three_times_its_pause),
		cmocka_unit_test(a_pause_known_as_idle_does_not_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
