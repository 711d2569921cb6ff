/* Claims about sampler.h: which edges are worth a walk, and when. The job is one child that does as it is told. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/clock.h"
#include "profiler/collect/sampler.h"

enum { GROWTH_BYTES = 16 << 20 };

struct subject {
	pid_t pid;
	int to, from;
};

/* 'g': it grows. 'c': memory comes and goes, and nothing of it stays. */
static void __attribute__((noreturn)) do_as_told(int in, int out)
{
	char byte, *memory;

	while (write(out, "r", 1) == 1 && read(in, &byte, 1) == 1) {
		memory = mmap(NULL, GROWTH_BYTES, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		madvise(memory, GROWTH_BYTES, MADV_NOHUGEPAGE); /* a fault for each page */
		memset(memory, 1, GROWTH_BYTES);
		if (byte == 'c')
			munmap(memory, GROWTH_BYTES);
	}
	_exit(0);
}

static void await(const struct subject *s)
{
	char byte;

	assert_int_equal(read(s->from, &byte, 1), 1);
}

static struct subject start_subject(void)
{
	int in[2], out[2];
	struct subject s;

	assert_int_equal(pipe(in) | pipe(out), 0);
	s = (struct subject){.pid = fork(), .to = in[1], .from = out[0]};
	if (!s.pid) {
		close(in[1]);
		close(out[0]);
		do_as_told(in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	await(&s);
	return s;
}

static void stop_subject(const struct subject *s)
{
	close(s->to);
	close(s->from);
	assert_int_equal(waitpid(s->pid, NULL, 0), s->pid);
}

/* A job of the subject alone, and the sampler that measures it. */
struct fixture {
	struct subject subject;
	struct crafted_job c;
	struct pools pools;
	struct edges edges;
	struct sampler sampler;
	struct process *p;
};

static int start_job(void **state)
{
	static struct fixture f;

	f = (struct fixture){.subject = start_subject()};
	f.edges = (struct edges){.job = &f.c.job, .pools = &f.pools};
	crafted_job_start(&f.c, crafted_path("edges.loopmem"));
	assert_int_equal(sampler_init(&f.sampler, &f.edges, 0), 0);
	f.p = job_add(&f.c.job, f.subject.pid, NULL);
	assert_non_null(f.p);
	*state = &f;
	return 0;
}

static int end_job(void **state)
{
	struct fixture *f = *state;

	sampler_release(&f->sampler);
	crafted_job_end(&f->c);
	stop_subject(&f->subject);
	return 0;
}

static void tell(const struct fixture *f, char what)
{
	assert_int_equal(write(f->subject.to, &what, 1), 1);
	await(&f->subject);
}

static void grow(const struct fixture *f, int times)
{
	for (int i = 0; i < times; i++)
		tell(f, 'g');
}

/* Has the subject's memory been walked for an edge? Rounds between those that are due only serve edges. */
static int64_t walks_for_an_edge(struct fixture *f, enum process_edge edge)
{
	struct sampler *s = &f->sampler;
	int64_t before = s->recorder->walks;

	s->round_due_ns = s->shm_due_ns = s->detail_due_ns = INT64_MAX;
	s->edges->measure = 1;
	f->p->edge = edge;
	sampler_step(s);
	assert_int_equal(f->p->edge, PROCESS_EDGE_NONE);
	return s->recorder->walks - before;
}

static void an_edge_at_which_nothing_has_changed_costs_no_walk(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_NOW), 1);
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_NOW), 0);
	assert_int_equal(f->c.recorder.skipped, 0);
	grow(f, 1);
	f->p->pace.free_ns = 0; /* however long the machine made the first one take */
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_NOW), 1);
}

static void a_beginning_is_served_by_the_walk_of_its_family(void **state)
{
	struct fixture *f = *state;

	grow(f, 6); /* no walk of it is cheap any more */
	job_mark_stale(&f->c.job, f->p->family);
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_BEGINS), 0);
	assert_int_equal(f->p->stale, 1); /* still waiting */
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_NOW), 1);
}

static void a_beginning_takes_no_credit(void **state)
{
	struct fixture *f = *state;

	grow(f, 6);
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_BEGINS), 1);
	grow(f, 1);
	f->p->pace.wall_ns = 1000000;                           /* whatever it took */
	f->p->pace.last_ns = recorder_now(f->sampler.recorder); /* however long that took */
	f->p->pace.free_ns = f->p->pace.last_ns + 200 * f->p->pace.wall_ns;
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_BEGINS), 0);
	assert_int_equal(f->c.recorder.skipped, 0);
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_NOW), 1);
}

static void a_beginning_that_costs_next_to_nothing_is_measured_at_once(void **state)
{
	struct fixture *f = *state;

	job_mark_stale(&f->c.job, f->p->family);
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_BEGINS), 1);
}

/* Has the subject been walked in a round that was due, so long after its last walk? */
static int64_t walks_after(struct fixture *f, int64_t seconds)
{
	struct sampler *s = &f->sampler;
	int64_t before = s->recorder->walks;

	f->p->pace.last_ns = recorder_now(s->recorder) - seconds * 1000000000;
	f->p->pace.free_ns = 0;
	f->p->pace.busy = 0;
	budget_start(&s->budget, clock_monotonic_ns(),
		     clock_cpu_ns()); /* whatever was used until now */
	s->round_due_ns = s->detail_due_ns = 0;
	s->shm_due_ns = INT64_MAX;
	sampler_step(s); /* counts the faults */
	s->round_due_ns = 0;
	sampler_step(s);
	return s->recorder->walks - before;
}

static void faults_behind_which_nothing_changed_are_looked_at_less_and_less(void **state)
{
	struct fixture *f = *state;

	/* beside so much, what this process copies of the pages it shares with its child is little */
	grow(f, 4);
	assert_int_equal(walks_for_an_edge(f, PROCESS_EDGE_NOW), 1);
	for (int seconds = 1; seconds <= 8; seconds *= 2) {
		tell(f, 'c');
		assert_int_equal(walks_after(f, seconds - 1), 0);
		assert_int_equal(walks_after(f, seconds), 1);
	}
	tell(f, 'c');
	assert_int_equal(walks_after(f, 7), 0);
	grow(f, 1);
	assert_int_equal(walks_after(f, 1), 1);
	tell(f, 'c');
	assert_int_equal(walks_after(f, 1), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_edge_at_which_nothing_has_changed_costs_no_walk,
						start_job, end_job),
		cmocka_unit_test_setup_teardown(a_beginning_is_served_by_the_walk_of_its_family,
						start_job, end_job),
		cmocka_unit_test_setup_teardown(a_beginning_takes_no_credit, start_job, end_job),
		cmocka_unit_test_setup_teardown(
			a_beginning_that_costs_next_to_nothing_is_measured_at_once, start_job,
			end_job),
		cmocka_unit_test_setup_teardown(
			faults_behind_which_nothing_changed_are_looked_at_less_and_less, start_job,
			end_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
