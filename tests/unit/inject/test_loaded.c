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
		assert_non_null(loaded_first(names[i]));
	}
}

static void the_definition_is_told_not_who_calls_it(void **state)
{
	Dl_info info;

	(void)state;
	assert_true(dladdr(loaded_first("strftime"), &info));
	assert_string_equal(info.dli_sname, "strftime");
	assert_ptr_equal(loaded_first("dl_iterate_phdr"), dlsym(RTLD_NEXT, "dl_iterate_phdr"));
}

static void what_nobody_defines_is_not_found(void **state)
{
	static const char *const names[] = {"Py_GetVersion", "mallo", "malloc_", "", "_"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_null(loaded_first(names[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_of_libraries_are_found),
		cmocka_unit_test(the_definition_is_told_not_who_calls_it),
		cmocka_unit_test(what_nobody_defines_is_not_found),
	};

	return cmocka_run_group_tests_name("loaded", tests, NULL, NULL);
}
