/*
 * collector.h: the collector's loop: segments, /proc and cgroup of one job into one session.
 * Single-threaded.
 *
 * Every 20 ms it looks at mapped memory only (edges); what else is read and when is sampler.h's
 * business. It never waits for the job, never signals it, and ends soon after the job's first
 * process.
 */
#ifndef PROFILER_COLLECT_COLLECTOR_H
#define PROFILER_COLLECT_COLLECTOR_H

#include <stdint.h>
#include <sys/types.h>

#include "profiler/collect/oom_before.h"
#include "profiler/collect/sites.h"
#include "profiler/error.h"

struct collector;

struct collector_options {
	const char *
		segment_directory; /* exists; NULL = attach: a job without the shim, by /proc alone */
	const char *file;          /* the session to make */
	int64_t max_bytes;         /* of the session */
	int64_t clock_ns; /* CLOCK_MONOTONIC at the moment 0: not later than the root's birth */
	pid_t root;       /* the job's first process */
	int reaps;        /* this process is the subreaper of the job */
	const struct oom_before *before; /* of a job that this process started; NULL = it did not */
	int64_t grace_ns;                /* how long processes that outlive the root are watched */
	char *const *argv;               /* the command; NULL = read it from the root */
	const char *version;             /* of this program */
	int released;                    /* it runs with --release-idle-workers */
	int trims;                       /* it runs with --trim-test */
	int64_t sample_bytes;      /* mean between samples of call stacks; 0 = the shim's own */
	sites_resolve_fn *resolve; /* names native frames at the end; NULL = not */
};

struct collector_note {
	const char *text;
	int64_t count;
};

/* Makes the session and starts to watch. 0 or a negative error_kind, then nothing was started. */
int collector_start(struct collector **out, const struct collector_options *options,
		    struct error *e);

/* A descriptor to be served in the loop: fn(arg) is called when it is readable. */
int collector_watch(struct collector *c, int fd, void (*fn)(void *), void *arg);

/* Tells of a process that was reaped: its wait status. */
void collector_reaped(struct collector *c, pid_t pid, int status);

/* Tells of a signal that asks the whole run to end: Ctrl-C, or what a scheduler sends. */
void collector_signalled(struct collector *c, int signal);

/* Works until the root has ended and the grace is over, or nobody is left; then takes a last look
 * at everything. */
void collector_run(struct collector *c);

/* Makes collector_run return at the next chance. */
void collector_stop(struct collector *c);

/* CLOCK_MONOTONIC at which a running process was born, to 10 ms; now when it is gone. */
int64_t collector_birth_of(pid_t pid);

/* Had the root a segment? To be asked after collector_run. */
int collector_root_instrumented(const struct collector *c);

/* Closes the session and frees c. 0, or the first failure of writing: what is in the file is
 * readable up to there. Warnings that a person should see go to `warn` (NULL = nowhere). */
int collector_finish(struct collector *c, void (*warn)(const struct collector_note *, void *),
		     void *arg, struct error *e);

#endif
