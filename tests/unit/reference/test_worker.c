/* Claims about reference/worker.h that a loader cannot show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/worker.h"
#include "tests/unit/reference/number_set.h"
#include "tests/unit/reference/processes.h"

/* The owner's end of the queue may live on in children forked later. A descriptor left in it would
 * be memory that no process is seen to hold. */
static void a_joined_worker_leaves_no_batch_in_the_queue(void **state)
{
	struct number_set set;
	struct order *order = order_new(40);
	struct worker_spec spec = {
		.dataset = &set.dataset, .order = order, .workers = 1, .prefetch = 4};
	struct worker worker;
	struct failure f;
	char byte;
	int copy;

	(void)state;
	number_set_init(&set, 40);
	order_sequential(order);
	assert_int_equal(worker_start(&worker, &spec, &f), 0);
	assert_int_equal(worker_await(&worker, &f), 0);
	for (uint32_t n = 0; n < 4; n++)
		assert_int_equal(worker_ask(&worker, n, n * 10, 10, &f), 0);
	copy = dup(worker.socket);
	worker_dismiss(&worker);
	worker_join(&worker);
	assert_int_equal(recv(copy, &byte, 1, MSG_DONTWAIT), 0);
	assert_int_equal(set.counts->loaded, 40);
	close(copy);
	order_free(order);
	number_set_release(&set);
}

/* The worker outlives its owner only if the kernel's signal at the owner's death does not come. */
static void a_worker_ends_with_its_owner(void **state)
{
	struct number_set set;
	struct order *order = order_new(10);
	int told[2];
	pid_t owner, worker_pid;
	struct pollfd end;

	(void)state;
	number_set_init(&set, 10);
	set.jitter_us = 900000;
	order_sequential(order);
	assert_int_equal(pipe(told), 0);
	owner = fork();
	if (owner == 0) {
		struct worker_spec spec = {
			.dataset = &set.dataset, .order = order, .workers = 1, .prefetch = 1};
		struct worker worker;
		struct failure f;

		worker_start(&worker, &spec, &f);
		worker_await(&worker, &f);
		worker_ask(&worker, 0, 0, 10, &f); /* busy for seconds */
		if (write(told[1], &worker.pid, sizeof(worker.pid)) < 0)
			_exit(1);
		pause();
	}
	close(told[1]); /* the worker has inherited it: end of file tells of its end */
	assert_int_equal(read(told[0], &worker_pid, sizeof(worker_pid)), sizeof(worker_pid));
	assert_true(is_alive(worker_pid));
	kill(owner, SIGKILL);
	waitpid(owner, NULL, 0);
	end = (struct pollfd){.fd = told[0], .events = POLLIN};
	assert_int_equal(poll(&end, 1, 1000), 1);
	close(told[0]);
	order_free(order);
	number_set_release(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_joined_worker_leaves_no_batch_in_the_queue),
		cmocka_unit_test(a_worker_ends_with_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
