/* Who is whose parent, of real processes. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/job.h"

/* A child that has a child; both live until `gate` is closed. */
struct line {
	int gate;
	pid_t child, grandchild;
};

static void live(int gate)
{
	char byte;

	(void)!read(gate, &byte, 1);
	_exit(0);
}

static struct line start_line(void)
{
	int gate[2], told[2];
	struct line l;

	assert_int_equal(pipe(gate) | pipe(told), 0);
	l.child = fork();
	if (!l.child) {
		close(gate[1]);
		l.grandchild = fork();
		if (!l.grandchild)
			live(gate[0]);
		(void)!write(told[1], &l.grandchild, sizeof(l.grandchild));
		live(gate[0]);
	}
	close(gate[0]);
	close(told[1]);
	assert_int_equal(read(told[0], &l.grandchild, sizeof(l.grandchild)), sizeof(l.grandchild));
	close(told[0]);
	l.gate = gate[1];
	return l;
}

static void end_line(const struct line *l)
{
	close(l->gate);
	assert_int_equal(waitpid(l->child, NULL, 0), l->child);
}

static void a_grandchild_that_is_met_first_brings_its_parent(void **state)
{
	struct line l = start_line();
	struct crafted_job c;
	struct process *p;

	(void)state;
	crafted_job_start(&c, crafted_path("job.loopmem"));
	assert_non_null(job_add(&c.job, getpid(), NULL));
	p = job_add(&c.job, l.grandchild, NULL);
	assert_non_null(p);
	assert_int_equal(p->parent->pid, l.child);
	assert_ptr_equal(p->parent->parent, c.job.items[0]);
	assert_int_equal(c.job.count, 3);
	for (size_t i = 0; i < c.job.count; i++) /* each is a row of its own */
		assert_int_equal(c.job.items[i]->id, i + 1);
	crafted_job_end(&c);
	end_line(&l);
}

static void a_process_of_nobody_in_the_job_is_not_taken(void **state)
{
	struct line l = start_line();
	struct crafted_job c;

	(void)state;
	crafted_job_start(&c, crafted_path("job.loopmem"));
	assert_non_null(job_add(&c.job, l.child, NULL));
	assert_null(job_add(&c.job, getpid(), NULL));
	assert_int_equal(c.job.count, 1);
	crafted_job_end(&c);
	end_line(&l);
}

/* The parent that a process has now, as it tells it. */
static pid_t parent_of_grandchild(const struct line *l)
{
	struct proc_stat stat;

	assert_int_equal(proc_stat_read(l->grandchild, &stat), 0);
	return stat.parent_pid;
}

/* In a container the training itself is the first process. The orphan's parent is that of this one. */
static void children_of_the_first_process_are_its_own(void **state)
{
	struct line l = start_line();
	struct crafted_job c;

	(void)state;
	kill(l.child, SIGKILL);
	assert_int_equal(waitpid(l.child, NULL, 0), l.child);
	if (parent_of_grandchild(&l) != 1) {
		close(l.gate);
		print_message("orphans do not come to the first process here\n");
		skip();
	}
	crafted_job_start(&c, crafted_path("job.loopmem"));
	assert_non_null(job_add(&c.job, 1, NULL));
	assert_non_null(job_add(&c.job, l.grandchild, NULL));
	assert_ptr_equal(c.job.items[1]->parent, c.job.items[0]);
	assert_int_equal(c.job.count, 2);
	crafted_job_end(&c);
	close(l.gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_grandchild_that_is_met_first_brings_its_parent),
		cmocka_unit_test(a_process_of_nobody_in_the_job_is_not_taken),
		cmocka_unit_test(children_of_the_first_process_are_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
