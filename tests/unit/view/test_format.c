/* Claims about profiler/view/format.h: one table a rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/model/model.h"
#include "profiler/view/format.h"

#define GIB         (1024.0 * 1024 * 1024)
#define SECOND      INT64_C(1000000000)
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static char out[FORMAT_SIZE];

static int64_t gib(double n)
{
	return (int64_t)(n * GIB);
}

static void bytes_in_sentences_name_their_unit(void **state)
{
	static const struct {
		double gib;
		const char *text;
	} rows[] = {
		{26.4, "26.4 GiB"},  {9.98, "10.0 GiB"},  {0.61, "625 MiB"},
		{251, "251 GiB"},    {99.96, "100 GiB"},  {0, "0"},
		{1, "1.0 GiB"},      {20480, "20.0 TiB"}, {3.0 / 1024, "3.0 MiB"},
		{-0.61, "-625 MiB"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(format_bytes(out, gib(rows[i].gib)), rows[i].text);
	assert_string_equal(format_bytes(out, 4096), "4.0 KiB");
	assert_string_equal(format_bytes(out, 600), "0.6 KiB");
}

static void cells_keep_the_decimals_of_their_table(void **state)
{
	(void)state;
	assert_string_equal(format_bytes_in(out, gib(10.23), FORMAT_GIB, 1), "10.2");
	assert_string_equal(format_bytes_in(out, gib(1.25), FORMAT_GIB, 2), "1.25");
	assert_string_equal(format_bytes_in(out, 0, FORMAT_GIB, 1), "0");
	assert_string_equal(format_bytes_in(out, gib(0.04), FORMAT_GIB, 1), "<0.1");
	assert_string_equal(format_bytes_in(out, gib(0.004), FORMAT_GIB, 2), "<0.01");
	assert_string_equal(format_bytes_in(out, MODEL_NONE, FORMAT_GIB, 1), "?");
}

static void the_unit_of_a_table_follows_its_largest_value(void **state)
{
	(void)state;
	assert_int_equal(format_unit_for(gib(26.4)), FORMAT_GIB);
	assert_int_equal(format_unit_for(gib(0.99)), FORMAT_MIB);
	assert_int_equal(format_unit_for(gib(9000)), FORMAT_GIB);
	assert_int_equal(format_unit_for(0), FORMAT_KIB);
	assert_string_equal(format_unit_name(FORMAT_MIB), "MiB");
}

static void differences_always_carry_a_sign(void **state)
{
	(void)state;
	assert_string_equal(format_difference_in(out, gib(5.9), FORMAT_GIB, 1), "+5.9");
	assert_string_equal(format_difference_in(out, gib(-0.6), FORMAT_GIB, 1), "-0.6");
	assert_string_equal(format_difference_in(out, gib(0.01), FORMAT_GIB, 1), "+0.0");
	assert_string_equal(format_difference_in(out, gib(-0.01), FORMAT_GIB, 1), "+0.0");
	assert_string_equal(format_difference_in(out, 0, FORMAT_GIB, 1), "0");
}

static void the_limit_is_full_only_when_it_was_met(void **state)
{
	(void)state;
	assert_string_equal(format_share(out, gib(26.4), gib(28)), "94%");
	assert_string_equal(format_share(out, 9997, 10000), "99%");
	assert_string_equal(format_share(out, 10000, 10000), "100%");
	assert_string_equal(format_share(out, gib(18.1), gib(28)), "65%");
	assert_string_equal(format_share(out, 1, MODEL_NONE), "?");
	assert_string_equal(format_share(out, 1, 0), "?");
}

static void counts_are_grouped_from_five_digits(void **state)
{
	(void)state;
	assert_string_equal(format_count(out, 118287), "118 287");
	assert_string_equal(format_count(out, 9999), "9999");
	assert_string_equal(format_count(out, 12345), "12 345");
	assert_string_equal(format_count(out, 1234567), "1 234 567");
	assert_string_equal(format_count(out, -118287), "-118 287");
}

static void estimates_have_two_digits(void **state)
{
	(void)state;
	assert_string_equal(format_about(out, 15.3), "about 15");
	assert_string_equal(format_about(out, 1234), "about 1200");
	assert_string_equal(format_about(out, 4.27), "about 4.3");
	assert_string_equal(format_about(out, 0), "about 0.0");
}

static void durations_grow_from_seconds_to_days(void **state)
{
	static const struct {
		double s;
		const char *text, *cell;
	} rows[] = {
		{5.0, "5.0 s", "5.0s"}, {9.96, "10 s", "10s"},
		{28, "28 s", "28s"},    {59.4, "59 s", "59s"},
		{301, "5:01", "5:01"},  {3723, "1:02:03", "1:02:03"},
		{0, "0.0 s", "0.0s"},   {183000, "2d 02:50", "2d 02:50"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_string_equal(format_duration(out, (int64_t)(rows[i].s * 1e9)), rows[i].text);
		assert_string_equal(format_duration_cell(out, (int64_t)(rows[i].s * 1e9)),
				    rows[i].cell);
	}
}

static void moments_are_minutes_and_seconds(void **state)
{
	(void)state;
	assert_string_equal(format_moment(out, 28 * SECOND), "0:28");
	assert_string_equal(format_moment(out, 753 * SECOND + SECOND / 10 * 9), "12:33");
	assert_string_equal(format_moment(out, 3723 * SECOND), "1:02:03");
	assert_string_equal(format_moment(out, -30 * SECOND), "-0:30");
	assert_string_equal(format_moment_tenths(out, 753 * SECOND + SECOND / 10 * 9), "12:33.9");
	assert_string_equal(format_moment(out, MODEL_NONE), "?");
}

static void bytes_over_time_are_in_hours(void **state)
{
	(void)state;
	assert_string_equal(format_byte_seconds(out, 1.87 * 3600 * GIB, 1), "1.87 GiB·h");
	assert_string_equal(format_byte_seconds(out, 1.87 * 3600 * GIB, 0), "1.87 GiB h");
	assert_string_equal(format_byte_seconds(out, 0.001 * 3600 * GIB, 0), "1.02 MiB h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_in_sentences_name_their_unit),
		cmocka_unit_test(cells_keep_the_decimals_of_their_table),
		cmocka_unit_test(the_unit_of_a_table_follows_its_largest_value),
		cmocka_unit_test(differences_always_carry_a_sign),
		cmocka_unit_test(the_limit_is_full_only_when_it_was_met),
		cmocka_unit_test(counts_are_grouped_from_five_digits),
		cmocka_unit_test(estimates_have_two_digits),
		cmocka_unit_test(durations_grow_from_seconds_to_days),
		cmocka_unit_test(moments_are_minutes_and_seconds),
		cmocka_unit_test(bytes_over_time_are_in_hours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
