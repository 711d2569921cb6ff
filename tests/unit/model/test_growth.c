/* Claims about profiler/model/growth.h: what is growth, and what only looks like it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiler/model/growth.h"

enum { SECONDS = 80 };

static const struct growth_stretch whole = {0, INT64_C(80000000000)};

/* The shape of a figure that is value[i] at second i. */
static enum growth_shape shape_of(double (*value)(int second))
{
	struct growth g;

	growth_begin(&g, &whole, 1, 8);
	for (int i = 0; i < SECONDS; i++)
		growth_add(&g, i * INT64_C(1000000000), value(i));
	return growth_shape(&g, 50);
}

static double steady(int s)
{
	return 100 + 3 * s;
}

static double steady_with_garbage(int s)
{
	return 100 + 3 * s + 40 * (s % 5);
}

static double levels_off(int s)
{
	return s < 40 ? 100 + 5 * s : 300;
}

static double starts_up(int s)
{
	return s < 8 ? 20 + 60 * s : 500;
}

static double one_step(int s)
{
	return s < 45 ? 100 : 400;
}

static double one_late_step(int s)
{
	return s < 75 ? 100 : 400;
}

static double comes_and_goes(int s)
{
	return 100 + 200 * ((s / 10) % 2);
}

static double falls(int s)
{
	return 500 - 3 * s;
}

static double little(int s)
{
	return 100 + 0.5 * s;
}

static double runs_away(int s)
{
	return 100 + (s < 60 ? 0 : (s - 60) * (s - 60));
}

static void what_rises_all_along_is_steady(void **state)
{
	(void)state;
	assert_int_equal(shape_of(steady), GROWTH_STEADY);
	assert_int_equal(shape_of(steady_with_garbage), GROWTH_STEADY);
}

static void what_stops_levels_off(void **state)
{
	(void)state;
	assert_int_equal(shape_of(levels_off), GROWTH_LEVELS);
}

static void what_only_looks_like_growth_is_none(void **state)
{
	(void)state;
	assert_int_equal(shape_of(starts_up), GROWTH_NONE);
	assert_int_equal(shape_of(one_step), GROWTH_NONE);
	assert_int_equal(shape_of(one_late_step), GROWTH_NONE);
	assert_int_equal(shape_of(comes_and_goes), GROWTH_NONE);
	assert_int_equal(shape_of(falls), GROWTH_NONE);
	assert_int_equal(shape_of(little), GROWTH_NONE);
	assert_int_equal(shape_of(runs_away), GROWTH_NONE);
}

/* Two stretches of 20 s with a pause of 100 s in which the figure is elsewhere. */
static void stretches_are_laid_end_to_end(void **state)
{
	const int64_t second = INT64_C(1000000000);
	const struct growth_stretch two[] = {{10 * second, 30 * second},
					     {130 * second, 150 * second}};
	struct growth g;

	(void)state;
	growth_begin(&g, two, 2, 8);
	for (int i = 0; i < 200; i++) {
		int worked = i < 10 ? 0 : i < 30 ? i - 10 : i < 130 ? 20 : i < 150 ? i - 110 : 40;

		growth_add(&g, i * second, i >= 30 && i < 130 ? 9999 : 10.0 * worked);
	}
	assert_int_equal(growth_shape(&g, 50), GROWTH_STEADY);
	assert_float_equal(growth_rise(&g), 300, 0.01);
	assert_float_equal(g.first, 0, 0.01);
	assert_float_equal(g.last, 390, 0.01);
}

static void a_window_without_a_value_is_no_proof(void **state)
{
	struct growth g;

	(void)state;
	growth_begin(&g, &whole, 1, 8);
	for (int i = 0; i < SECONDS; i++)
		if (i < 50 || i >= 60)
			growth_add(&g, i * INT64_C(1000000000), steady(i));
	assert_int_equal(growth_shape(&g, 50), GROWTH_NONE);
}

static void figures_of_the_same_time_are_summed(void **state)
{
	struct growth a, b;

	(void)state;
	growth_begin(&a, &whole, 1, 8);
	growth_begin(&b, &whole, 1, 8);
	for (int i = 0; i < SECONDS; i++) {
		growth_add(&a, i * INT64_C(1000000000), steady(i));
		growth_add(&b, i * INT64_C(1000000000), 1000);
	}
	growth_sum(&a, &b);
	assert_int_equal(growth_shape(&a, 50), GROWTH_STEADY);
	assert_float_equal(growth_rise(&a), 180, 0.01);
	assert_float_equal(a.first, 1100, 0.01);
}

static void what_is_seen_seldom_is_not_dense(void **state)
{
	struct growth often, seldom;

	(void)state;
	growth_begin(&often, &whole, 1, 8);
	growth_begin(&seldom, &whole, 1, 8);
	for (int i = 0; i < SECONDS; i++) {
		growth_add(&often, i * INT64_C(1000000000), steady(i));
		if (i % 10 < 8 && i != 25)
			growth_add(&seldom, i * INT64_C(1000000000), steady(i));
	}
	assert_true(growth_is_dense(&often));
	assert_false(growth_is_dense(&seldom));
	growth_sum(&often, &seldom);
	assert_false(growth_is_dense(&often));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_rises_all_along_is_steady),
		cmocka_unit_test(what_stops_levels_off),
		cmocka_unit_test(what_only_looks_like_growth_is_none),
		cmocka_unit_test(stretches_are_laid_end_to_end),
		cmocka_unit_test(a_window_without_a_value_is_no_proof),
		cmocka_unit_test(figures_of_the_same_time_are_summed),
		cmocka_unit_test(what_is_seen_seldom_is_not_dense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
