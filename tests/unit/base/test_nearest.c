/* Claims about profiler/nearest.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/nearest.h"

static const char *const names[] = {"run", "report", "sites", "check", "export"};

static const char *nearest(const char *word)
{
	return nearest_name(word, names, sizeof(names) / sizeof(names[0]));
}

static void swapped_letters_find_the_name(void **state)
{
	(void)state;
	assert_string_equal(nearest("reprot"), "report");
	assert_string_equal(nearest("chekc"), "check");
}

static void missing_and_doubled_letters_find_the_name(void **state)
{
	(void)state;
	assert_string_equal(nearest("site"), "sites");
	assert_string_equal(nearest("runn"), "run");
}

static void unlike_words_find_nothing(void **state)
{
	(void)state;
	assert_null(nearest("xyzzy"));
	assert_null(nearest(""));
	assert_null(nearest("q"));
}

static void very_long_words_find_nothing(void **state)
{
	char word[200];

	(void)state;
	for (size_t i = 0; i < sizeof(word) - 1; i++)
		word[i] = 'r';
	word[sizeof(word) - 1] = '\0';
	assert_null(nearest(word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(swapped_letters_find_the_name),
		cmocka_unit_test(missing_and_doubled_letters_find_the_name),
		cmocka_unit_test(unlike_words_find_nothing),
		cmocka_unit_test(very_long_words_find_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
