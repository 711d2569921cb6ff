/*
 * Claims about edges.h, pools.h, segments.h and job.h together: what processes write into segments
 * is found in the session. The processes are this one (the owner) and children of it.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "inject/loopmem.h"
#include "profiler/collect/clock.h"
#include "profiler/collect/edges.h"
#include "profiler/collect/segments.h"

enum { ROWS = 64, TEXT = 64 };

/* What a session holds, as far as the claims ask. */
struct contents {
	int processes, pools, workers, events;
	struct {
		int64_t id, pid, parent, instrumented, ended_ns, exit_code, exit_signal;
		char role[TEXT];
	} process[ROWS];
	struct {
		int64_t id, owner, batches, exhausted_ns, end_ns, alloc_bytes, epoch;
		char stage[TEXT], label[TEXT];
	} pool[ROWS];
	struct session_pool_worker worker[ROWS];
	struct {
		int64_t process, pool, value;
		char kind[TEXT];
	} event[ROWS];
};

struct fixture {
	struct recorder recorder;
	struct job job;
	struct pools pools;
	struct edges edges;
	struct segments segments;
	const char *file, *directory;
	struct loopmem_segment *own; /* of this process */
	struct process *owner;
};

static void finish_edges(struct process *p, void *edges)
{
	edges_finish(edges, p);
}

static uint64_t own_start_ticks(void)
{
	struct proc_stat stat;

	assert_int_equal(proc_stat_read(getpid(), &stat), 0);
	return stat.start_ticks;
}

static char *segment_path(const struct fixture *f, const char *name)
{
	static char path[600];

	snprintf(path, sizeof(path), "%s/%s", f->directory, name);
	return path;
}

static void poll_all(struct fixture *f)
{
	segments_poll(&f->segments, &f->job, 1);
	edges_poll(&f->edges);
}

static struct fixture *start(void)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct loopmem_segment *segment = crafted_segment();
	struct error e;

	f->file = crafted_path("edges.loopmem");
	f->directory = crafted_directory("segments");
	if (session_create(&f->recorder.session, f->file, 1, &e))
		fail_msg("%s", e.text);
	f->recorder.clock_ns = clock_monotonic_ns();
	job_init(&f->job, &f->recorder, -1);
	f->edges.job = &f->job;
	f->edges.pools = &f->pools;
	f->job.before_end = finish_edges;
	f->job.before_end_arg = &f->edges;
	if (segments_open(&f->segments, f->directory, &e))
		fail_msg("%s", e.text);
	f->job.segment_dir_fd = f->segments.dir_fd;
	f->owner = job_add(&f->job, getpid(), NULL);
	assert_non_null(f->owner);
	segment->start_ticks = own_start_ticks();
	f->own = crafted_map(segment_path(f, "own.seg"), segment);
	poll_all(f);
	assert_int_equal(f->owner->instrumented, 1);
	return f;
}

static int take_process(const struct session_process *row, void *arg)
{
	struct contents *c = arg;

	assert_in_range(c->processes, 0, ROWS - 1);
	c->process[c->processes].id = row->id;
	c->process[c->processes].pid = row->pid;
	c->process[c->processes].parent = row->parent;
	c->process[c->processes].instrumented = row->instrumented;
	c->process[c->processes].ended_ns = row->ended_ns;
	c->process[c->processes].exit_code = row->exit_code;
	c->process[c->processes].exit_signal = row->exit_signal;
	snprintf(c->process[c->processes++].role, TEXT, "%s", row->role);
	return 0;
}

static int take_pool(const struct session_pool *row, void *arg)
{
	struct contents *c = arg;

	assert_in_range(c->pools, 0, ROWS - 1);
	c->pool[c->pools].id = row->id;
	c->pool[c->pools].owner = row->owner;
	c->pool[c->pools].batches = row->batches;
	c->pool[c->pools].exhausted_ns = row->exhausted_ns;
	c->pool[c->pools].end_ns = row->end_ns;
	c->pool[c->pools].alloc_bytes = row->alloc_bytes;
	c->pool[c->pools].epoch = row->epoch;
	snprintf(c->pool[c->pools].label, TEXT, "%s", row->label ? row->label : "");
	snprintf(c->pool[c->pools++].stage, TEXT, "%s", row->stage);
	return 0;
}

static int take_worker(const struct session_pool_worker *row, void *arg)
{
	struct contents *c = arg;

	assert_in_range(c->workers, 0, ROWS - 1);
	c->worker[c->workers++] = *row;
	return 0;
}

static int take_event(const struct session_event *row, void *arg)
{
	struct contents *c = arg;

	if (c->events == ROWS)
		return 0;
	c->event[c->events].process = row->process;
	c->event[c->events].pool = row->pool;
	c->event[c->events].value = row->value;
	snprintf(c->event[c->events++].kind, TEXT, "%s", row->kind);
	return 0;
}

/* Closes the session and reads it; the caller frees. */
static struct contents *end(struct fixture *f)
{
	struct contents *c = calloc(1, sizeof(*c));
	struct session_reader *reader = NULL;
	struct error e;

	segments_close(&f->segments);
	pools_release(&f->pools);
	job_release(&f->job);
	recorder_release(&f->recorder);
	if (session_close(f->recorder.session, &e) || session_open(&reader, f->file, &e))
		fail_msg("%s", e.text);
	session_each_process(reader, take_process, c);
	session_each_pool(reader, take_pool, c);
	session_each_pool_worker(reader, take_worker, c);
	session_each_event(reader, 0, take_event, c);
	session_reader_close(reader);
	crafted_unmap(f->own);
	free(f);
	return c;
}

static struct loopmem_pool_row *begin_pool(struct fixture *f, unsigned row, uint32_t id,
					   enum loopmem_stage stage)
{
	f->own->pools[row] = (struct loopmem_pool_row){
		.id = id,
		.state = LOOPMEM_POOL_STARTING,
		.stage = stage,
		.epoch = LOOPMEM_UNKNOWN,
		.expected_batches = LOOPMEM_UNKNOWN,
		.begin_ns = (uint64_t)clock_monotonic_ns(),
	};
	f->own->pools_begun = id;
	crafted_event(f->own, LOOPMEM_EVENT_POOL_BEGIN, id, 0);
	return &f->own->pools[row];
}

static void add_worker(struct fixture *f, uint32_t pool_id, pid_t pid, int worker_id)
{
	f->own->workers[f->own->workers_begun++ % LOOPMEM_WORKERS] =
		(struct loopmem_worker_row){.pool_id = pool_id,
					    .pid = pid,
					    .worker_id = worker_id,
					    .time_ns = (uint64_t)clock_monotonic_ns()};
	crafted_event(f->own, LOOPMEM_EVENT_POOL_WORKER, pool_id, pid);
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(pid > 0);
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void a_pool_is_followed_from_birth_to_end(void **state)
{
	struct fixture *f = start();
	struct loopmem_pool_row *row = begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	struct contents *c;

	(void)state;
	strcpy(row->label, "train_loader");
	row->epoch = 3;
	poll_all(f);
	assert_true(f->edges.measure);
	row->batches = 10;
	row->state = LOOPMEM_POOL_EXHAUSTED;
	row->exhausted_ns = (uint64_t)clock_monotonic_ns();
	f->own->counters[0][1].alloc_bytes = 4096;
	crafted_event(f->own, LOOPMEM_EVENT_POOL_EXHAUSTED, 1, 10);
	poll_all(f);
	row->state = LOOPMEM_POOL_ENDED;
	row->end_ns = (uint64_t)clock_monotonic_ns();
	crafted_event(f->own, LOOPMEM_EVENT_POOL_END, 1, 0);
	poll_all(f);
	c = end(f);
	assert_int_equal(c->pools, 1);
	assert_string_equal(c->pool[0].stage, "train");
	assert_string_equal(c->pool[0].label, "train_loader");
	assert_int_equal(c->pool[0].epoch, 3);
	assert_int_equal(c->pool[0].batches, 10);
	assert_int_equal(c->pool[0].alloc_bytes, 4096);
	assert_true(c->pool[0].exhausted_ns >= 0 && c->pool[0].end_ns >= c->pool[0].exhausted_ns);
	assert_string_equal(c->process[0].role, "owner");
	assert_int_equal(c->events, 4);
	assert_string_equal(c->event[1].kind, "pool-begin");
	assert_string_equal(c->event[2].kind, "pool-exhausted");
	assert_string_equal(c->event[3].kind, "pool-end");
	assert_int_equal(c->event[2].pool, 1);
	assert_int_equal(c->event[2].value, 10);
	free(c);
}

/* The names are in the order of the enum, which the collector may not include. */
static void every_stage_has_its_name(void **state)
{
	static const char *const names[] = {
		[LOOPMEM_STAGE_OTHER] = "other",       [LOOPMEM_STAGE_TRAIN] = "train",
		[LOOPMEM_STAGE_SANITY] = "sanity",     [LOOPMEM_STAGE_VALIDATE] = "validate",
		[LOOPMEM_STAGE_TEST] = "test",         [LOOPMEM_STAGE_PREDICT] = "predict",
		[LOOPMEM_STAGE_PREDICT + 1] = "other",
	};
	enum { STAGES = sizeof(names) / sizeof(names[0]) };
	struct fixture *f = start();
	struct contents *c;

	(void)state;
	for (unsigned i = 0; i < STAGES; i++)
		begin_pool(f, i, i + 1, (enum loopmem_stage)i);
	poll_all(f);
	c = end(f);
	assert_int_equal(c->pools, STAGES);
	for (unsigned i = 0; i < STAGES; i++)
		assert_string_equal(c->pool[i].stage, names[i]);
	free(c);
}

static void pools_are_numbered_by_birth_whatever_their_rows(void **state)
{
	struct fixture *f = start();
	struct contents *c;

	(void)state;
	begin_pool(f, 5, 1, LOOPMEM_STAGE_TRAIN);
	begin_pool(f, 2, 2, LOOPMEM_STAGE_VALIDATE);
	begin_pool(f, 0, 3, LOOPMEM_STAGE_TEST);
	poll_all(f);
	c = end(f);
	assert_int_equal(c->pools, 3);
	assert_string_equal(c->pool[0].stage, "train");
	assert_string_equal(c->pool[1].stage, "validate");
	assert_string_equal(c->pool[2].stage, "test");
	free(c);
}

static void a_row_used_again_is_another_pool(void **state)
{
	struct fixture *f = start();
	struct contents *c;

	(void)state;
	begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	poll_all(f);
	begin_pool(f, 0, 2, LOOPMEM_STAGE_VALIDATE);
	poll_all(f);
	c = end(f);
	assert_int_equal(c->pools, 2);
	assert_string_equal(c->pool[0].stage, "train");
	assert_string_equal(c->pool[1].stage, "validate");
	free(c);
}

static void workers_are_joined_by_pid(void **state)
{
	struct fixture *f = start();
	pid_t first = start_child(), second = start_child();
	struct contents *c;

	(void)state;
	begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	add_worker(f, 1, first, 0);
	add_worker(f, 1, second, 1);
	poll_all(f);
	c = end(f);
	assert_int_equal(c->processes, 3);
	assert_int_equal(c->workers, 2);
	assert_int_equal(c->worker[1].worker_id, 1);
	assert_int_equal(c->worker[1].process, c->process[2].id);
	assert_int_equal(c->process[2].pid, second);
	assert_int_equal(c->process[2].parent, c->process[0].id);
	assert_string_equal(c->process[1].role, "worker");
	end_child(first);
	end_child(second);
	free(c);
}

/* A child that is gone before anything was seen of it: only its segment tells of it.
 * It ran for the first time that long after the fork. */
static void leave_segment(const struct fixture *f, pid_t pid, int64_t late_ns)
{
	struct loopmem_segment *segment = crafted_segment();

	segment->pid = pid;
	segment->parent_pid = getpid();
	segment->start_ticks = own_start_ticks();
	segment->fork_ns = segment->exit_ns = (uint64_t)(clock_monotonic_ns() + late_ns);
	crafted_file(segment_path(f, "left.seg"), segment, sizeof(*segment));
}

static void a_worker_is_joined_that_is_found_after_its_pool_has_ended(void **state)
{
	struct fixture *f = start();
	struct loopmem_pool_row *row = begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	struct contents *c;

	(void)state;
	add_worker(f, 1, 999999, 0);
	row->state = LOOPMEM_POOL_ENDED;
	row->end_ns = (uint64_t)clock_monotonic_ns();
	crafted_event(f->own, LOOPMEM_EVENT_POOL_END, 1, 0);
	edges_poll(&f->edges);
	pools_settle(&f->pools, &f->job, recorder_now(&f->recorder));
	leave_segment(f, 999999, 0);
	poll_all(f);
	pools_settle(&f->pools, &f->job, recorder_now(&f->recorder));
	assert_int_equal(f->pools.count, 0);
	c = end(f);
	assert_int_equal(c->workers, 1);
	assert_int_equal(c->worker[0].pool, c->pool[0].id);
	assert_int_equal(c->worker[0].process, c->process[1].id);
	assert_int_equal(c->process[1].pid, 999999);
	free(c);
}

static void a_worker_that_first_ran_late_is_joined(void **state)
{
	struct fixture *f = start();
	struct contents *c;

	(void)state;
	begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	add_worker(f, 1, 999999, 0);
	leave_segment(f, 999999, INT64_C(2000000000));
	poll_all(f);
	c = end(f);
	assert_int_equal(c->workers, 1);
	assert_int_equal(c->worker[0].process, c->process[1].id);
	free(c);
}

static void a_worker_that_is_never_found_is_not_waited_for_without_end(void **state)
{
	struct fixture *f = start();

	(void)state;
	begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN)->state = LOOPMEM_POOL_ENDED;
	add_worker(f, 1, 999999, 0);
	edges_poll(&f->edges);
	for (int i = 0; i < 10 && f->pools.count; i++)
		pools_settle(&f->pools, &f->job, recorder_now(&f->recorder));
	assert_int_equal(f->pools.count, 0);
	free(end(f));
}

static void a_pid_that_is_not_of_the_job_is_no_worker(void **state)
{
	struct fixture *f = start();
	struct contents *c;

	(void)state;
	begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	add_worker(f, 1, getppid(), 0);
	add_worker(f, 1, -5, 1);
	add_worker(f, 99, getppid(), 1);
	crafted_event(f->own, LOOPMEM_EVENT_FORK, 0, getppid());
	poll_all(f);
	c = end(f);
	assert_int_equal(c->processes, 1);
	assert_int_equal(c->workers, 0);
	free(c);
}

/* A child that the owner's segment told of, as the collector knows it. */
static struct process *told_child(struct fixture *f, pid_t child)
{
	struct process *p;

	crafted_event(f->own, LOOPMEM_EVENT_FORK, 0, child);
	poll_all(f);
	p = job_find(&f->job, child);
	assert_non_null(p);
	return p;
}

static void a_killed_worker_keeps_its_signal(void **state)
{
	struct fixture *f = start();
	pid_t child = start_child();
	struct process *p = told_child(f, child);
	struct contents *c;

	(void)state;
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT);
	job_end(&f->job, p, 0, NULL);
	job_settle(&f->job, 0, NULL, NULL);
	waitpid(child, NULL, 0);
	c = end(f);
	assert_int_equal(c->process[1].exit_signal, SIGKILL);
	assert_true(c->process[1].ended_ns >= 0);
	assert_string_equal(c->event[c->events - 1].kind, "process-ended");
	free(c);
}

static void tell_reaped(struct fixture *f, pid_t child, int status)
{
	crafted_event(f->own, LOOPMEM_EVENT_REAPED, 0, child);
	f->own->events[(f->own->event_seq - 1) % LOOPMEM_EVENTS].value2 = status;
}

/* As where the kernel does not tell it afterwards: without a pidfd. */
static void a_worker_that_was_reaped_at_once_has_the_signal_that_its_parent_saw(void **state)
{
	struct fixture *f = start();
	pid_t child = start_child();
	struct process *p = told_child(f, child);
	struct contents *c;

	(void)state;
	close(p->pidfd);
	p->pidfd = -1;
	tell_reaped(f, child, SIGSEGV); /* not yet true: it lives on */
	poll_all(f);
	assert_int_equal(p->state, PROCESS_ALIVE);
	end_child(child);
	job_end(&f->job, p, 0, NULL);
	job_settle(&f->job, 0, NULL, NULL);
	assert_int_equal(p->state, PROCESS_ENDED);
	tell_reaped(f, child, SIGKILL);
	poll_all(f);
	assert_int_equal(p->state, PROCESS_DONE);
	c = end(f);
	assert_int_equal(c->process[1].exit_signal, SIGKILL);
	free(c);
}

/* Identity is pid and start: what comes back under a known pid is another process. */
static void a_pid_that_comes_again_is_another_process(void **state)
{
	struct fixture *f = start();
	pid_t child = start_child();
	struct process *p = told_child(f, child);
	struct contents *c;

	(void)state;
	p->start_ticks--; /* as if it were an older one that had this pid */
	assert_ptr_not_equal(job_add(&f->job, child, NULL), p);
	assert_ptr_not_equal(job_find(&f->job, child), p);
	assert_int_not_equal(p->state, PROCESS_ALIVE);
	c = end(f);
	assert_int_equal(c->processes, 3);
	assert_int_equal(c->process[1].pid, c->process[2].pid);
	assert_true(c->process[1].ended_ns >= 0);
	assert_true(c->process[2].ended_ns == SESSION_NULL);
	end_child(child);
	free(c);
}

static void a_process_that_only_its_segment_tells_of_is_recorded(void **state)
{
	struct fixture *f = start();
	struct loopmem_segment *segment = crafted_segment();
	struct contents *c;

	(void)state;
	segment->pid = 999999;
	segment->parent_pid = getpid();
	segment->start_ticks = 1;
	segment->fork_ns = (uint64_t)clock_monotonic_ns();
	segment->exit_ns = segment->fork_ns;
	segment->exit_status = 3;
	crafted_file(segment_path(f, "999999-1.seg"), segment, sizeof(*segment));
	poll_all(f);
	job_settle(&f->job, 1, NULL, NULL);
	assert_int_equal(access(segment_path(f, "999999-1.seg"), F_OK), -1);
	c = end(f);
	assert_int_equal(c->processes, 2);
	assert_int_equal(c->process[1].pid, 999999);
	assert_int_equal(c->process[1].instrumented, 1);
	assert_int_equal(c->process[1].parent, c->process[0].id);
	assert_int_equal(c->process[1].exit_code, 3);
	free(c);
}

static void a_new_image_of_a_process_starts_counting_anew(void **state)
{
	struct fixture *f = start();
	struct loopmem_segment *segment = crafted_segment();
	struct loopmem_segment *second;
	struct contents *c;

	(void)state;
	begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	poll_all(f);
	segment->start_ticks = own_start_ticks();
	segment->birth_ns = 2;
	second = crafted_map(segment_path(f, "second.seg"), segment);
	poll_all(f);
	assert_int_equal(access(segment_path(f, "own.seg"), F_OK), -1);
	second->pools[0] =
		(struct loopmem_pool_row){.id = 1, .stage = LOOPMEM_STAGE_TEST, .begin_ns = 1};
	second->pools_begun = 1;
	crafted_event(second, LOOPMEM_EVENT_POOL_BEGIN, 1, 0);
	poll_all(f);
	c = end(f);
	assert_int_equal(c->processes, 1);
	assert_int_equal(c->pools, 2);
	assert_string_equal(c->pool[1].stage, "test");
	crafted_unmap(second);
	free(c);
}

static void edges_without_end_are_thinned(void **state)
{
	struct fixture *f = start();
	struct contents *c;

	(void)state;
	begin_pool(f, 0, 1, LOOPMEM_STAGE_TRAIN);
	for (int i = 0; i < 5; i++) {
		for (int k = 0; k < 1000; k++)
			crafted_event(f->own, LOOPMEM_EVENT_POOL_PARK, 1, 0);
		poll_all(f);
	}
	assert_in_range(f->edges.thinned, 2900, 3000);
	assert_int_equal(f->recorder.dropped_events, 0);
	crafted_event(f->own, LOOPMEM_EVENT_POOL_EXHAUSTED, 1, 0);
	poll_all(f);
	assert_in_range(f->edges.thinned, 2900, 3000); /* what counts is never left out */
	c = end(f);
	free(c);
}

static void mad_rows_do_no_harm(void **state)
{
	struct fixture *f = start();
	unsigned char *bytes = (unsigned char *)f->own->pools;
	struct contents *c;

	(void)state;
	srandom(2);
	for (size_t i = 0; i < sizeof(f->own->pools); i++)
		bytes[i] = (unsigned char)random();
	for (int i = 0; i < 300; i++) {
		crafted_event(f->own, (enum loopmem_event_kind)random(), (uint32_t)random(),
			      random());
		f->own->events[f->own->event_seq - 1].time_ns = (uint64_t)random() << 33;
		f->own->pools_begun = (uint64_t)random();
		poll_all(f);
	}
	assert_int_equal(session_lost_rows(f->recorder.session), 0);
	c = end(f);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_is_followed_from_birth_to_end),
		cmocka_unit_test(every_stage_has_its_name),
		cmocka_unit_test(pools_are_numbered_by_birth_whatever_their_rows),
		cmocka_unit_test(a_row_used_again_is_another_pool),
		cmocka_unit_test(workers_are_joined_by_pid),
		cmocka_unit_test(a_worker_is_joined_that_is_found_after_its_pool_has_ended),
		cmocka_unit_test(a_worker_that_first_ran_late_is_joined),
		cmocka_unit_test(a_worker_that_is_never_found_is_not_waited_for_without_end),
		cmocka_unit_test(a_pid_that_is_not_of_the_job_is_no_worker),
		cmocka_unit_test(a_killed_worker_keeps_its_signal),
		cmocka_unit_test(
			a_worker_that_was_reaped_at_once_has_the_signal_that_its_parent_saw),
		cmocka_unit_test(a_pid_that_comes_again_is_another_process),
		cmocka_unit_test(a_process_that_only_its_segment_tells_of_is_recorded),
		cmocka_unit_test(a_new_image_of_a_process_starts_counting_anew),
		cmocka_unit_test(edges_without_end_are_thinned),
		cmocka_unit_test(mad_rows_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
