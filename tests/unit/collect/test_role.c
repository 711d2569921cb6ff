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
	assert_int_equal(role_of_command(forkserver, "python3", ROLE_OWNER), ROLE_FORKSERVER);
	assert_int_equal(role_of_command(tracker, "python", ROLE_ROOT), ROLE_RESOURCE_TRACKER);
	assert_int_equal(role_of_command(old_tracker, "python", ROLE_ROOT), ROLE_RESOURCE_TRACKER);
	assert_int_equal(role_of_command("torch_shm_manager", "torch_shm_manag", ROLE_WORKER),
			 ROLE_SHM_MANAGER);
}

static void a_child_of_the_forkserver_is_none(void **state)
{
	(void)state;
	assert_int_equal(
		role_of_command("python -c from multiprocessing.forkserver import main; main()",
				"python", ROLE_FORKSERVER),
		ROLE_CHILD);
}

static void everything_else_is_a_child(void **state)
{
	(void)state;
	assert_int_equal(role_of_command("python train.py", "python", ROLE_ROOT), ROLE_CHILD);
	assert_int_equal(role_of_command("", "", ROLE_ROOT), ROLE_CHILD);
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
		cmocka_unit_test(a_child_of_the_forkserver_is_none),
		cmocka_unit_test(everything_else_is_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
