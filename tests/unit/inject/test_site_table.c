/*
 * Records of the sites file: each once, found again however large the table is, and still when the file is full.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "inject/locks.h"
#include "inject/real.h"
#include "inject/segment_file.h"
#include "inject/self.h"
#include "inject/site_table.h"

static char directory[PATH_MAX - 64];

static int open_table(void **state)
{
	static char name[] = "test";
	char *words[] = {name, NULL};

	(void)state;
	snprintf(directory, sizeof(directory), "%s/sites-XXXXXX", getenv("TEST_TMP"));
	if (!mkdtemp(directory))
		return -1;
	real_resolve();
	self_start(1, words, directory, NULL);
	self_publish();
	return lock_enter(LOCK_SITES) && site_table_open() ? 0 : -1;
}

static int remove_files(void **state)
{
	static const char *const endings[] = {LOOPMEM_SEGMENT_SUFFIX, LOOPMEM_SITES_SUFFIX};
	char path[PATH_MAX];

	(void)state;
	lock_leave(LOCK_SITES);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%d-%llx%s", directory, getpid(),
			 (unsigned long long)self_segment->birth_ns, endings[i]);
		unlink(path);
	}
	return rmdir(directory);
}

static uint64_t used(void)
{
	return site_table_header()->used_bytes;
}

static uint32_t node_number(uint32_t i)
{
	return site_table_node(0, site_table_native(0, 1 + i));
}

static void a_record_is_written_once(void **state)
{
	struct loopmem_record_module module = {
		.start = 1, .end = 2, .path_bytes = 4, .build_id_bytes = 3};
	struct loopmem_record_site site = {.pool_id = 7};
	uint32_t made[5];
	uint64_t before = 0;

	(void)state;
	for (int i = 0; i < 2; i++) {
		uint32_t again[5];
		again[0] = site_table_module(&module, "path", (const uint8_t *)"abc");
		again[1] = site_table_native(again[0], 0x1234);
		again[2] = site_table_python("fill", 4, "data.py", 7, 42);
		again[3] = site_table_node(0, again[1]);
		site.node = site_table_node(again[3], again[2]);
		again[4] = site_table_site(&site);
		assert_true(!i || !memcmp(again, made, sizeof(made)));
		assert_true(!i || used() == before);
		memcpy(made, again, sizeof(made));
		before = used();
	}
	assert_true(made[0] && made[1] && made[2] && made[3] && made[4]);
}

static void records_that_differ_in_one_part_are_two(void **state)
{
	struct loopmem_record_module module = {.path_bytes = 4, .build_id_bytes = 3};
	struct loopmem_record_module other = {.path_bytes = 3, .build_id_bytes = 4};

	(void)state;
	assert_int_not_equal(site_table_module(&module, "path", (const uint8_t *)"abc"),
			     site_table_module(&other, "pat", (const uint8_t *)"habc"));
	assert_int_not_equal(site_table_python("a", 1, "b", 1, 1),
			     site_table_python("a", 1, "b", 1, 2));
	assert_int_not_equal(site_table_python("a", 1, "b", 1, 1),
			     site_table_python("b", 1, "a", 1, 1));
	assert_int_not_equal(site_table_native(0, 1), site_table_native(0, UINT64_C(1) << 40 | 1));
	assert_int_not_equal(site_table_node(node_number(1), site_table_native(0, 1)),
			     node_number(1));
}

static void a_node_leads_to_its_parent(void **state)
{
	uint32_t python = site_table_python("inner", 5, "a.py", 4, 3);
	uint32_t outer = node_number(5), inner = site_table_node(outer, python), at = inner;

	(void)state;
	assert_false(site_table_climb(&at, site_table_python("inner", 5, "a.py", 4, 4), 0, 0));
	assert_int_equal(at, inner);
	assert_true(site_table_climb(&at, python, 0, 0));
	assert_int_equal(at, outer);
	assert_false(site_table_climb(&at, 0, 0, 5));
	assert_true(site_table_climb(&at, 0, 0, 6));
	assert_int_equal(at, 0);
}

/* Last: the table does not forget. */
static void what_is_there_is_found_when_the_file_is_full(void **state)
{
	static uint32_t made[1 << 18];
	uint32_t count = 0;

	(void)state;
	while (count < sizeof(made) / sizeof(*made) && (made[count] = node_number(count)))
		count++;
	assert_in_range(count, 90000, sizeof(made) / sizeof(*made) - 1);
	assert_in_range(used(), LOOPMEM_SITES_MOST / 10 * 6, LOOPMEM_SITES_MOST);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(node_number(i), made[i]);
	assert_int_equal(node_number(count), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_written_once),
		cmocka_unit_test(records_that_differ_in_one_part_are_two),
		cmocka_unit_test(a_node_leads_to_its_parent),
		cmocka_unit_test(what_is_there_is_found_when_the_file_is_full),
	};

	return cmocka_run_group_tests(tests, open_table, remove_files);
}
