/* Claims about profiler/error.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "profiler/error.h"

static void set_returns_the_kind_and_clears_the_hint(void **state)
{
	struct error e = {.hint = "old advice"};

	(void)state;
	assert_int_equal(error_set(&e, ERROR_USAGE, "no key \"%s\"", "rss"), ERROR_USAGE);
	assert_string_equal(e.text, "no key \"rss\"");
	assert_string_equal(e.hint, "");
}

static void the_system_reason_comes_last(void **state)
{
	struct error e;

	(void)state;
	error_set_errno(&e, ERROR_SYSTEM, ENOSPC, "cannot write %s", "a.loopmem");
	assert_string_equal(e.text, "cannot write a.loopmem: No space left on device");
}

static void two_hints_fit_and_a_third_is_dropped(void **state)
{
	struct error e;

	(void)state;
	error_set(&e, ERROR_SYSTEM, "x");
	error_hint(&e, "first %d", 1);
	error_hint(&e, "second");
	error_hint(&e, "third");
	assert_string_equal(e.hint, "first 1\nsecond");
}

static void long_text_is_cut_not_overrun(void **state)
{
	struct {
		struct error e;
		char guard[8];
	} s;
	char path[2000];

	(void)state;
	memset(s.guard, '#', sizeof(s.guard));
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	error_set_errno(&s.e, ERROR_SYSTEM, EACCES, "cannot read %s", path);
	error_hint(&s.e, "%s", path);
	error_hint(&s.e, "%s", path);
	assert_int_equal(strlen(s.e.text), sizeof(s.e.text) - 1);
	assert_int_equal(strlen(s.e.hint), sizeof(s.e.hint) - 1);
	assert_memory_equal(s.guard, "########", 8);
}

static void exit_codes_are_the_documented_ones(void **state)
{
	static const struct {
		enum error_kind kind;
		int code;
	} known[] = {
		{ERROR_USAGE, 2}, {ERROR_UNREADABLE, 3}, {ERROR_SYSTEM, 1}, {ERROR_PROGRAM, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct error e = {.kind = known[i].kind};

		assert_int_equal(error_exit_code(&e), known[i].code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_the_kind_and_clears_the_hint),
		cmocka_unit_test(the_system_reason_comes_last),
		cmocka_unit_test(two_hints_fit_and_a_third_is_dropped),
		cmocka_unit_test(long_text_is_cut_not_overrun),
		cmocka_unit_test(exit_codes_are_the_documented_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
