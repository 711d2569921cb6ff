/*
 * process.h: one process of the job as the collector knows it: its identity, the files kept open,
 * its segment, its last figures, and what the schedule must remember of it.
 */
#ifndef PROFILER_COLLECT_PROCESS_H
#define PROFILER_COLLECT_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "profiler/collect/proc_counters.h"
#include "profiler/collect/proc_file.h"
#include "profiler/collect/proc_rollup.h"
#include "profiler/collect/recorder.h"
#include "profiler/collect/role.h"
#include "profiler/collect/schedule.h"
#include "profiler/collect/segment_reader.h"
#include "profiler/collect/sites_reader.h"

enum process_state {
	PROCESS_ALIVE,
	PROCESS_ENDED, /* dead; its exit status may still be asked for */
	PROCESS_DONE,  /* nothing more to learn */
};

/* An edge that concerns a process, until its figures are taken for it. */
enum process_edge {
	PROCESS_EDGE_NONE,
	/* a beginning: while its family is about to be walked anyway, that walk serves */
	PROCESS_EDGE_BEGINS,
	/* a moment whose exact figures are wanted: what it shows may be gone soon */
	PROCESS_EDGE_NOW,
};

struct process {
	int64_t id; /* in the session, from 1 */
	pid_t pid, inner_pid;
	uint64_t
		start_ticks; /* with pid its identity on the machine; 0 = it was gone before it could be read */
	struct process *parent; /* NULL = the root, or not known; valid as long as the job */
	enum role role;
	enum process_state state;
	int forked;     /* has not exec'd since its fork: shares pages with `family` */
	int64_t family; /* id of the process that the fork tree it belongs to began with */
	char cmdline[512];

	int64_t born_ns, ended_ns; /* of the session; SESSION_NULL = not yet */
	int status_known, status;  /* as wait() gives it */
	int64_t rank;
	int64_t shared_at_fork_bytes;
	int64_t inherited_anon_bytes; /* what its parent had at the fork; SESSION_NULL = not known */
	int64_t first_seen_ns;

	struct proc_file stat_file, statm_file, status_file;
	int pidfd; /* -1 = none */

	struct segment_reader segment;
	char segment_name[64];
	int instrumented;          /* has or had a segment */
	uint64_t segment_birth_ns; /* of the segment, CLOCK_MONOTONIC */
	uint64_t segment_exec_ns;  /* exec_ns that has been looked into */
	struct segment_identity identity;
	struct segment_state segment_state; /* as last written to the session */

	struct sites_reader sites; /* opened when its file is there */
	uint32_t sites_state;      /* enum loopmem_python_stacks, as last looked at */
	uint32_t sites_objects;    /* enum loopmem_python_objects, as last seen there */

	char fork_site
		[LOOPMEM_TEXT]; /* what forked it, as its parent's shim told; "" = not known */
	int claimed;            /* a pool will name it as its worker */

	/* pools that it owns or works for */
	uint32_t last_pool_id;  /* the newest of its own that was taken up */
	int64_t events_paid_ns; /* frequent edges up to now are paid for until then: edges.c */
	int64_t pool;           /* session number of the pool it works for, 0 = none */
	int64_t worker_index, worker_count; /* its place among the pool's workers */

	/* figures of the last round */
	struct proc_statm statm;
	int64_t statm_ns; /* SESSION_NULL = never read */
	int64_t minor_faults, fds;
	int64_t fd_limit,
		fds_at_limit; /* how many it may have; how many it had when that was read */
	int exiting;          /* a zombie, or statm said 0 */

	/* walks */
	struct walk_pace pace;
	int64_t anon_at_walk, mapped_at_walk, minor_faults_at_walk, shared_at_walk, private_at_walk;
	int64_t pss_at_walk, pss_anon_at_walk;
	enum process_edge edge;
	int stale; /* a sharer came or went: its proportional bytes are no longer what the walk said */
	int64_t stale_ns;
	int suspect; /* a sharer copied pages: the shares of the others grew, and nothing else shows it */
};

/* Fills a process from /proc: 0, or -ESRCH when there is none (any more). `parent` may be NULL.
 * Writes nothing. */
int process_open(struct process *p, pid_t pid, struct process *parent, const struct recorder *r);

/* Does the process with this pid have that start time? */
int process_is(pid_t pid, uint64_t start_ticks);

/* When the process that has this pid was started, in the session's time; long ago when there is none. */
int64_t process_birth_ns(const struct recorder *r, pid_t pid);

/* Takes the birth of a process with a segment. The kernel knows it to 10 ms, and a forked process tells it more exactly, unless it
 * ran for the first time later than that: on a busy machine a second may pass. */
void process_take_birth(struct process *p, const struct segment_identity *identity,
			const struct recorder *r);

/* Closes files, pidfd and segment. */
void process_close(struct process *p);

/* Reads the command line again, as after an exec; sets `forked` and the role by command. 1 when the
 * command line changed, 0 when it did not, -ESRCH when the process has ended. */
int process_look_again(struct process *p);

/* Reads statm. 1 = alive and measured, 0 = exiting or gone. */
int process_measure(struct process *p, int64_t t_ns);

/* Writes the row of the process to the session. */
void process_write(struct process *p, struct recorder *r);

/* Writes the heap row from the segment, when there is one of the running image. */
void process_write_heap(const struct process *p, struct recorder *r, int64_t t_ns);

/* Reads stat, status, wchan and the number of descriptors, and writes the detail row. */
void process_write_detail(struct process *p, struct recorder *r, int64_t t_ns);

/* Walks it and writes the rollup row. 0, or -errno. *copied_bytes = what it copied of shared pages
 * since its last walk. */
int process_walk(struct process *p, struct recorder *r, int64_t t_ns, enum walk_reason reason,
		 int64_t *copied_bytes);

/* Reads its minor faults anew. */
void process_count_faults(struct process *p);

void process_mark_edge(struct process *p, enum process_edge edge);

/* By how much its anonymous resident pages became more or less since the last walk. */
int64_t process_grown_bytes(const struct process *p);

/* Memory that may have changed since the last walk: what statm saw of anonymous pages or of mapped files and shared memory, or what the
 * faults could have copied. */
int64_t process_changed_bytes(const struct process *p);

/* The rank in the environment that its image was started with; SESSION_NULL when there is none. */
int64_t process_rank(pid_t pid);

#endif
