/*
 * Symbols are found where the loader would find them.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inject/loaded.h"

static void symbols_of_libraries_are_found(void **state)
{
	static const char *const names[] = {"malloc", "dl_iterate_phdr", "_cmocka_run_group_tests",
					    "fnmatch", "strftime"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		assert_non_null(dlsym(RTLD_DEFAULT, names[i]));
		assert_true(loaded_defines(names[i]));
	}
}

static void what_nobody_defines_is_not_found(void **state)
{
	static const char *const names[] = {"Py_GetVersion", "mallo", "malloc_", "", "_"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_false(loaded_defines(names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_of_libraries_are_found),
		cmocka_unit_test(what_nobody_defines_is_not_found),
	};

	return cmocka_run_group_tests_name("loaded", tests, NULL, NULL);
}
