/* Claims about profiler/view/chart_scale.h: labels stand where their value is, stacks add up, columns and moments agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/model/model.h"
#include "profiler/view/chart_scale.h"

#define GIB    (1024.0 * 1024 * 1024)
#define SECOND INT64_C(1000000000)

static int64_t gib(double n)
{
	return (int64_t)(n * GIB);
}

/* All labels from the top row down, divided by "|". */
static const char *labels(const struct chart_scale *scale, int rows)
{
	static char all[256];
	char one[FORMAT_MAX];

	*all = '\0';
	for (int row = rows - 1; row >= 0; row--) {
		chart_label(scale, rows, row, one);
		strcat(strcat(all, one), row ? "|" : "");
	}
	return all;
}

static void the_limit_is_always_labelled_and_round_values_below(void **state)
{
	struct chart_scale low = chart_scale_for(gib(26.0), gib(28)),
			   high = chart_scale_for(gib(26.4), gib(28));

	(void)state;
	assert_string_equal(labels(&low, 9), "28||20|||10|||0");
	assert_string_equal(labels(&high, 20), "|28|||||20|||||||10||||||0");
}

static void a_far_limit_leaves_the_chart(void **state)
{
	struct chart_scale scale = chart_scale_for(gib(6.9), gib(28));

	(void)state;
	assert_int_equal(scale.limit_bytes, MODEL_NONE);
	assert_string_equal(labels(&scale, 10), "8||||4|||||0");
}

static void no_limit_is_no_trouble(void **state)
{
	struct chart_scale scale = chart_scale_for(gib(0.2), MODEL_NONE),
			   empty = chart_scale_for(0, MODEL_NONE);

	(void)state;
	assert_int_equal(scale.unit, FORMAT_MIB);
	assert_string_equal(labels(&scale, 6), "300|200||100||0");
	scale = chart_scale_for(gib(0.57), MODEL_NONE);
	assert_string_equal(labels(&scale, 6), "600|400||200||0");
	scale = chart_scale_for(gib(3.5), MODEL_NONE);
	assert_string_equal(labels(&scale, 6), "4||2|||0");
	assert_true(empty.top_bytes > 0);
}

static void stacks_round_as_a_whole(void **state)
{
	struct chart_scale scale = chart_scale_for(gib(26), gib(28)); /* 3.33 GiB a row */
	int64_t layers[] = {gib(7), gib(1.5), gib(1.5), gib(16)};
	int ends[4];

	(void)state;
	chart_stack(&scale, 9, layers, 4, 3, ends);
	assert_int_equal(ends[0], 2);
	assert_int_equal(ends[1], 3);
	assert_int_equal(ends[2], 3);
	assert_int_equal(ends[3], 8);
}

static void held_idle_never_rounds_to_nothing(void **state)
{
	struct chart_scale scale = chart_scale_for(gib(26), gib(28));
	int64_t little[] = {gib(7), gib(0.1), gib(0)}, none[] = {gib(7), 0, 0},
		top[] = {gib(30), gib(0.1), 0};
	int ends[3];

	(void)state;
	chart_stack(&scale, 9, little, 3, 1, ends);
	assert_int_equal(ends[0], 1);
	assert_int_equal(ends[1], 2);
	assert_int_equal(ends[2], 2);
	chart_stack(&scale, 9, none, 3, 1, ends);
	assert_int_equal(ends[2], ends[0]);
	chart_stack(&scale, 9, top, 3, 1, ends);
	assert_int_equal(ends[0], 8);
	assert_int_equal(ends[2], 9);
}

static void columns_and_moments_agree(void **state)
{
	struct chart_span span = {7 * SECOND, 1138 * SECOND + 11, 115};

	(void)state;
	for (int column = 0; column < span.columns; column++) {
		assert_int_equal(chart_column(&span, chart_column_ns(&span, column)), column);
		assert_int_equal(chart_column(&span, chart_column_ns(&span, column + 1) - 1),
				 column);
	}
	assert_int_equal(chart_column(&span, span.end_ns), 115);
	assert_true(chart_column(&span, 0) < 0);
}

static void ticks_are_round_and_leave_room_for_labels(void **state)
{
	struct chart_span twenty_minutes = {0, 1131 * SECOND, 115}, day = {0, 90000 * SECOND, 75},
			  blink = {0, SECOND, 75};

	(void)state;
	assert_int_equal(chart_tick_ns(&twenty_minutes), 120 * SECOND);
	assert_int_equal(chart_tick_ns(&day), 14400 * SECOND);
	assert_int_equal(chart_tick_ns(&blink), SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_limit_is_always_labelled_and_round_values_below),
		cmocka_unit_test(a_far_limit_leaves_the_chart),
		cmocka_unit_test(no_limit_is_no_trouble),
		cmocka_unit_test(stacks_round_as_a_whole),
		cmocka_unit_test(held_idle_never_rounds_to_nothing),
		cmocka_unit_test(columns_and_moments_agree),
		cmocka_unit_test(ticks_are_round_and_leave_room_for_labels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
