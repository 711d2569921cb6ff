/* Claims about profiler/collect/exit_status.h: the ends of processes that are not our children. */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/collect/exit_status.h"

/* A grandchild that waits to be told, ends by `end`, and stays a zombie until its parent is
 * told. */
struct family {
	pid_t parent, child;
	int release[2], reap[2];
	int pidfd;
	struct proc_file stat;
};

static void wait_for_close(const int fds[2])
{
	char byte;

	close(fds[1]);
	while (read(fds[0], &byte, 1) > 0)
		;
}

static void end_with(int how)
{
	if (how < 0)
		kill(getpid(), -how);
	_exit(how);
}

static void start(struct family *f, int how)
{
	int told[2];

	assert_int_equal(pipe(f->release) | pipe(f->reap) | pipe(told), 0);
	f->parent = fork();
	if (!f->parent) {
		pid_t child = fork();

		if (!child) {
			wait_for_close(f->release);
			end_with(how);
		}
		close(f->release[1]);
		if (write(told[1], &child, sizeof(child)) != sizeof(child))
			_exit(1);
		wait_for_close(f->reap);
		waitpid(child, NULL, 0);
		_exit(0);
	}
	assert_int_equal(read(told[0], &f->child, sizeof(f->child)), sizeof(f->child));
	close(told[0]);
	close(told[1]);
	f->pidfd = exit_watch(f->child);
	assert_true(f->pidfd >= 0);
	proc_file_open(&f->stat, f->child, "stat");
}

static void finish(struct family *f)
{
	close(f->pidfd);
	proc_file_close(&f->stat);
	close(f->release[0]);
	close(f->reap[0]);
}

static void await_end(const struct family *f)
{
	struct pollfd end = {.fd = f->pidfd, .events = POLLIN};

	close(f->release[1]);
	assert_int_equal(poll(&end, 1, 10000), 1);
}

static void let_be_reaped(const struct family *f)
{
	close(f->reap[1]);
	waitpid(f->parent, NULL, 0);
}

static void a_running_process_has_no_status_yet(void **state)
{
	struct family f;
	int status;

	(void)state;
	start(&f, 0);
	assert_int_equal(exit_status(f.pidfd, &f.stat, &status), EXIT_UNKNOWN_YET);
	await_end(&f);
	let_be_reaped(&f);
	finish(&f);
}

static void a_zombie_tells_its_status(void **state)
{
	struct family f;
	int status;

	(void)state;
	start(&f, 5);
	await_end(&f);
	assert_int_equal(exit_status(f.pidfd, &f.stat, &status), EXIT_KNOWN);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	let_be_reaped(&f);
	finish(&f);
}

static void a_reaped_process_tells_where_the_kernel_can(void **state)
{
	struct family f;
	int status;

	(void)state;
	start(&f, -SIGKILL);
	await_end(&f);
	let_be_reaped(&f);
	if (exit_status(f.pidfd, &f.stat, &status) == EXIT_NEVER_KNOWN) {
		finish(&f);
		skip(); /* Linux before 6.15 */
	}
	assert_int_equal(exit_status(f.pidfd, &f.stat, &status), EXIT_KNOWN);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	finish(&f);
}

static void without_a_pidfd_a_reaped_process_never_tells(void **state)
{
	struct family f;
	int status;

	(void)state;
	start(&f, 0);
	await_end(&f);
	let_be_reaped(&f);
	assert_int_equal(exit_status(-1, &f.stat, &status), EXIT_NEVER_KNOWN);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_running_process_has_no_status_yet),
		cmocka_unit_test(a_zombie_tells_its_status),
		cmocka_unit_test(a_reaped_process_tells_where_the_kernel_can),
		cmocka_unit_test(without_a_pidfd_a_reaped_process_never_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
