/* Claims about profiler/collect/idle.h: figures as they were measured in workers, once a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiler/collect/idle.h"

#define S INT64_C(1000000000)

typedef void step_fn(struct idle_sight *, int64_t second);

/* Looks at a worker every `apart_s` for a minute and a half; for every second `step` adds what it
 * says. How many looks in a row saw no work, at most. */
static int longest_rest_s(int apart_s, step_fn *step)
{
	struct idle_worker w = {0};
	struct idle_sight now = {.wait = IDLE_WAIT_POLL};
	int rest_s = 0, longest_s = 0;

	for (int64_t second = 1; second <= 90; second++) {
		step(&now, second);
		now.t_ns = second * S;
		if (second % apart_s)
			continue;
		rest_s = idle_worker_see(&w, &now) ? 0 : rest_s + apart_s;
		longest_s = rest_s > longest_s ? rest_s : longest_s;
	}
	return longest_s;
}

#define assert_never_works(step) assert_int_equal(longest_rest_s(1, step), 90)
/* far from the ten seconds that a pool is given */
#define assert_seen_to_work(step) assert_true(longest_rest_s(1, step) <= 6)

static void time_outs(struct idle_sight *now, int64_t second)
{
	now->switches += second % 5 == 0;
	now->ticks += second % 20 == 0;
	now->minor_faults += second == 5 ? 6 : 0;
}

static void unseen_time_outs(struct idle_sight *now, int64_t second)
{
	now->wait = IDLE_WAIT_UNKNOWN;
	time_outs(now, second);
}

/* As measured: the workers of a pool time out together and one waits for the other. */
static void time_outs_of_many(struct idle_sight *now, int64_t second)
{
	now->switches += second % 5 == 0 ? 1 + second % 4 : 0;
	now->minor_faults += second == 5 ? 5 : 0;
}

/* The look falls into the time-out: it runs or waits for the lock, and sleeps a little later. */
static void time_outs_cut_in_two(struct idle_sight *now, int64_t second)
{
	now->switches += second % 5 == 0 || second % 5 == 1;
	now->ticks += second % 5 == 0;
	now->wait = second % 10 == 0  ? IDLE_WAIT_UNKNOWN
		    : second % 5 == 0 ? IDLE_WAIT_OTHER
				      : IDLE_WAIT_POLL;
}

/* Both halves of the ticks step at once, and pages that were taken away come back. */
static void time_outs_of_a_machine_in_need(struct idle_sight *now, int64_t second)
{
	now->switches += second % 6 == 0 ? 5 : 0;
	now->ticks += second % 6 == 0 ? 2 : 0;
	now->minor_faults += second % 6 == 0 ? 300 : 0;
}

static void delivers(struct idle_sight *now, int64_t second)
{
	(void)second;
	now->switches += 35;
	now->ticks += 5;
}

static void computes(struct idle_sight *now, int64_t second)
{
	(void)second;
	now->ticks += 100;
	now->wait = IDLE_WAIT_UNKNOWN;
}

static void sleeps(struct idle_sight *now, int64_t second)
{
	(void)second;
	now->wait = IDLE_WAIT_OTHER;
}

static void polls_a_socket(struct idle_sight *now, int64_t second)
{
	now->switches += second % 5 < 4;
	now->ticks += second % 2;
}

static void has_a_short_item_every_third_second(struct idle_sight *now, int64_t second)
{
	now->switches += second % 3 == 0 ? 2 : 0;
}

static void time_outs_are_no_work(void **state)
{
	(void)state;
	assert_never_works(time_outs);
	assert_never_works(unseen_time_outs);
	assert_never_works(time_outs_of_many);
	assert_never_works(time_outs_cut_in_two);
	assert_never_works(time_outs_of_a_machine_in_need);
	assert_int_equal(longest_rest_s(5, time_outs_of_many), 90);
	assert_int_equal(longest_rest_s(2, time_outs_of_many), 90);
}

static void work_is_seen_by_switches_ticks_or_what_it_waits_in(void **state)
{
	(void)state;
	assert_seen_to_work(delivers);
	assert_seen_to_work(computes);
	assert_seen_to_work(sleeps);
}

static void work_that_looks_like_time_outs_comes_too_often(void **state)
{
	(void)state;
	assert_seen_to_work(polls_a_socket);
	assert_seen_to_work(has_a_short_item_every_third_second);
}

/* From the last look at a train worker that ended its work just after it, as measured. */
static void the_end_of_the_work_is_work_and_its_first_time_out_is_not(void **state)
{
	const struct idle_sight sights[] = {
		{.t_ns = 1 * S, .switches = 100}, {.t_ns = 2 * S, .switches = 188},
		{.t_ns = 3 * S, .switches = 191}, {.t_ns = 7 * S, .switches = 191},
		{.t_ns = 8 * S, .switches = 193},
	};
	const int works[] = {0, 1, 1, 0, 0};
	struct idle_worker w = {0};

	(void)state;
	for (int i = 0; i < 5; i++)
		assert_int_equal(idle_worker_see(&w, &sights[i]), works[i]);
}

static void a_pool_is_idle_after_ten_seconds(void **state)
{
	struct idle_pool p = {0};

	(void)state;
	for (int second = 1; second <= 39; second++)
		idle_pool_look(&p, second * S, second <= 30, 1);
	assert_false(idle_pool_is_idle(&p, 39 * S));
	assert_true(idle_pool_is_idle(&p, 40 * S));
}

/* One that pauses for 8 s between batches is idle after 24 s only. */
static void a_pool_that_pauses_is_given_three_times_its_pause(void **state)
{
	struct idle_pool p = {0};

	(void)state;
	for (int second = 1; second <= 16; second++)
		idle_pool_look(&p, second * S, second % 8 == 0, 1);
	assert_false(idle_pool_is_idle(&p, 39 * S));
	assert_true(idle_pool_is_idle(&p, 40 * S));
}

/* An hour of validation is no pause of the training, and none is what it took to start. */
static void only_a_pause_in_use_counts(void **state)
{
	struct idle_pool p = {0};

	(void)state;
	idle_pool_look(&p, S, 1, 1);
	idle_pool_look(&p, 2 * S, 0, 1);
	idle_pool_look(&p, 3600 * S, 1, 0);
	assert_true(idle_pool_is_idle(&p, 3610 * S));
}

/* A collector that has little time to look sees work at every look. */
static void rare_looks_are_no_pauses(void **state)
{
	struct idle_pool p = {0};

	(void)state;
	for (int second = 5; second <= 50; second += 5)
		idle_pool_look(&p, second * S, 1, 1);
	assert_true(idle_pool_is_idle(&p, 60 * S));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_outs_are_no_work),
		cmocka_unit_test(work_is_seen_by_switches_ticks_or_what_it_waits_in),
		cmocka_unit_test(work_that_looks_like_time_outs_comes_too_often),
		cmocka_unit_test(the_end_of_the_work_is_work_and_its_first_time_out_is_not),
		cmocka_unit_test(a_pool_is_idle_after_ten_seconds),
		cmocka_unit_test(a_pool_that_pauses_is_given_three_times_its_pause),
		cmocka_unit_test(only_a_pause_in_use_counts),
		cmocka_unit_test(rare_looks_are_no_pauses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
