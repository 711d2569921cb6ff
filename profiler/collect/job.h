/*
 * job.h: the table of the job's processes, from the first to the last. Identity is (pid, start
 * time): a pid that comes again is another process.
 *
 * A process stays in the table after its end as long as its exit status may be learned, a living
 * process or a pool refers to it, or it ended lately (its shared memory may outlive it). Rows and
 * the events process-seen and process-ended are written here.
 */
#ifndef PROFILER_COLLECT_JOB_H
#define PROFILER_COLLECT_JOB_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/collect/process.h"
#include "profiler/collect/recorder.h"

struct job {
	struct recorder *recorder;
	int epoll_fd;       /* pidfds are added with the process's id as data; -1 = none */
	int segment_dir_fd; /* where segments are removed once they are read; -1 = nowhere */
	/* called before a process's segment is closed: the last chance to read its edges; NULL
	 * allowed */
	void (*before_end)(struct process *, void *);
	void *before_end_arg;
	struct process **items;
	size_t count, capacity;
	size_t alive;
	int64_t last_id;
	int64_t changed_ns; /* a process that shares pages came or went */
};

void job_init(struct job *j, struct recorder *r, int epoll_fd);
void job_release(struct job *j);

/* Adds a process of the machine; the one that has this pid already when it is still the same. NULL
 * when there is none (any more). `parent` NULL = job_add_parent(); when that one is not of the job,
 * neither is the process, and NULL is returned. The first process added is the root. */
struct process *job_add(struct job *j, pid_t pid, struct process *parent);

/* Whom the kernel calls the parent of that process, added when it is new; NULL when it is not of the
 * job, which has a root by now. */
struct process *job_add_parent(struct job *j, pid_t pid);

/* Adds a process that only its segment tells of: it was gone before it was seen. */
struct process *job_add_dead(struct job *j, const struct segment_identity *identity);

/* The living process with this pid, or NULL. */
struct process *job_find(const struct job *j, pid_t pid);
struct process *job_find_id(const struct job *j, int64_t id);

/* The process that called itself `inner_pid` (in its pid namespace) at t_ns, to 20 ms; NULL =
 * none. */
struct process *job_find_inner(const struct job *j, pid_t inner_pid, int64_t t_ns);

/* Takes the last that the segment of a process tells, which ended or whose segment is lost, which is
 * noted; closes and removes it. */
void job_finish_segment(struct job *j, struct process *p);

/* The process ended at t_ns (0 = now). Its last heap figures are written, those who shared memory
 * with it are marked stale. The status is NULL when it is not known: it will be asked for. */
void job_end(struct job *j, struct process *p, int64_t t_ns, const int *status);

/* Asks for the exit statuses still unknown, gives up after 2 s or when `last` is set, and forgets
 * who need not be remembered. `is_needed` tells of processes that others refer to. */
void job_settle(struct job *j, int last, int (*is_needed)(const struct process *, void *),
		void *arg);

/* Those who share pages with p, p itself included, have to be walked again. */
void job_mark_stale(struct job *j, int64_t family);

/* Goes through what is alive. `p` is the loop variable. */
#define JOB_EACH_ALIVE(j, p)                                   \
	for (size_t job_i_ = 0; job_i_ < (j)->count; job_i_++) \
		if (((p) = (j)->items[job_i_])->state == PROCESS_ALIVE)

#endif
