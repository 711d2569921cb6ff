/*
 * lifecycle.c: the constructor, the fork handlers, the exec and exit marks.
 *
 * Who is who: a child of fork() runs after_fork_child before anything of its own; a child of vfork
 * shares this memory and must change nothing in it (its pid is not the segment's); a child of a bare
 * clone runs no handler and is found at its first tick by a page that forks wipe.
 */
#include "inject/lifecycle.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/bare.h"
#include "inject/events.h"
#include "inject/fork_site.h"
#include "inject/heap.h"
#include "inject/locks.h"
#include "inject/phase.h"
#include "inject/pools.h"
#include "inject/python_boot.h"
#include "inject/python_objects.h"
#include "inject/rate.h"
#include "inject/real.h"
#include "inject/regions.h"
#include "inject/sampled.h"
#include "inject/self.h"
#include "inject/thread_slots.h"
#include "inject/trim.h"

/* *not_forked is 1, and 0 in a child that no handler has seen. */
static unsigned char always = 1;
static unsigned char *not_forked = &always; /* written at start */
static uint64_t live_at_fork;               /* between prepare and child, all locks held */

static void make_fork_detector(void)
{
	size_t page = (size_t)getpagesize();
	unsigned char *mark =
		REAL(mmap)(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (mark == MAP_FAILED)
		return;
	if (REAL(madvise)(mark, page, MADV_WIPEONFORK) < 0) {
		REAL(munmap)(mark, page);
		return;
	}
	*mark = 1;
	not_forked = mark;
}

static void become_child(uint64_t inherited_live_bytes)
{
	python_boot_forked();
	rate_forked();
	heap_forked();
	self_forked(inherited_live_bytes);
	regions_forked();
	pools_forked();
	phase_forked();
	sampled_forked();
	trim_forked();
	*not_forked = 1;
}

static void before_fork(void)
{
	sampled_before_fork();
	locks_before_fork();
	live_at_fork = thread_live_bytes(self_segment);
}

static void after_fork_parent(void)
{
	locks_after_fork_parent();
	sampled_after_fork_parent();
}

static void after_fork_child(void)
{
	int saved = errno;

	locks_after_fork_child();
	become_child(live_at_fork);
	errno = saved;
}

void lifecycle_check_fork(void)
{
	if (__builtin_expect(*not_forked, 1))
		return;
	locks_after_fork_child();
	become_child(thread_live_bytes(self_segment));
}

void lifecycle_has_forked(pid_t child, const void *caller)
{
	struct fork_site site;

	guard_enter();
	if (!self_is_planned()) /* what forks has something to tell */
		self_publish();
	if (self_is_published() && !python_boot_fork_site(&site))
		fork_site_find(&site, caller);
	guard_leave();
	if (!self_is_published())
		return;
	event_emit(&(struct event){.kind = LOOPMEM_EVENT_FORK,
				   .value = child,
				   .value2 = site.claimed,
				   .text = site.text});
}

static bool is_this_process(void)
{
	lifecycle_check_fork();
	return getpid() == self_segment->pid;
}

void lifecycle_exec(void)
{
	if (!is_this_process() || !self_is_published())
		return;
	self_settle();
	self_segment->exec_ns = self_now_ns();
	event_emit(&(struct event){.kind = LOOPMEM_EVENT_EXEC});
}

void lifecycle_exec_failed(void)
{
	if (is_this_process())
		self_segment->exec_ns = 0;
}

/* A child that counted nothing has nothing to tell. */
static bool has_counted(void)
{
	struct loopmem_counters sum = thread_sum(self_segment, 0);

	return self_is_published() || sum.allocs || sum.frees || self_segment->inherited_frees;
}

void lifecycle_exit(int status)
{
	int saved = errno;

	if (is_this_process() && has_counted()) {
		self_settle();
		self_segment->exit_status = status;
		self_segment->exit_ns = self_now_ns();
		event_emit(&(struct event){.kind = LOOPMEM_EVENT_EXIT, .value = status});
	}
	errno = saved;
}

/* Of those that programs use to end others. */
static bool is_an_end(int signal)
{
	return signal == SIGTERM || signal == SIGKILL || signal == SIGINT || signal == SIGHUP ||
	       signal == SIGQUIT || signal == SIGABRT;
}

static void tell_of(enum loopmem_event_kind kind, pid_t pid, int what)
{
	int saved = errno;

	if (is_this_process() && self_is_published())
		event_emit(&(struct event){.kind = kind, .value = pid, .value2 = what});
	errno = saved;
}

void lifecycle_kill(pid_t pid, int signal)
{
	if (is_an_end(signal))
		tell_of(LOOPMEM_EVENT_KILL, pid, signal);
}

void lifecycle_reaped(pid_t child, int status)
{
	if (WIFSIGNALED(status))
		tell_of(LOOPMEM_EVENT_REAPED, child, status);
}

static void at_exit(int status, void *unused)
{
	(void)unused;
	lifecycle_exit(status);
}

void lifecycle_trainer(void)
{
	guard_enter();
	if (self_is_planned() && !bare_begin())
		self_give_up_plan();
	self_publish();
	guard_leave();
}

void lifecycle_groups(void)
{
	guard_enter();
	self_publish();
	guard_leave();
}

/* First, so that our fork handler of the child runs before any other that allocates. */
__attribute__((constructor(101))) static void start(int argc, char **argv)
{
	int saved = errno;
	const char *directory;

	guard_enter();
	real_resolve();
	python_objects_want(secure_getenv("LOOPMEM_PYTHON_ALLOCATORS"));
	rate_set(secure_getenv("LOOPMEM_SAMPLE_BYTES"));
	heap_start();
	make_fork_detector();
	pthread_atfork(before_fork, after_fork_parent, after_fork_child);
	on_exit(at_exit, NULL);
	directory = secure_getenv("LOOPMEM_DIR");
	if (directory && !*directory)
		directory = NULL;
	self_start(argc, argv, directory, directory ? NULL : bare_plan());
	thread_attach();
	self_publish();
	thread_set_context(0);
	thread_count_down();
	trim_start(secure_getenv("LOOPMEM_TRIM_TEST"));
	guard_leave();
	errno = saved;
}
