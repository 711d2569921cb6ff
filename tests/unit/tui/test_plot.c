/* Claims about tui/plot.h: labels stand where their value is, stacks add up, phases keep their start. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tui/plot.h"

#define GIB    (1024.0 * 1024 * 1024)
#define SECOND INT64_C(1000000000)

static int64_t gib(double n)
{
	return (int64_t)(n * GIB);
}

/* All labels from the top row down, divided by "|". */
static const char *labels(const struct plot_scale *scale)
{
	static char all[256];
	char one[FORMAT_MAX];

	*all = '\0';
	for (int row = scale->rows - 1; row >= 0; row--) {
		plot_label(scale, row, one);
		strcat(strcat(all, one), row ? "|" : "");
	}
	return all;
}

static void the_limit_is_always_labelled_and_round_values_below(void **state)
{
	struct plot_scale low = plot_scale(gib(26.0), gib(28), 9),
			  high = plot_scale(gib(26.4), gib(28), 20);

	(void)state;
	assert_string_equal(labels(&low), "28||20|||10|||0");
	assert_string_equal(labels(&high), "|28|||||20|||||||10||||||0");
}

static void a_far_limit_leaves_the_chart(void **state)
{
	struct plot_scale scale = plot_scale(gib(6.9), gib(28), 10);

	(void)state;
	assert_int_equal(scale.limit_bytes, MODEL_NONE);
	assert_string_equal(labels(&scale), "||||5|||||0");
}

static void no_limit_is_no_trouble(void **state)
{
	struct plot_scale scale = plot_scale(gib(0.2), MODEL_NONE, 6),
			  empty = plot_scale(0, MODEL_NONE, 6);

	(void)state;
	assert_int_equal(scale.unit, FORMAT_MIB);
	assert_string_equal(labels(&scale), "|200||100||0");
	assert_true(empty.top_bytes > 0);
}

static void stacks_round_as_a_whole(void **state)
{
	struct plot_scale scale = plot_scale(gib(26), gib(28), 9); /* 3.33 GiB a row */
	int64_t layers[] = {gib(7), gib(1.5), gib(1.5), gib(16)};
	int ends[4];

	(void)state;
	plot_stack(&scale, layers, 4, 3, ends);
	assert_int_equal(ends[0], 2);
	assert_int_equal(ends[1], 3);
	assert_int_equal(ends[2], 3);
	assert_int_equal(ends[3], 8);
}

static void held_idle_never_rounds_to_nothing(void **state)
{
	struct plot_scale scale = plot_scale(gib(26), gib(28), 9);
	int64_t little[] = {gib(7), gib(0.1), gib(0)}, none[] = {gib(7), 0, 0},
		top[] = {gib(30), gib(0.1), 0};
	int ends[3];

	(void)state;
	plot_stack(&scale, little, 3, 1, ends);
	assert_int_equal(ends[1], ends[0] + 1);
	assert_int_equal(ends[2], ends[1]);
	plot_stack(&scale, none, 3, 1, ends);
	assert_int_equal(ends[2], ends[0]);
	plot_stack(&scale, top, 3, 1, ends);
	assert_int_equal(ends[0], 8);
	assert_int_equal(ends[2], 9);
}

static void columns_and_moments_agree(void **state)
{
	struct plot_span span = {7 * SECOND, 1138 * SECOND + 11, 115};

	(void)state;
	for (int column = 0; column < span.columns; column++) {
		assert_int_equal(plot_column(&span, plot_column_ns(&span, column)), column);
		assert_int_equal(plot_column(&span, plot_column_ns(&span, column + 1) - 1), column);
	}
	assert_int_equal(plot_column(&span, span.end_ns), 115);
	assert_true(plot_column(&span, 0) < 0);
}

static void ticks_are_round_and_leave_room_for_labels(void **state)
{
	struct plot_span twenty_minutes = {0, 1131 * SECOND, 115}, day = {0, 90000 * SECOND, 75},
			 blink = {0, SECOND, 75};

	(void)state;
	assert_int_equal(plot_tick_ns(&twenty_minutes, 10), 120 * SECOND);
	assert_int_equal(plot_tick_ns(&day, 10), 14400 * SECOND);
	assert_int_equal(plot_tick_ns(&blink, 10), SECOND);
}

static const char *band(const struct model_phase *phases, size_t count, struct plot_span span)
{
	static char text[256];
	struct model m = {.phases = (struct model_phase *)phases,
			  .phase_count = count,
			  .last_ns = 1131 * SECOND};
	wchar_t out[80];
	char *to = text;

	plot_band(&m, &span, -1, out);
	for (int x = 0; x < span.columns; x++)
		*to++ = out[x] == 0x2502   ? '|'
			: out[x] == 0x2550 ? '='
			: out[x] == 0x2500 ? '-'
					   : (char)out[x];
	*to = '\0';
	return text;
}

static void phases_keep_their_start_and_as_much_name_as_fits(void **state)
{
	struct model_phase phases[] = {
		{.stage = MODEL_STAGE_SANITY, .epoch = MODEL_NONE, .start_ns = 0, .end_ns = SECOND},
		{.stage = MODEL_STAGE_TRAIN,
		 .name = "train e0",
		 .start_ns = SECOND,
		 .end_ns = 20 * SECOND},
		{.stage = MODEL_STAGE_VALIDATE,
		 .name = "validate e0",
		 .start_ns = 20 * SECOND,
		 .end_ns = 26 * SECOND},
		{.between = 1, .start_ns = 26 * SECOND, .end_ns = 28 * SECOND},
		{.stage = MODEL_STAGE_TRAIN,
		 .epoch = 1,
		 .start_ns = 28 * SECOND,
		 .end_ns = 35 * SECOND},
		{.stage = MODEL_STAGE_VALIDATE,
		 .epoch = 1,
		 .start_ns = 35 * SECOND,
		 .end_ns = MODEL_NONE},
	};

	(void)state;
	assert_string_equal(band(phases, 6, (struct plot_span){0, 38 * SECOND, 38}),
			    "|| train e0 ========|val0-| |train1|v-");
}

static void a_phase_that_goes_on_reaches_the_last_sample(void **state)
{
	struct model_phase phase = {
		.stage = MODEL_STAGE_TRAIN, .epoch = 0, .name = "train e0", .end_ns = MODEL_NONE};

	(void)state;
	assert_string_equal(band(&phase, 1, (struct plot_span){0, 2262 * SECOND, 30}),
			    "| train e0 ====               ");
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
		cmocka_unit_test(phases_keep_their_start_and_as_much_name_as_fits),
		cmocka_unit_test(a_phase_that_goes_on_reaches_the_last_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
