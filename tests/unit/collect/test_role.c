/* Claims about profiler/collect/role.h, on command lines of CPython 3.8 to 3.13 and torch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "profiler/collect/role.h"

static void servants_are_known_by_their_command_line(void **state)
{
	static const char forkserver[] =
		"/usr/bin/python3 -c from multiprocessing.forkserver import main; main(7, 8, ['__main__'], **{})";
	static const char tracker[] =
		"python -s -c from multiprocessing.resource_tracker import main;main(5)";
	static const char old_tracker[] =
		"python -c from multiprocessing.semaphore_tracker import main;main(4)";

	(void)state;
	assert_int_equal(role_of_command(forkserver, "python3", 0), ROLE_FORKSERVER);
	assert_int_equal(role_of_command(tracker, "python", 0), ROLE_RESOURCE_TRACKER);
	assert_int_equal(role_of_command(old_tracker, "python", 0), ROLE_RESOURCE_TRACKER);
	assert_int_equal(role_of_command("torch_shm_manager", "torch_shm_manag", 0),
			 ROLE_SHM_MANAGER);
}

static void what_a_forkserver_forks_is_none(void **state)
{
	(void)state;
	assert_int_equal(
		role_of_command("python -c from multiprocessing.forkserver import main; main()",
				"python", 1),
		ROLE_CHILD);
}

static void everything_else_is_a_child(void **state)
{
	(void)state;
	assert_int_equal(role_of_command("python train.py", "python", 0), ROLE_CHILD);
	assert_int_equal(role_of_command("", "", 0), ROLE_CHILD);
	assert_int_equal(
		role_of_command(
			"python -c from multiprocessing.spawn import spawn_main; spawn_main()",
			"python", ROLE_ROOT),
		ROLE_CHILD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(servants_are_known_by_their_command_line),
		cmocka_unit_test(what_a_forkserver_forks_is_none),
		cmocka_unit_test(everything_else_is_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
