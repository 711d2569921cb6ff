/* Claims about model_line_is_library: which lines are not the user's own code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/model/model.h"

static int is_library(const char *module, const char *file)
{
	const struct model_line line = {.module = module, .file = file, .native = 1};

	return model_line_is_library(&line);
}

static void an_interpreter_of_any_place_is_a_library(void **state)
{
	(void)state;
	assert_true(is_library("/usr/bin/python3.11", NULL));
	assert_true(is_library("/home/me/.pyenv/versions/3.11/bin/python", "Objects/obmalloc.c"));
	assert_true(is_library("/opt/py/lib/libpython3.11.so.1.0", "Objects/obmalloc.c"));
	assert_true(is_library("/opt/py/lib/python3.11/lib-dynload/_pickle.so", "_pickle.c"));
	assert_false(is_library("/home/me/pythonic", "main.c"));
	assert_false(is_library("/home/me/python3-trainer", "main.c"));
}

static void standard_libraries_and_crates_inlined_into_a_program_are_libraries(void **state)
{
	static const char program[] = "/home/me/train";

	(void)state;
	assert_true(is_library(program, "/usr/include/c++/12/bits/stl_vector.h"));
	assert_true(is_library(program, "/opt/env/include/c++/13/bits/stl_vector.h"));
	assert_true(is_library(program, "/rustc/59807616e1fa/library/alloc/src/alloc.rs"));
	assert_true(is_library(program, "/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/"
					"library/alloc/src/alloc.rs"));
	assert_true(is_library(program,
			       "/home/me/.cargo/registry/src/index/hashbrown-0.15/src/map.rs"));
	assert_false(is_library(program, "/home/me/train/src/main.rs"));
	assert_false(is_library(program, "/home/me/train/cache.cc"));
	assert_false(is_library(program, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interpreter_of_any_place_is_a_library),
		cmocka_unit_test(
			standard_libraries_and_crates_inlined_into_a_program_are_libraries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
