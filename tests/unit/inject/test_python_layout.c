/*
 * Which layout of frames holds for which Python: a row of the table, or a clear refusal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "inject/python_api.h"
#include "inject/python_layout.h"

/* In the place of python_api.c: a Python that is not there. */
static uint32_t version;

uint32_t python_api_version(void)
{
	return version;
}

int python_api_minor(void)
{
	return (int)(version >> 16 & 0xff);
}

static const char *find(uint32_t minor, struct python_layout *layout)
{
	version = 3u << 24 | minor << 16 | 0xf0;
	return python_layout_find(layout);
}

static void versions_up_to_3_12_have_a_row(void **state)
{
	struct python_layout layout;

	(void)state;
	for (uint32_t minor = 8; minor <= 12; minor++) {
		assert_null(find(minor, &layout));
		assert_int_equal(layout.minor, minor);
		assert_true(layout.top > 0 && layout.back > 0 && layout.filename > 0);
	}
}

static void from_3_13_on_the_interpreter_has_to_say_it_itself(void **state)
{
	struct python_layout layout;

	(void)state;
	for (uint32_t minor = 13; minor <= 15; minor++)
		assert_string_equal(find(minor, &layout),
				    "this Python does not say where its frames are");
}

static void the_frames_of_3_16_and_of_3_7_are_refused(void **state)
{
	struct python_layout layout;

	(void)state;
	assert_string_equal(find(16, &layout),
			    "the frames of this version of Python are not known");
	assert_string_equal(find(7, &layout), "the frames of this version of Python are not known");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_up_to_3_12_have_a_row),
		cmocka_unit_test(from_3_13_on_the_interpreter_has_to_say_it_itself),
		cmocka_unit_test(the_frames_of_3_16_and_of_3_7_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
