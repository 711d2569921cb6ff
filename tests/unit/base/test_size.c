/* Claims about profiler/size.h. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiler/size.h"

static int64_t size(const char *text)
{
	int64_t bytes = -1;

	return size_parse(text, &bytes) ? -1 : bytes;
}

static void suffixes_are_powers_of_1024(void **state)
{
	(void)state;
	assert_int_equal(size("0"), 0);
	assert_int_equal(size("65536"), 65536);
	assert_int_equal(size("512B"), 512);
	assert_int_equal(size("4K"), 4096);
	assert_int_equal(size("4k"), 4096);
	assert_int_equal(size("2M"), 2 << 20);
	assert_int_equal(size("2MB"), 2 << 20);
	assert_int_equal(size("2 MiB"), 2 << 20);
	assert_int_equal(size("1GiB"), 1 << 30);
	assert_int_equal(size("1T"), INT64_C(1) << 40);
}

static void anything_else_is_refused(void **state)
{
	static const char *const wrong[] = {"",
					    "M",
					    "-1",
					    "1.5G",
					    "4Q",
					    "4KK",
					    "4 K iB",
					    "0x10",
					    "+1K",
					    " 1K",
					    "1K ",
					    "9223372036854775807K",
					    "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (size(wrong[i]) != -1)
			fail_msg("\"%s\" was taken for a size", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes_are_powers_of_1024),
		cmocka_unit_test(anything_else_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
