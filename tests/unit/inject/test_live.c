/*
 * Sampled blocks and mappings: what was put in comes out once, for whatever part of a mapping goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "inject/live.h"
#include "inject/real.h"

static struct live gone;

static void add_up(const struct live *part)
{
	gone.bytes += part->bytes;
	gone.blocks += part->blocks;
	gone.site = part->site;
}

static const void *address(uint64_t n)
{
	return (const void *)(uintptr_t)(UINT64_C(0x7f0000000010) + n * 48);
}

static int setup(void **state)
{
	(void)state;
	real_resolve();
	live_start();
	return 0;
}

static void what_is_added_comes_out_once(void **state)
{
	enum { BLOCKS = 20000 };
	struct live live;

	(void)state;
	for (uint32_t i = 0; i < BLOCKS; i++)
		assert_true(live_add(address(i),
				     (struct live){.site = i, .bytes = i * 10, .blocks = i}));
	for (uint32_t i = 0; i < BLOCKS; i += 2) {
		assert_true(live_may_be(address(i)) && live_may_be_short(address(i)));
		assert_true(live_remove(address(i), &live));
		assert_int_equal(live.site, i);
		assert_int_equal(live.bytes, i * 10);
		assert_false(live_remove(address(i), &live));
	}
	for (uint32_t i = 1; i < BLOCKS; i += 2)
		assert_true(live_remove(address(i), &live));
}

/* Of other addresses. */
static uint32_t yes_in_vain(uint32_t asked)
{
	uint32_t yes = 0;

	for (uint32_t i = 0; i < asked; i++)
		yes += live_may_be(address(1000000 + i));
	return yes;
}

static void most_that_is_not_there_is_refused_however_much_is(void **state)
{
	enum { BLOCKS = 16384, ASKED = 20000 };
	struct live live;

	(void)state;
	live_forked();
	for (uint32_t i = 0; i < BLOCKS; i++) {
		if (!(i & (i - 1)))
			assert_true(yes_in_vain(ASKED) < ASKED / 10);
		assert_true(live_add(address(i), (struct live){.site = i}));
	}
	for (uint32_t i = 0; i < BLOCKS; i++) {
		assert_true(live_may_be(address(i)));
		assert_true(live_remove(address(i), &live));
	}
	/* What the filter keeps from when it was smaller. */
	assert_true(yes_in_vain(ASKED) < ASKED / 20);
}

/* 4 MiB apart they share a bit, which goes with the last of them; of more than can be counted it stays. */
static void a_bit_is_set_while_one_of_its_blocks_lives(void **state)
{
	enum { APART = 4 << 20, MANY = 300 };
	const char *first = address(100), *beside = first + 64;
	struct live live = {.site = 1, .bytes = 1, .blocks = 1};

	(void)state;
	live_forked();
	assert_true(live_add(first, live) && live_add(first + APART, live));
	assert_false(live_may_be_short(beside) || live_may_be_short(first - 64));
	assert_true(live_remove(first, &live) && live_may_be_short(first));
	assert_true(live_remove(first + APART, &live));
	assert_false(live_may_be_short(first));
	for (int64_t i = 0; i < MANY; i++)
		assert_true(live_add(first + i * APART, live));
	for (int64_t i = 0; i < MANY; i++) {
		assert_true(live_may_be_short(first + i * APART));
		assert_true(live_remove(first + i * APART, &live));
	}
	assert_false(live_may_be_short(beside));
}

static void null_looks_sampled_and_is_not(void **state)
{
	struct live live;

	(void)state;
	assert_true(live_may_be_short(NULL));
	assert_false(live_remove(NULL, &live));
}

static void a_place_is_taken_once(void **state)
{
	struct live live;

	(void)state;
	assert_true(live_add(address(1), (struct live){.site = 1, .bytes = 1, .blocks = 1}));
	assert_false(live_add(address(1), (struct live){.site = 2, .bytes = 2, .blocks = 2}));
	assert_true(live_remove(address(1), &live));
	assert_int_equal(live.site, 1);
}

static void parts_of_a_mapping_take_their_share(void **state)
{
	(void)state;
	gone = (struct live){0};
	assert_true(live_map(0x100000, 0x110000,
			     (struct live){.site = 7, .bytes = 0x20000, .blocks = 1024}));
	live_unmap(0x104000, 0x108000, add_up); /* out of the middle: a quarter */
	assert_int_equal(gone.bytes, 0x8000);
	assert_int_equal(gone.blocks, 256);
	live_unmap(0x100000, 0x101000, add_up); /* from the front */
	live_unmap(0x10f000, 0x120000, add_up); /* from the back and beyond */
	assert_int_equal(gone.bytes, 0x8000 + 0x4000);
	live_unmap(0, UINT64_C(1) << 47, add_up);
	assert_int_equal(gone.bytes, 0x20000);
	assert_int_equal(gone.blocks, 1024);
	assert_int_equal(gone.site, 7);
}

static void the_child_of_a_fork_has_none(void **state)
{
	struct live live;

	(void)state;
	assert_true(live_add(address(5), (struct live){.site = 1, .bytes = 1, .blocks = 1}));
	assert_true(live_map(0x200000, 0x201000,
			     (struct live){.site = 1, .bytes = 4096, .blocks = 1024}));
	live_forked();
	gone = (struct live){0};
	assert_false(live_may_be(address(5)) || live_may_be_short(address(5)));
	assert_false(live_remove(address(5), &live));
	live_unmap(0, UINT64_C(1) << 47, add_up);
	assert_int_equal(gone.bytes, 0);
	assert_true(live_may_be_short(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_comes_out_once),
		cmocka_unit_test(most_that_is_not_there_is_refused_however_much_is),
		cmocka_unit_test(a_bit_is_set_while_one_of_its_blocks_lives),
		cmocka_unit_test(null_looks_sampled_and_is_not),
		cmocka_unit_test(a_place_is_taken_once),
		cmocka_unit_test(parts_of_a_mapping_take_their_share),
		cmocka_unit_test(the_child_of_a_fork_has_none),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
