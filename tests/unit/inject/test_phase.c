/*
 * The stage of the loop: the innermost phase that was named, else of the pool that delivers; between two the earlier one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "inject/phase.h"

static int setup(void **state)
{
	(void)state;
	phase_forked();
	return 0;
}

static uint32_t stage(enum loopmem_stage of)
{
	return 1 + (uint32_t)of;
}

static void a_process_without_phases_has_no_stage(void **state)
{
	(void)state;
	assert_int_equal(phase_stage(), 0);
	assert_int_equal(phase_edges(), 0);
	phase_leave();
	assert_int_equal(phase_edges(), 0);
}

static void the_pool_that_delivers_says_the_stage_and_each_change_is_an_edge(void **state)
{
	(void)state;
	phase_delivers(LOOPMEM_STAGE_TRAIN);
	assert_int_equal(phase_stage(), stage(LOOPMEM_STAGE_TRAIN));
	phase_delivers(LOOPMEM_STAGE_VALIDATE);
	assert_int_equal(phase_stage(), stage(LOOPMEM_STAGE_VALIDATE));
	assert_int_equal(phase_edges(), 2);
}

static void a_named_phase_comes_before_the_pools(void **state)
{
	(void)state;
	phase_delivers(LOOPMEM_STAGE_TRAIN);
	phase_enter(LOOPMEM_STAGE_TEST);
	phase_delivers(LOOPMEM_STAGE_VALIDATE);
	assert_int_equal(phase_stage(), stage(LOOPMEM_STAGE_TEST));
	phase_leave();
	assert_int_equal(phase_stage(), stage(LOOPMEM_STAGE_VALIDATE));
}

static void between_two_named_phases_the_earlier_one_goes_on(void **state)
{
	(void)state;
	phase_enter(LOOPMEM_STAGE_TRAIN);
	phase_leave();
	assert_int_equal(phase_stage(), stage(LOOPMEM_STAGE_TRAIN));
	assert_int_equal(phase_edges(), 2);
}

static void phases_nest_deeper_than_they_are_remembered(void **state)
{
	(void)state;
	phase_enter(LOOPMEM_STAGE_TRAIN);
	for (int i = 0; i < 100; i++)
		phase_enter(LOOPMEM_STAGE_VALIDATE);
	assert_int_equal(phase_stage(), stage(LOOPMEM_STAGE_VALIDATE));
	for (int i = 0; i < 100; i++)
		phase_leave();
	assert_int_equal(phase_stage(), stage(LOOPMEM_STAGE_TRAIN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_process_without_phases_has_no_stage, setup),
		cmocka_unit_test_setup(
			the_pool_that_delivers_says_the_stage_and_each_change_is_an_edge, setup),
		cmocka_unit_test_setup(a_named_phase_comes_before_the_pools, setup),
		cmocka_unit_test_setup(between_two_named_phases_the_earlier_one_goes_on, setup),
		cmocka_unit_test_setup(phases_nest_deeper_than_they_are_remembered, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
