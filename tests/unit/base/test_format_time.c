/* Claims about profiler/format_time.h: the forms of time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/format_time.h"

#define SECOND      INT64_C(1000000000)
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static char out[FORMAT_MAX];

static void durations_grow_from_seconds_to_days_and_are_cut(void **state)
{
	static const struct {
		double s;
		const char *text, *cell;
	} rows[] = {
		{5.0, "5.0 s", "5.0s"},
		{0, "0.0 s", "0.0s"},
		{0.02, "<0.1 s", "<0.1s"},
		{0.1, "0.1 s", "0.1s"},
		{0.3, "0.3 s", "0.3s"},
		{0.8, "0.8 s", "0.8s"},
		{1.9, "1.9 s", "1.9s"},
		{9.96, "9.9 s", "9.9s"},
		{11.2, "11 s", "11.2s"},
		{28, "28 s", "28.0s"},
		{59.97, "59 s", "59.9s"},
		{63.9, "1:03", "1:03"},
		{301, "5:01", "5:01"},
		{3723, "1:02:03", "1:02:03"},
		{183000, "2d 02:50", "2d 02:50"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_string_equal(format_duration(out, (int64_t)(rows[i].s * 1e9)), rows[i].text);
		assert_string_equal(format_duration_cell(out, (int64_t)(rows[i].s * 1e9)),
				    rows[i].cell);
	}
	assert_string_equal(format_duration(out, INT64_MIN), "?");
}

static void a_change_of_a_duration_carries_its_sign(void **state)
{
	(void)state;
	assert_string_equal(format_duration_change(out, SECOND / 10 * 2), "+0.2 s");
	assert_string_equal(format_duration_change_cell(out, SECOND / 10 * 2), "+0.2s");
	assert_string_equal(format_duration_change_cell(out, -SECOND * 64), "-1:04");
	assert_string_equal(format_duration_change_cell(out, -SECOND / 50), "+0.0s");
	assert_string_equal(format_duration_change_cell(out, SECOND / 50), "+0.0s");
	assert_string_equal(format_duration_change_cell(out, INT64_MIN), "?");
}

static void moments_are_minutes_and_seconds_never_ahead(void **state)
{
	(void)state;
	assert_string_equal(format_moment(out, 28 * SECOND), "0:28");
	assert_string_equal(format_moment(out, 753 * SECOND + SECOND / 10 * 9), "12:33");
	assert_string_equal(format_moment(out, 3723 * SECOND), "1:02:03");
	assert_string_equal(format_moment(out, -30 * SECOND), "-0:30");
	assert_string_equal(format_moment_tenths(out, 753 * SECOND + SECOND / 10 * 9), "12:33.9");
	assert_string_equal(format_moment(out, INT64_MIN), "?");
}

static void what_lasted_until_a_moment_is_not_longer_than_it(void **state)
{
	char moment[FORMAT_MAX];

	(void)state;
	for (int64_t ns = 60 * SECOND; ns < 70 * SECOND; ns += SECOND / 8)
		assert_string_equal(format_duration(out, ns), format_moment(moment, ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_grow_from_seconds_to_days_and_are_cut),
		cmocka_unit_test(a_change_of_a_duration_carries_its_sign),
		cmocka_unit_test(moments_are_minutes_and_seconds_never_ahead),
		cmocka_unit_test(what_lasted_until_a_moment_is_not_longer_than_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
