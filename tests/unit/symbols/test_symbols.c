/* Claims about profiler/symbols/symbols.h, on the C library and this program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/symbols/symbols.h"

enum { ADDRESSES = 200 };

struct answers {
	char functions[ADDRESSES][64];
	size_t last;
	int interleaved; /* answers of one address did not come together */
	int told[ADDRESSES];
};

static void take(void *arg, size_t index, const struct symbols_line *line)
{
	struct answers *a = arg;

	a->interleaved |= a->told[index] && a->last != index;
	a->last = index;
	if (!a->told[index]++ && line->function)
		snprintf(a->functions[index], sizeof(a->functions[index]), "%s", line->function);
}

/* The file that an address was loaded from, and the address within it. */
static struct symbols *open_file_of(const void *where, uint64_t *address)
{
	Dl_info info;

	assert_true(dladdr(where, &info));
	*address = (uint64_t)((uintptr_t)where - (uintptr_t)info.dli_fbase);
	return symbols_open(info.dli_fname, NULL, 0);
}

static void a_function_is_named_at_its_begin_and_within(void **state)
{
	uint64_t address, addresses[2];
	struct symbols *s = open_file_of((const void *)(uintptr_t)abort, &address);
	struct answers found = {0};

	(void)state;
	assert_non_null(s);
	addresses[0] = address + 4;
	addresses[1] = address;
	symbols_find(s, addresses, 2, take, &found);
	assert_non_null(strstr(found.functions[0], "abort")); /* or an alias of it */
	assert_non_null(strstr(found.functions[1], "abort"));
	symbols_close(s);
}

/* The library that downloads comes with some twenty more, and is of use only where somebody named servers. */
static void debug_information_that_is_not_here_is_not_looked_for_elsewhere(void **state)
{
	const char *servers = getenv("DEBUGINFOD_URLS");
	uint64_t address;
	struct symbols *s =
		open_file_of((const void *)(uintptr_t)_cmocka_run_group_tests, &address);
	struct answers found = {0};

	(void)state;
	if (servers && *servers)
		skip();
	assert_non_null(s);
	symbols_find(s, &address, 1, take, &found);
	assert_string_equal(found.functions[0], "_cmocka_run_group_tests");
	assert_null(dlopen("libdebuginfod.so.1", RTLD_LAZY | RTLD_NOLOAD));
	symbols_close(s);
}

/* In no order, with repetitions, and some that lie in nothing. */
static void each_of_many_addresses_gets_the_answer_that_it_gets_alone(void **state)
{
	uint64_t first, addresses[ADDRESSES];
	struct symbols *s = open_file_of((const void *)(uintptr_t)abort, &first);
	struct answers together = {0}, alone;
	int named = 0;

	(void)state;
	assert_non_null(s);
	for (size_t i = 0; i < ADDRESSES; i++)
		addresses[i] = first + i * 7919 % ADDRESSES * 997 - i % 3;
	addresses[7] = addresses[9];
	addresses[11] = UINT64_C(1) << 46; /* 1 lies in functions that the linker left out */
	symbols_find(s, addresses, ADDRESSES, take, &together);
	assert_false(together.interleaved);
	for (size_t i = 0; i < ADDRESSES; i++) {
		alone = (struct answers){0};
		symbols_find(s, &addresses[i], 1, take, &alone);
		assert_string_equal(together.functions[i], alone.functions[0]);
		assert_int_equal(together.told[i], alone.told[0]);
		named += together.functions[i][0] != '\0';
	}
	assert_true(named > ADDRESSES / 2);
	assert_int_equal(together.told[11], 0);
	symbols_close(s);
}

static void a_file_of_another_build_is_not_opened(void **state)
{
	static const uint8_t another[20] = {1};
	Dl_info info;

	(void)state;
	assert_true(dladdr((const void *)(uintptr_t)abort, &info));
	assert_null(symbols_open(info.dli_fname, another, sizeof(another)));
	assert_null(symbols_open("/nonexistent", NULL, 0));
}

static void names_of_cxx_and_of_both_manglings_of_rust_are_written_as_people_do(void **state)
{
	static const char *const names[][2] = {
		{"_ZNK5Cache4findERKSs", "Cache::find(std::string const&) const"},
		{"_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write"},
		{"_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
		 "<std::path::PathBuf>::new"},
		{"_Z4fillv.part.0", "fill() [clone .part.0]"},
		{"_Zz", "_Zz"},
		{"_Rotate", "_Rotate"},
		{"_PyObject_Malloc", "_PyObject_Malloc"},
		{"malloc", "malloc"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(symbols_demangled(names[i][0]), names[i][1]);
	assert_null(symbols_demangled(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_function_is_named_at_its_begin_and_within),
		cmocka_unit_test(debug_information_that_is_not_here_is_not_looked_for_elsewhere),
		cmocka_unit_test(each_of_many_addresses_gets_the_answer_that_it_gets_alone),
		cmocka_unit_test(a_file_of_another_build_is_not_opened),
		cmocka_unit_test(
			names_of_cxx_and_of_both_manglings_of_rust_are_written_as_people_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
