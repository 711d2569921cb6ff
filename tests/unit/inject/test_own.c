/*
 * The own-block table: exact, over any addresses, from several threads, forgotten at a fork.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inject/own.h"

enum { BLOCKS = 20000, THREADS = 4 };

static uint64_t random_address(unsigned *seed)
{
	uint64_t high = (uint64_t)rand_r(seed) << 31 | (uint64_t)rand_r(seed);

	return high % (UINT64_C(1) << OWN_ADDRESS_BITS) & ~UINT64_C(15);
}

static const void *at(uint64_t address)
{
	return (const void *)(uintptr_t)address;
}

static int fresh(void **state)
{
	(void)state;
	own_set_shift(OWN_SHIFT);
	return own_forked(NULL) ? 0 : -1;
}

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void exactly_the_blocks_that_were_added_are_own(void **state)
{
	static uint64_t added[200];
	unsigned seed = 1;

	(void)state;
	for (int i = 0; i < 200; i++)
		assert_true(own_add(at(added[i] = random_address(&seed))));
	qsort(added, 200, sizeof(*added), by_address);
	for (int i = 0; i < 200; i++) {
		uint64_t next = added[i] + 16;
		assert_true(own_has(at(added[i])));
		if (!bsearch(&next, added, 200, sizeof(*added), by_address))
			assert_false(own_has(at(next)));
	}
}

static void blocks_side_by_side_are_told_apart(void **state)
{
	uint64_t base = UINT64_C(0x7f1234000000);

	(void)state;
	for (uint64_t i = 0; i < BLOCKS; i += 3)
		assert_true(own_add(at(base + i * 16)));
	for (uint64_t i = 0; i < BLOCKS; i++) {
		assert_int_equal(own_has(at(base + i * 16)), i % 3 == 0);
		assert_int_equal(own_has_16(at(base + i * 16)), i % 3 == 0);
	}
}

static void blocks_of_eight_bytes_are_told_apart(void **state)
{
	uint64_t base = UINT64_C(0x550000000000);

	(void)state;
	own_forked(NULL);
	own_set_shift(OWN_SHIFT - 1);
	assert_true(own_add(at(base)) && own_add(at(base + 24)));
	assert_true(own_has(at(base)) && own_has(at(base + 24)));
	assert_false(own_has(at(base + 8)) || own_has(at(base + 16)) || own_has(at(base + 32)));
	own_forked(NULL);
	own_set_shift(OWN_SHIFT);
}

static void a_fork_forgets_every_block(void **state)
{
	uint64_t low = 0x1000, high = (UINT64_C(1) << OWN_ADDRESS_BITS) - 16;

	(void)state;
	assert_true(own_add(at(low)) && own_add(at(high)));
	own_forked(NULL);
	assert_false(own_has(at(low)) || own_has(at(high)));
	assert_true(own_add(at(high)) && own_has(at(high)));
}

static void above_the_heap_of_the_parent_every_block_is_own(void **state)
{
	static char heap[4096];
	char *end = heap + 2048;

	(void)state;
	assert_true(own_forked(end));
	assert_true(own_has(end) && own_has_16(end) && own_add(end + 16));
	assert_true(own_has(at((uintptr_t)end + OWN_ABOVE_BYTES - 16)));
	assert_false(own_has(at((uintptr_t)end + OWN_ABOVE_BYTES)));
	assert_true(own_add(at((uintptr_t)end + OWN_ABOVE_BYTES))); /* a heap that grows beyond */
	assert_true(own_has(at((uintptr_t)end + OWN_ABOVE_BYTES)) &&
		    own_has_16(at((uintptr_t)end + OWN_ABOVE_BYTES)));
	assert_false(own_has(at((uintptr_t)end + OWN_ABOVE_BYTES + 16)));
	assert_false(own_has(end - 16) || own_has_16(end - 16));
	assert_true(own_add(end - 16) && own_has(end - 16));
	assert_true(own_forked(NULL));
	assert_false(own_has(end) || own_has_16(end));
}

static void addresses_out_of_reach_are_refused(void **state)
{
	(void)state;
	assert_false(own_add(at(UINT64_C(1) << OWN_ADDRESS_BITS)));
	assert_false(own_has(at(UINT64_C(0xffff000000000000))));
}

static void *add_every_fourth(void *first)
{
	for (uint64_t i = (uintptr_t)first; i < BLOCKS * 10; i += THREADS)
		if (!own_add(at(UINT64_C(0x7f0000000000) + i * 16)))
			return first;
	return NULL;
}

static void threads_lose_no_block_of_each_other(void **state)
{
	pthread_t threads[THREADS];
	void *failed;

	(void)state;
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_every_fourth, (void *)i), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &failed);
		assert_null(failed);
	}
	for (uint64_t i = 0; i < BLOCKS * 10; i++)
		assert_true(own_has(at(UINT64_C(0x7f0000000000) + i * 16)));
}

static void only_what_was_remembered_last_at_its_place_is_recent(void **state)
{
	const void *one = at(0x7f0000001230), *same_place = at(0x7f0000011230);

	(void)state;
	own_add(one);
	assert_false(own_is_recent(one));
	own_remember(one);
	assert_true(own_is_recent(one));
	assert_false(own_is_recent(same_place) || own_is_recent(NULL));
	own_remember(same_place);
	assert_false(own_is_recent(one));
	own_forget(one);
	assert_true(own_is_recent(same_place));
	own_forget(same_place);
	assert_false(own_is_recent(same_place));
}

static void a_fork_forgets_what_is_recent(void **state)
{
	const void *block = at(0x7f0000001230);

	(void)state;
	own_add(block);
	own_remember(block);
	assert_true(own_forked(NULL));
	assert_false(own_is_recent(block) || own_has(block));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(only_what_was_remembered_last_at_its_place_is_recent, fresh),
		cmocka_unit_test_setup(a_fork_forgets_what_is_recent, fresh),
		cmocka_unit_test_setup(exactly_the_blocks_that_were_added_are_own, fresh),
		cmocka_unit_test_setup(blocks_side_by_side_are_told_apart, fresh),
		cmocka_unit_test_setup(blocks_of_eight_bytes_are_told_apart, fresh),
		cmocka_unit_test_setup(a_fork_forgets_every_block, fresh),
		cmocka_unit_test_setup(above_the_heap_of_the_parent_every_block_is_own, fresh),
		cmocka_unit_test_setup(addresses_out_of_reach_are_refused, fresh),
		cmocka_unit_test_setup(threads_lose_no_block_of_each_other, fresh),
	};

	return cmocka_run_group_tests_name("own", tests, NULL, NULL);
}
