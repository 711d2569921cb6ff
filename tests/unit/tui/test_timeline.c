/* Claims about tui/timeline.h: the cursor stands on samples, replay passes over nothing, people's words for moments are read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/timeline.h"

#define SECOND INT64_C(1000000000)

enum { ROUNDS = 101 };

static struct model_round rounds[ROUNDS];
static struct model_phase phases[] = {
	{.stage = MODEL_STAGE_SANITY,
	 .name = "sanity",
	 .epoch = MODEL_NONE,
	 .start_ns = 3 * SECOND,
	 .end_ns = 5 * SECOND},
	{.stage = MODEL_STAGE_TRAIN,
	 .name = "train e0",
	 .epoch = 0,
	 .start_ns = 5 * SECOND,
	 .end_ns = 40 * SECOND},
	{.stage = MODEL_STAGE_VALIDATE,
	 .name = "validate e0",
	 .epoch = 0,
	 .start_ns = 40 * SECOND,
	 .end_ns = 50 * SECOND},
	{.stage = MODEL_STAGE_VALIDATE,
	 .between = 1,
	 .name = "between",
	 .start_ns = 50 * SECOND,
	 .end_ns = 52 * SECOND},
	{.stage = MODEL_STAGE_TRAIN,
	 .name = "train e1",
	 .epoch = 1,
	 .start_ns = 52 * SECOND,
	 .end_ns = 100 * SECOND},
};
static struct model m;

/* One sample a second, 100 s long, the highest at 50 s. */
static int setup(void **state)
{
	(void)state;
	for (int i = 0; i < ROUNDS; i++)
		rounds[i] = (struct model_round){.t_ns = i * SECOND,
						 .total_bytes = i == 50 ? 1000 : 100 + i};
	m = (struct model){.rounds = rounds,
			   .round_count = ROUNDS,
			   .phases = phases,
			   .phase_count = sizeof(phases) / sizeof(phases[0]),
			   .last_ns = 100 * SECOND,
			   .end = MODEL_EXITED};
	m.totals.peak_at_ns = 50 * SECOND;
	m.totals.idle_max_at_ns = 45 * SECOND;
	return 0;
}

static struct timeline at(int64_t seconds)
{
	struct timeline tl;

	timeline_init(&tl, &m, 0);
	timeline_seek(&tl, &m, seconds * SECOND);
	return tl;
}

static void a_finished_session_opens_at_its_peak_a_live_one_at_its_end(void **state)
{
	struct timeline tl;

	(void)state;
	timeline_init(&tl, &m, 0);
	assert_int_equal(tl.cursor_ns, 50 * SECOND);
	timeline_init(&tl, &m, 1);
	assert_int_equal(tl.cursor_ns, 100 * SECOND);
	m.end = MODEL_KILLED;
	timeline_init(&tl, &m, 0);
	assert_int_equal(tl.cursor_ns, 100 * SECOND);
}

static void the_cursor_stands_on_samples_inside_the_session(void **state)
{
	struct timeline tl = at(30);

	(void)state;
	timeline_seek(&tl, &m, 30 * SECOND + SECOND / 2);
	assert_int_equal(tl.cursor_ns, 30 * SECOND);
	timeline_seek(&tl, &m, -5 * SECOND);
	assert_int_equal(tl.cursor_ns, 0);
	timeline_seek(&tl, &m, INT64_MAX / 2);
	assert_int_equal(tl.cursor_ns, 100 * SECOND);
	timeline_samples(&tl, &m, -3);
	assert_int_equal(tl.cursor_ns, 97 * SECOND);
	timeline_samples(&tl, &m, 30);
	assert_int_equal(tl.cursor_ns, 100 * SECOND);
}

static void a_column_leads_to_its_highest_sample(void **state)
{
	struct timeline tl = at(0);
	struct chart_span span = {0, 101 * SECOND, 10};

	(void)state;
	timeline_to_column(&tl, &m, &span, 4); /* 41 to 50 s */
	assert_int_equal(tl.cursor_ns, 50 * SECOND);
	timeline_columns(&tl, &m, &span, -1);
	assert_int_equal(tl.cursor_ns, 40 * SECOND);
}

static void following_ends_with_the_first_step_in_time(void **state)
{
	struct timeline tl;

	(void)state;
	timeline_init(&tl, &m, 1);
	assert_true(tl.following);
	timeline_samples(&tl, &m, -1);
	assert_false(tl.following);
	timeline_update(&tl, &m, 1);
	assert_int_equal(tl.cursor_ns, 99 * SECOND);
	timeline_follow(&tl, &m);
	assert_int_equal(tl.cursor_ns, 100 * SECOND);
}

static void phases_are_stepped_over_both_ways_without_the_gaps(void **state)
{
	struct timeline tl = at(0);
	static const int64_t starts[] = {3, 5, 40, 52};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(timeline_phase(&tl, &m, 1));
		assert_int_equal(tl.cursor_ns, starts[i] * SECOND);
	}
	assert_false(timeline_phase(&tl, &m, 1));
	for (size_t i = 3; i-- > 0;) {
		assert_true(timeline_phase(&tl, &m, -1));
		assert_int_equal(tl.cursor_ns, starts[i] * SECOND);
	}
	assert_false(timeline_phase(&tl, &m, -1));
}

static void zoom_keeps_the_cursor_in_view(void **state)
{
	struct timeline tl = at(95);

	(void)state;
	for (int i = 0; i < 20; i++) {
		timeline_zoom(&tl, &m, 1);
		assert_true(tl.window_start_ns <= tl.cursor_ns && tl.cursor_ns <= tl.window_end_ns);
	}
	assert_true(tl.window_end_ns - tl.window_start_ns >= SECOND);
	timeline_seek(&tl, &m, 10 * SECOND);
	assert_true(tl.window_start_ns <= tl.cursor_ns && tl.cursor_ns < tl.window_end_ns);
	timeline_zoom(&tl, &m, 0);
	assert_int_equal(tl.window_end_ns, MODEL_NONE);
	for (int i = 0; i < 3; i++)
		timeline_zoom(&tl, &m, 1);
	for (int i = 0; i < 3; i++)
		timeline_zoom(&tl, &m, -1);
	assert_int_equal(tl.window_end_ns, MODEL_NONE);
}

static void a_live_chart_only_grows_at_its_right_end(void **state)
{
	struct timeline tl;
	struct chart_span before, after;

	(void)state;
	timeline_init(&tl, &m, 1);
	before = timeline_span(&tl, &m, 75);
	m.last_ns += SECOND;
	after = timeline_span(&tl, &m, 75);
	assert_int_equal(before.start_ns, after.start_ns);
	assert_int_equal(before.end_ns, after.end_ns);
	assert_true(chart_column(&after, m.last_ns) < 75);
}

static void marks_are_set_in_turn_and_the_nearer_one_moves(void **state)
{
	struct timeline tl = at(10);
	int64_t a, b;

	(void)state;
	assert_false(timeline_moments(&tl, &a, &b));
	assert_int_equal(timeline_mark(&tl), 'A');
	timeline_seek(&tl, &m, 60 * SECOND);
	assert_true(timeline_moments(&tl, &a, &b));
	assert_int_equal(b, 60 * SECOND); /* without B it is the cursor */
	assert_int_equal(timeline_mark(&tl), 'B');
	timeline_seek(&tl, &m, 20 * SECOND);
	assert_int_equal(timeline_mark(&tl), 'A');
	assert_int_equal(tl.a_ns, 20 * SECOND);
	timeline_swap_marks(&tl);
	assert_int_equal(tl.a_ns, 60 * SECOND);
	timeline_forget_marks(&tl);
	assert_false(timeline_moments(&tl, &a, &b));
}

static void replay_stops_for_a_frame_at_peak_and_phases_and_ends_at_the_end(void **state)
{
	struct timeline tl = at(38);
	static const int64_t stops[] = {40, 50, 52, 100};

	(void)state;
	tl.playing = 1;
	tl.speed = 64;
	tl.played_ns = tl.cursor_ns;
	for (size_t i = 0; i < 4; i++) {
		assert_true(tl.playing);
		timeline_play(&tl, &m, 2 * SECOND, 0);
		assert_int_equal(tl.cursor_ns, stops[i] * SECOND);
	}
	assert_false(tl.playing);
}

static void replay_can_stop_at_the_worst_moment_of_an_error(void **state)
{
	static const int64_t moments[] = {45 * SECOND};
	struct model_finding finding = {
		.severity = MODEL_ERROR, .moments = moments, .moment_count = 1};
	struct timeline tl = at(41);

	(void)state;
	m.findings = &finding;
	m.finding_count = 1;
	tl.playing = 1;
	tl.speed = 8;
	tl.played_ns = tl.cursor_ns;
	timeline_play(&tl, &m, SECOND, 1);
	assert_int_equal(tl.cursor_ns, 45 * SECOND);
	assert_false(tl.playing);
}

static int64_t parsed(const char *text)
{
	struct timeline tl = at(30);
	int64_t t;

	return timeline_parse(&tl, &m, text, &t) ? -1 : t / SECOND;
}

static void moments_are_read_as_people_write_them(void **state)
{
	(void)state;
	assert_int_equal(parsed("90"), 90);
	assert_int_equal(parsed("1:30"), 90);
	assert_int_equal(parsed("0:01:30"), 90);
	assert_int_equal(parsed("1m"), 60);
	assert_int_equal(parsed("+20"), 50);
	assert_int_equal(parsed("+1m"), 90);
	assert_int_equal(parsed("-10s"), 20);
	assert_int_equal(parsed("peak"), 50);
	assert_int_equal(parsed("idle"), 45);
	assert_int_equal(parsed("start"), 0);
	assert_int_equal(parsed("end"), 100);
	assert_int_equal(parsed("e1"), 52);
	assert_int_equal(parsed("e0"), 5);
	assert_int_equal(parsed("val0"), 40);
	assert_int_equal(parsed("train e1"), 52);
	assert_int_equal(parsed("sanity"), 3);
	assert_int_equal(parsed(" 12"), 12);
}

static void nonsense_is_no_moment(void **state)
{
	static const char *const bad[] = {"",     "abc", "12:",   ":12",  "1:2:x", "val7",
					  "e9",   "+",   "-",     "101s", "5000",  "12x",
					  "1::2", "$",   "val1x", "++5",  "e",     "1e99"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (parsed(bad[i]) != -1)
			fail_msg("\"%s\" was read as %lld", bad[i], (long long)parsed(bad[i]));
}

static void a_session_without_samples_moves_nowhere(void **state)
{
	struct model empty = {.end = MODEL_RUNNING};
	struct chart_span span;
	struct timeline tl;

	(void)state;
	timeline_init(&tl, &empty, 1);
	timeline_samples(&tl, &empty, 1);
	timeline_zoom(&tl, &empty, 1);
	span = timeline_span(&tl, &empty, 75);
	timeline_columns(&tl, &empty, &span, 1);
	assert_false(timeline_phase(&tl, &empty, 1));
	assert_int_equal(tl.cursor_ns, 0);
}

#define CLAIM(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_finished_session_opens_at_its_peak_a_live_one_at_its_end),
		CLAIM(the_cursor_stands_on_samples_inside_the_session),
		CLAIM(a_column_leads_to_its_highest_sample),
		CLAIM(following_ends_with_the_first_step_in_time),
		CLAIM(phases_are_stepped_over_both_ways_without_the_gaps),
		CLAIM(zoom_keeps_the_cursor_in_view),
		CLAIM(a_live_chart_only_grows_at_its_right_end),
		CLAIM(marks_are_set_in_turn_and_the_nearer_one_moves),
		CLAIM(replay_stops_for_a_frame_at_peak_and_phases_and_ends_at_the_end),
		CLAIM(replay_can_stop_at_the_worst_moment_of_an_error),
		CLAIM(moments_are_read_as_people_write_them),
		CLAIM(nonsense_is_no_moment),
		CLAIM(a_session_without_samples_moves_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
