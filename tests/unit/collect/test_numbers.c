/* Claims about numbers.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profiler/collect/numbers.h"

static void equal_keys_have_equal_numbers_in_order_of_their_coming(void **state)
{
	enum { KEYS = 50000 };
	struct numbers n = {.most = KEYS};
	int is_new;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int32_t i = 0; i < KEYS; i++) {
			uint64_t key[2] = {(uint64_t)i, 7};

			assert_int_equal(numbers_get(&n, key, sizeof(key), &is_new), i + 1);
			assert_int_equal(is_new, round == 0);
		}
	numbers_release(&n);
}

static void the_length_is_a_part_of_the_key(void **state)
{
	struct numbers n = {.most = 10};
	int is_new;

	(void)state;
	assert_int_equal(numbers_get(&n, "ab\0c", 4, &is_new), 1);
	assert_int_equal(numbers_get(&n, "ab", 2, &is_new), 2);
	assert_int_equal(numbers_get(&n, "ab\0d", 4, &is_new), 3);
	assert_int_equal(numbers_get(&n, "ab\0c", 4, &is_new), 1);
	assert_int_equal(is_new, 0);
	numbers_release(&n);
}

static void there_are_no_more_numbers_than_allowed(void **state)
{
	struct numbers n = {.most = 2};
	int is_new;

	(void)state;
	assert_int_equal(numbers_get(&n, "a", 1, &is_new), 1);
	assert_int_equal(numbers_get(&n, "b", 1, &is_new), 2);
	assert_int_equal(numbers_get(&n, "c", 1, &is_new), 0);
	assert_int_equal(is_new, 0);
	assert_int_equal(numbers_get(&n, "a", 1, &is_new), 1);
	numbers_release(&n);
	assert_int_equal(numbers_get(&n, "c", 1, &is_new), 1);
	numbers_release(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_keys_have_equal_numbers_in_order_of_their_coming),
		cmocka_unit_test(the_length_is_a_part_of_the_key),
		cmocka_unit_test(there_are_no_more_numbers_than_allowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
