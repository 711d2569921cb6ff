/* Claims about sampler.h: which edges are worth a walk. The job is one child that does as it is told. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/sampler.h"

enum { GROWTH_BYTES = 16 << 20 };

struct subject {
	pid_t pid;
	int to, from;
};

static void __attribute__((noreturn)) grow_when_told(int in, int out)
{
	char byte, *memory;

	while (write(out, "r", 1) == 1 && read(in, &byte, 1) == 1) {
		memory = malloc(GROWTH_BYTES);
		if (memory)
			memset(memory, 1, GROWTH_BYTES);
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
		grow_when_told(in[0], out[1]);
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

/* Has the subject's memory been walked for an edge? Rounds between those that are due only serve edges. */
static int64_t walks_for_an_edge(struct sampler *s, struct process *p)
{
	int64_t before = s->recorder->walks;

	s->round_due_ns = s->shm_due_ns = s->detail_due_ns = INT64_MAX;
	s->edges->measure = p->edge = 1;
	sampler_step(s);
	assert_int_equal(p->edge, 0);
	return s->recorder->walks - before;
}

static void an_edge_at_which_nothing_has_changed_costs_no_walk(void **state)
{
	struct subject subject = start_subject();
	struct crafted_job c;
	struct pools pools = {0};
	struct edges edges = {.job = &c.job, .pools = &pools};
	struct sampler sampler;
	struct process *p;

	(void)state;
	crafted_job_start(&c, crafted_path("edges.loopmem"));
	assert_int_equal(sampler_init(&sampler, &edges, 0), 0);
	p = job_add(&c.job, subject.pid, NULL);
	assert_non_null(p);
	assert_int_equal(walks_for_an_edge(&sampler, p), 1);
	assert_int_equal(walks_for_an_edge(&sampler, p), 0);
	assert_int_equal(c.recorder.skipped, 0);
	assert_int_equal(write(subject.to, "g", 1), 1);
	await(&subject);
	p->pace.free_ns = 0; /* however long the machine made the first one take */
	assert_int_equal(walks_for_an_edge(&sampler, p), 1);
	sampler_release(&sampler);
	crafted_job_end(&c);
	stop_subject(&subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_edge_at_which_nothing_has_changed_costs_no_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
