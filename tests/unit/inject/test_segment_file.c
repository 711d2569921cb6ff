/*
 * The file of a segment: named after its process, its space reserved, never another's.
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "inject/segment_file.h"

static char directory[PATH_MAX];

static int make_directory(void **state)
{
	(void)state;
	snprintf(directory, sizeof(directory), "%s/segments-XXXXXX", getenv("TEST_TMP"));
	return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

static const char *path_of(const char *name)
{
	static char path[PATH_MAX + 20];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return path;
}

static void it_is_named_after_pid_and_birth_and_reserved(void **state)
{
	struct loopmem_segment *segment = segment_file_create(directory, 77, 0xabc);
	const char *path = path_of("77-abc.seg");
	struct stat stat_;

	(void)state;
	assert_non_null(segment);
	assert_int_equal(stat(path, &stat_), 0);
	assert_int_equal(stat_.st_size, sizeof(*segment));
	assert_true((size_t)stat_.st_blocks * 512 >= sizeof(*segment));
	assert_int_equal(stat_.st_mode & 0777, 0600);
	assert_int_equal(segment->magic, 0);
	munmap(segment, sizeof(*segment));
	unlink(path);
}

static void a_file_that_exists_is_left_alone(void **state)
{
	struct loopmem_segment *segment = segment_file_create(directory, 1, 1);

	(void)state;
	assert_non_null(segment);
	assert_null(segment_file_create(directory, 1, 1));
	munmap(segment, sizeof(*segment));
	unlink(path_of("1-1.seg"));
}

static void a_link_is_not_followed(void **state)
{
	char victim[PATH_MAX + 20];

	(void)state;
	snprintf(victim, sizeof(victim), "%s", path_of("victim"));
	assert_int_equal(symlink(victim, path_of("2-2.seg")), 0);
	assert_null(segment_file_create(directory, 2, 2));
	assert_int_equal(access(victim, F_OK), -1);
	unlink(path_of("2-2.seg"));
}

/* The limit's signal would kill a program that knows nothing of the file. */
static void beyond_the_limit_of_file_sizes_the_file_stays_empty(void **state)
{
	struct rlimit limit, small;
	struct stat stat_;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = (struct rlimit){4096, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_null(segment_file_create(directory, 3, 3));
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(stat(path_of("3-3.seg"), &stat_), 0);
	assert_int_equal(stat_.st_size, 0);
	unlink(path_of("3-3.seg"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_named_after_pid_and_birth_and_reserved),
		cmocka_unit_test(a_file_that_exists_is_left_alone),
		cmocka_unit_test(a_link_is_not_followed),
		cmocka_unit_test(beyond_the_limit_of_file_sizes_the_file_stays_empty),
	};

	return cmocka_run_group_tests_name("segment_file", tests, make_directory, remove_directory);
}
