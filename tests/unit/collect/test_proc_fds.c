/* Claims about profiler/collect/proc_fds.h, on this very process. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/collect/proc_fds.h"

enum { MORE = 40 };

static void descriptors_are_counted_either_way(void **state)
{
	int64_t before = proc_fds_count(getpid()), listed = proc_fds_list(getpid());
	int fds[MORE];

	(void)state;
	for (int i = 0; i < MORE; i++)
		assert_true((fds[i] = open("/dev/null", O_RDONLY)) >= 0);
	assert_int_equal(proc_fds_count(getpid()), before + MORE);
	assert_int_equal(proc_fds_list(getpid()), listed + MORE);
	/* a listing is one descriptor itself */
	assert_in_range(listed, before, before + 1);
	for (int i = 0; i < MORE; i++)
		close(fds[i]);
}

static void the_soft_limit_is_told(void **state)
{
	struct rlimit limit, lower;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	lower = (struct rlimit){200, limit.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
	assert_int_equal(proc_fds_limit(getpid()), 200);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

static void no_limit_and_other_texts_are_unknown(void **state)
{
	(void)state;
	assert_int_equal(proc_fds_parse_limit("Limit  Soft Limit  Hard Limit  Units\n"
					      "Max open files            1024   4096   files\n"),
			 1024);
	assert_int_equal(
		proc_fds_parse_limit("Max open files            unlimited  unlimited  files\n"),
		-1);
	assert_int_equal(proc_fds_parse_limit("Max open files"), -1);
	assert_int_equal(proc_fds_parse_limit(""), -1);
}

static void a_process_that_is_gone_has_no_figures(void **state)
{
	(void)state;
	assert_int_equal(proc_fds_count(1 << 30), -1);
	assert_int_equal(proc_fds_list(1 << 30), -1);
	assert_int_equal(proc_fds_limit(1 << 30), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_are_counted_either_way),
		cmocka_unit_test(the_soft_limit_is_told),
		cmocka_unit_test(no_limit_and_other_texts_are_unknown),
		cmocka_unit_test(a_process_that_is_gone_has_no_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
