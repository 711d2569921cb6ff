/* Claims about profiler/view/site_words.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/view/site_words.h"

static void steps_of_the_import_machinery_are_known_from_code(void **state)
{
	struct model_line lines[] = {
		{.file = "<frozen importlib._bootstrap>"},
		{.file = "<frozen importlib._bootstrap_external>"},
		{.file = "/usr/lib/python3.11/importlib/metadata.py"},
		{.file = "<frozen os>"},
		{.file = NULL},
	};
	const struct model m = {.lines = lines};

	(void)state;
	assert_true(site_line_is_import(&m, 0));
	assert_true(site_line_is_import(&m, 1));
	for (int line = 2; line < 5; line++)
		assert_false(site_line_is_import(&m, line));
	assert_false(site_line_is_import(&m, -1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_the_import_machinery_are_known_from_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
