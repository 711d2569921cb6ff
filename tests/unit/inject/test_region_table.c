/*
 * The region table against a model that knows nothing of rows: one kind per page.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inject/region_table.h"

enum { PAGE = 4096, PAGES = 300, NONE = -1 };

static struct region_table table;
static int model[PAGES];

static int fresh(void **state)
{
	(void)state;
	memset(&table, 0, sizeof(table));
	for (int i = 0; i < PAGES; i++)
		model[i] = NONE;
	return 0;
}

static void model_take(int from, int to, uint64_t bytes[LOOPMEM_REGION_KINDS], int kind)
{
	for (int i = from; i < to; i++) {
		if (model[i] != NONE)
			bytes[model[i]] += PAGE;
		model[i] = kind;
	}
}

static void both_agree(void)
{
	for (int i = 0; i < PAGES; i++)
		assert_int_equal(region_table_kind(&table, (uint64_t)i * PAGE + 17), model[i]);
}

static void cut(int from, int to, int kind_after)
{
	uint64_t expected[LOOPMEM_REGION_KINDS] = {0}, overlap[LOOPMEM_REGION_KINDS] = {0};
	uint64_t removed[LOOPMEM_REGION_KINDS] = {0};
	uint64_t start = (uint64_t)from * PAGE, end = (uint64_t)to * PAGE;

	region_table_overlap(&table, start, end, overlap);
	assert_true(region_table_cut(&table, start, end, removed));
	model_take(from, to, expected, kind_after);
	assert_memory_equal(removed, expected, sizeof(expected));
	assert_memory_equal(overlap, expected, sizeof(expected));
}

static void any_sequence_of_maps_and_unmaps_agrees_with_the_model(void **state)
{
	unsigned seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		int from = rand_r(&seed) % PAGES, to = from + 1 + rand_r(&seed) % (PAGES - from);
		int kind = rand_r(&seed) % 5 - 2; /* negative: only unmap */
		cut(from, to, kind < 0 ? NONE : kind);
		if (kind >= 0)
			assert_true(region_table_add(&table, (uint64_t)from * PAGE,
						     (uint64_t)to * PAGE, kind));
		if (round % 50 == 0)
			both_agree();
	}
	both_agree();
}

static void neighbours_of_one_kind_are_one_row(void **state)
{
	(void)state;
	assert_true(region_table_add(&table, 1 * PAGE, 2 * PAGE, LOOPMEM_REGION_ANON));
	assert_true(region_table_add(&table, 3 * PAGE, 4 * PAGE, LOOPMEM_REGION_ANON));
	assert_true(region_table_add(&table, 2 * PAGE, 3 * PAGE, LOOPMEM_REGION_ANON));
	assert_int_equal(table.count, 1);
	assert_true(region_table_add(&table, 4 * PAGE, 5 * PAGE, LOOPMEM_REGION_SHARED));
	assert_true(region_table_add(&table, 0, 1 * PAGE, LOOPMEM_REGION_FILE));
	assert_int_equal(table.count, 3);
}

static void fill(void)
{
	for (uint64_t i = 0; i < REGIONS; i++)
		assert_true(region_table_add(&table, i * 4 * PAGE, (i * 4 + 3) * PAGE,
					     LOOPMEM_REGION_ANON));
}

static void a_full_table_takes_no_new_row_but_still_joins(void **state)
{
	(void)state;
	fill();
	assert_false(region_table_add(&table, REGIONS * UINT64_C(4) * PAGE + PAGE,
				      REGIONS * UINT64_C(4) * PAGE + 2 * PAGE,
				      LOOPMEM_REGION_ANON));
	assert_true(region_table_add(&table, 3 * PAGE, 4 * PAGE, LOOPMEM_REGION_ANON));
	assert_int_equal(table.count, REGIONS - 1);
}

static void a_hole_in_a_full_table_gives_up_what_lies_behind_it(void **state)
{
	uint64_t bytes[LOOPMEM_REGION_KINDS] = {0};

	(void)state;
	fill();
	assert_false(region_table_cut(&table, PAGE, 2 * PAGE, bytes));
	assert_int_equal(bytes[LOOPMEM_REGION_ANON], 2 * PAGE); /* the hole and the page behind */
	assert_int_equal(region_table_kind(&table, 0), LOOPMEM_REGION_ANON);
	assert_int_equal(region_table_kind(&table, 2 * PAGE), -1);
	assert_int_equal(table.count, REGIONS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(any_sequence_of_maps_and_unmaps_agrees_with_the_model,
				       fresh),
		cmocka_unit_test_setup(neighbours_of_one_kind_are_one_row, fresh),
		cmocka_unit_test_setup(a_full_table_takes_no_new_row_but_still_joins, fresh),
		cmocka_unit_test_setup(a_hole_in_a_full_table_gives_up_what_lies_behind_it, fresh),
	};

	return cmocka_run_group_tests_name("region_table", tests, NULL, NULL);
}
