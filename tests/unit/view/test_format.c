/* Claims about profiler/view/format.h: the rules for numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/model/model.h"
#include "profiler/view/format.h"

#define GIB         (1024.0 * 1024 * 1024)
#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static char out[FORMAT_MAX];

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
		{26.4, "26.4 GiB"},         {9.98, "10.0 GiB"},
		{0.61, "625 MiB"},          {6, "6.0 GiB"},
		{251, "251 GiB"},           {99.96, "100 GiB"},
		{612.0 / 1024, "612 MiB"},  {1, "1.0 GiB"},
		{20480, "20.0 TiB"},        {3.0 / 1024, "3.0 MiB"},
		{1023.8 / 1024, "1.0 GiB"}, {0, "0"},
		{-0.61, "-625 MiB"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_string_equal(format_bytes(out, gib(rows[i].gib)), rows[i].text);
	assert_string_equal(format_bytes(out, 4096), "4 KiB");
	assert_string_equal(format_bytes(out, MODEL_NONE), "?");
	assert_string_equal(format_bytes_range(out, 65536, 2 << 20), "64 KiB to 2.0 MiB");
	assert_string_equal(format_bytes_range(out, 65536, 65536), "64 KiB");
	assert_string_equal(format_bytes_range(out, 65536, MODEL_NONE), "64 KiB");
}

static void cells_keep_the_decimals_of_their_table(void **state)
{
	(void)state;
	assert_string_equal(format_cell(out, gib(10.23), FORMAT_GIB, 1), "10.2");
	assert_string_equal(format_cell(out, gib(1.25), FORMAT_GIB, 2), "1.25");
	assert_string_equal(format_cell(out, 0, FORMAT_GIB, 1), "0");
	assert_string_equal(format_cell(out, gib(0.04), FORMAT_GIB, 1), "<0.1");
	assert_string_equal(format_cell(out, gib(0.06), FORMAT_GIB, 1), "0.1");
	assert_string_equal(format_cell(out, 1000, FORMAT_MIB, 0), "<1");
	assert_string_equal(format_cell(out, MODEL_NONE, FORMAT_GIB, 1), "?");
}

static void the_unit_of_a_table_follows_its_largest_value(void **state)
{
	(void)state;
	assert_int_equal(format_unit_for(gib(26.4)), FORMAT_GIB);
	assert_int_equal(format_unit_for(gib(0.99)), FORMAT_MIB);
	assert_int_equal(format_unit_for(gib(9000)), FORMAT_TIB);
	assert_int_equal(format_unit_for(0), FORMAT_MIB);
	assert_string_equal(format_unit_name(FORMAT_MIB), "MiB");
}

static void differences_always_carry_a_sign(void **state)
{
	(void)state;
	assert_string_equal(format_difference(out, gib(5.9)), "+5.9 GiB");
	assert_string_equal(format_difference(out, gib(-8.3)), "-8.3 GiB");
	assert_string_equal(format_difference(out, gib(-232.0 / 1024)), "-232 MiB");
	assert_string_equal(format_difference_cell(out, gib(-0.6), FORMAT_GIB, 1), "-0.6");
	assert_string_equal(format_difference_cell(out, gib(0.01), FORMAT_GIB, 1), "+0.0");
	assert_string_equal(format_difference_cell(out, gib(-0.01), FORMAT_GIB, 1), "+0.0");
}

static void a_share_is_full_only_when_the_limit_was_met(void **state)
{
	(void)state;
	assert_string_equal(format_percent(out, gib(26.4), gib(28)), "94%");
	assert_string_equal(format_percent(out, gib(18.1), gib(28)), "65%");
	assert_string_equal(format_percent(out, 9997, 10000), "99%");
	assert_string_equal(format_percent(out, 10000, 10000), "100%");
	assert_string_equal(format_percent(out, 0, 10000), "0%");
	assert_string_equal(format_percent(out, 10, 10000), "<1%");
	assert_string_equal(format_percent(out, 1, MODEL_NONE), "?");
	assert_string_equal(format_percent_fine(out, 0.0041), "0.4%");
}

static void counts_are_grouped_from_five_digits(void **state)
{
	(void)state;
	assert_string_equal(format_count(out, 118287), "118 287");
	assert_string_equal(format_count(out, 11310), "11 310");
	assert_string_equal(format_count(out, 9999), "9999");
	assert_string_equal(format_count(out, 1234567), "1 234 567");
	assert_string_equal(format_count(out, -118287), "-118 287");
}

static void estimates_have_two_digits(void **state)
{
	(void)state;
	assert_string_equal(format_estimate(out, 15.3), "about 15");
	assert_string_equal(format_estimate(out, 1234), "about 1200");
	assert_string_equal(format_estimate(out, 4.27), "about 4.3");
	assert_string_equal(format_estimate(out, 0), "about 0");
}

static void bytes_over_time_are_in_hours(void **state)
{
	(void)state;
	assert_string_equal(format_byte_hours(out, 1.87 * 3600 * GIB, 1), "1.87 GiB·h");
	assert_string_equal(format_byte_hours(out, 1.87 * 3600 * GIB, 0), "1.87 GiB h");
	assert_string_equal(format_byte_hours(out, 0.01 * 3600 * GIB, 0), "10.2 MiB h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_in_sentences_name_their_unit),
		cmocka_unit_test(cells_keep_the_decimals_of_their_table),
		cmocka_unit_test(the_unit_of_a_table_follows_its_largest_value),
		cmocka_unit_test(differences_always_carry_a_sign),
		cmocka_unit_test(a_share_is_full_only_when_the_limit_was_met),
		cmocka_unit_test(counts_are_grouped_from_five_digits),
		cmocka_unit_test(estimates_have_two_digits),
		cmocka_unit_test(bytes_over_time_are_in_hours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
