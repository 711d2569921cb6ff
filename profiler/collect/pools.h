/*
 * pools.h: the pools of all owners, from their segments to the session: numbers in order of birth
 * over the whole session, rows that follow the segment's, workers joined by their pids.
 */
#ifndef PROFILER_COLLECT_POOLS_H
#define PROFILER_COLLECT_POOLS_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/collect/job.h"

/* How workers came to life: the order of enum loopmem_start, which is part of the segment. */
enum pool_start {
	POOL_START_NONE,
	POOL_START_FORK,
	POOL_START_SPAWN,
	POOL_START_FORKSERVER,
	POOL_START_THREAD,
	POOL_STARTS
};

enum { POOL_UNKNOWN = -1 }; /* number in a row that nobody told: LOOPMEM_UNKNOWN */

struct pool_worker {
	struct process *process; /* NULL = its pid was not found (yet) */
	int32_t pid, worker_id;
	int64_t t_ns;
	int orphan; /* it outlived its owner, and that was noted */
};

struct pool {
	int64_t number;
	struct process *owner;
	uint32_t id;              /* in the owner's segment; 0 = that is gone */
	struct segment_pool last; /* as last written */
	int64_t written_ns;
	struct pool_worker *workers;
	size_t worker_count, worker_capacity;
	int over;    /* ended, or its owner is gone: the row is final */
	int awaited; /* how often pools_settle kept it, over, for a worker that was not found */
	int guessed; /* found from outside: no segment tells of it, attach_pools.h keeps `last` */
};

/* The name that the session has for a value of enum loopmem_stage; unknown ones are "other". */
const char *pools_stage_name(uint32_t stage);

struct pools {
	struct pool **items; /* those not over, and those over whose workers live */
	size_t count, capacity;
	int64_t last_number;
};

void pools_release(struct pools *ps);

/* Takes up pools that were begun since, of all processes, in order of their births. */
void pools_find_new(struct pools *ps, struct job *j);

/* Processes with one origin that serve no loader: pool->last.row.flags, as in the segment. */
enum { POOL_FLAG_GROUP = 8 };
int pool_is_group(const struct pool *pool);

/* A pool that no segment tells of: `row` as the segment would have it. Its owner becomes one. NULL
 * when out of memory. A guess from outside, or children that a process forked (forks.h). */
struct pool *pools_add_guess(struct pools *ps, struct job *j, struct process *owner,
			     const struct loopmem_pool_row *row);
struct pool *pools_add_forks(struct pools *ps, struct job *j, struct process *owner,
			     const struct loopmem_pool_row *row);
void pool_add_untold_worker(struct pool *pool, struct job *j, struct process *worker);

/* Writes the row of such a pool as pool->last has it now. */
void pool_rewrite(struct pool *pool, struct job *j);

/* Brings rows and workers of one owner's pools up to date; `now_ns` of the session. Rows are
 * written when an edge lies between, or a second; with `whole` whatever changed. */
void pools_update(struct pools *ps, struct job *j, struct process *owner, int64_t now_ns,
		  int whole);

/* The owner has ended, or became another program: its pools are over. */
void pools_owner_gone(struct pools *ps, const struct process *owner);

/* Looks for workers not found so far, notes workers that outlived their owner, forgets pools that
 * are over and whose workers have all ended; one not found by then is waited for, a few times. About
 * once a second. */
void pools_settle(struct pools *ps, struct job *j, int64_t now_ns);

struct pool *pools_find(const struct pools *ps, const struct process *owner, uint32_t id);

/* Is the process an owner or worker of a pool still in the table? */
int pools_refer_to(const struct pools *ps, const struct process *p);

/* Marks the workers (of a large pool: its representatives in that turn) as to be walked for an edge,
 * and the owner. What the edge is about are the workers: the owner is there before and after it, and takes
 * no credit for it unless it has none. */
void pool_mark_edge(struct pool *pool, enum process_edge edge, uint64_t turn);

#endif
