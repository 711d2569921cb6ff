/* Claims about profiler/collect/schedule.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiler/collect/schedule.h"

#define MS  INT64_C(1000000)
#define S   INT64_C(1000000000)
#define MIB INT64_C(1048576)

static void a_walk_of_one_gib_is_expected_to_take_five_milliseconds(void **state)
{
	(void)state;
	assert_in_range(walk_expected_ns(1024 * MIB), 4 * MS, 6 * MS);
	assert_in_range(walk_expected_ns(0), 20000, 40000);
	assert_true(walk_is_cheap(walk_expected_ns(40 * MIB)));
	assert_false(walk_is_cheap(walk_expected_ns(100 * MIB)));
}

static void a_regular_walk_waits_a_second_or_200_times_its_length(void **state)
{
	struct walk_pace p = {0};

	(void)state;
	assert_true(walk_allowed(&p, 0, WALK_REGULAR));
	walk_done(&p, 10 * S, MS, 200 * MIB); /* 1 ms: the second decides */
	assert_false(walk_allowed(&p, 10 * S + 999 * MS, WALK_REGULAR));
	assert_true(walk_allowed(&p, 11 * S, WALK_REGULAR));
	walk_done(&p, 20 * S, 20 * MS, 4096 * MIB); /* 20 ms: 4 s */
	assert_false(walk_allowed(&p, 24 * S - 1, WALK_REGULAR));
	assert_true(walk_allowed(&p, 24 * S, WALK_REGULAR));
}

/* Whatever the edges, a process is walked for at most 1/200 of the time in the long run. */
static void edges_borrow_but_pay_back(void **state)
{
	struct walk_pace p = {0};
	int64_t walked_ns = 0, at_once = 0;

	(void)state;
	for (int64_t t = S; t < 101 * S; t += 20 * MS) {
		if (!walk_allowed(&p, t, WALK_EDGE))
			continue;
		walk_done(&p, t, 5 * MS, 1024 * MIB);
		walked_ns += 5 * MS;
		at_once += t < 2 * S;
	}
	assert_in_range(at_once, 3, 6);
	assert_in_range(walked_ns, 90 * S / 200, 110 * S / 200);
}

static void a_busy_target_is_walked_half_as_often(void **state)
{
	struct walk_pace p = {0};

	(void)state;
	walk_done(&p, 0, 50 * MS, 1024 * MIB); /* ten times what it should take */
	assert_true(p.busy);
	assert_false(walk_allowed(&p, 15 * S, WALK_REGULAR));
	assert_true(walk_allowed(&p, 20 * S, WALK_REGULAR));
}

static void little_change_is_not_worth_a_walk(void **state)
{
	(void)state;
	assert_false(walk_worthwhile(0, 100 * MIB));
	assert_false(walk_worthwhile(MIB - 1, 50 * MIB));
	assert_true(walk_worthwhile(MIB, 50 * MIB));
	assert_true(walk_worthwhile(-4 * MIB, 100000 * MIB));
	assert_false(walk_worthwhile(40000, 1000000)); /* 4 %, of next to nothing */
}

static void signs_that_meant_nothing_wait_longer(void **state)
{
	struct walk_pace p = {0};

	(void)state;
	walk_done(&p, 0, MS, 200 * MIB);
	assert_true(walk_looks_again(&p, S));
	for (int seconds = 2; seconds <= 8; seconds *= 2) {
		walk_found(&p, MIB, 200 * MIB);
		assert_false(walk_looks_again(&p, seconds * S - 1));
		assert_true(walk_looks_again(&p, seconds * S));
	}
	walk_found(&p, 0, 200 * MIB);
	assert_true(walk_looks_again(&p, 8 * S));
	walk_found(&p, 5 * MIB, 200 * MIB);
	assert_true(walk_looks_again(&p, S));
}

static void the_budget_refills_at_8_ms_a_second_less_what_was_used(void **state)
{
	struct budget b;

	(void)state;
	budget_start(&b, 0, 0);
	assert_true(budget_allows(&b, 40 * MS, WALK_REGULAR));
	assert_false(budget_allows(&b, 41 * MS, WALK_REGULAR));
	budget_update(&b, 0, 40 * MS); /* all used */
	assert_false(budget_allows(&b, MS, WALK_REGULAR));
	assert_true(budget_allows(&b, 20 * MS, WALK_EDGE)); /* on credit */
	assert_false(budget_allows(&b, 21 * MS, WALK_EDGE));
	budget_update(&b, S, 43 * MS);
	assert_true(budget_allows(&b, 5 * MS, WALK_REGULAR));
	assert_false(budget_allows(&b, 5 * MS + 1, WALK_REGULAR));
	budget_update(&b, 1000 * S, 43 * MS);
	assert_false(
		budget_allows(&b, 41 * MS, WALK_REGULAR)); /* nothing is saved beyond the cap */
}

static void debt_has_a_floor(void **state)
{
	struct budget b;

	(void)state;
	budget_start(&b, 0, 0);
	budget_update(&b, 0, 100 * S);
	assert_false(budget_allows(&b, 1, WALK_EDGE));
	budget_update(&b, 11 * S, 100 * S); /* 88 ms later it is full again */
	assert_true(budget_allows(&b, 40 * MS, WALK_REGULAR));
}

static void rates_fall_with_the_cost(void **state)
{
	struct rates r = rates_for(0, 0, 0);

	(void)state;
	assert_int_equal(r.round_ns, 100 * MS);
	assert_int_equal(r.detail_ns, S);
	assert_int_equal(r.shm_ns, S);
	r = rates_for(300000, 3 * MS / 2, MS / 2); /* just affordable */
	assert_int_equal(r.round_ns, 100 * MS);
	assert_int_equal(r.detail_ns, S);
	assert_int_equal(r.shm_ns, S);
	r = rates_for(301000, 3 * MS / 2 + 2000, MS / 2 + 1);
	assert_int_equal(r.round_ns, 200 * MS);
	assert_int_equal(r.detail_ns, 2 * S);
	assert_int_equal(r.shm_ns, 2 * S);
	r = rates_for(S, S, S);
	assert_int_equal(r.round_ns, S);
	assert_int_equal(r.detail_ns, 5 * S);
	assert_int_equal(r.shm_ns, 60 * S);
}

static void representatives_take_turns(void **state)
{
	int seen[20] = {0};

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_true(is_representative(i, 8, 5));
	for (unsigned turn = 0; turn < 10; turn++) {
		int now = 0;

		for (int i = 0; i < 20; i++) {
			int stands = is_representative(i, 20, turn);

			now += stands;
			seen[i] += stands;
		}
		assert_int_equal(now, POOL_REPRESENTATIVES);
	}
	for (int i = 0; i < 20; i++)
		assert_int_equal(seen[i], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_of_one_gib_is_expected_to_take_five_milliseconds),
		cmocka_unit_test(a_regular_walk_waits_a_second_or_200_times_its_length),
		cmocka_unit_test(edges_borrow_but_pay_back),
		cmocka_unit_test(a_busy_target_is_walked_half_as_often),
		cmocka_unit_test(little_change_is_not_worth_a_walk),
		cmocka_unit_test(signs_that_meant_nothing_wait_longer),
		cmocka_unit_test(the_budget_refills_at_8_ms_a_second_less_what_was_used),
		cmocka_unit_test(debt_has_a_floor),
		cmocka_unit_test(rates_fall_with_the_cost),
		cmocka_unit_test(representatives_take_turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
