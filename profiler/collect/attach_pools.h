/*
 * attach_pools.h: pools that were guessed: their rows, and what state each is likely in, as events
 * in the session.
 */
#ifndef PROFILER_COLLECT_ATTACH_POOLS_H
#define PROFILER_COLLECT_ATTACH_POOLS_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/collect/edges.h"
#include "profiler/collect/ladder.h"
#include "profiler/collect/segment_reader.h"

/* The pipes in which a pool's batches may wait, as descriptors of the owner: the result queue and
 * the first worker's index queue, which is empty while that worker is idle. */
struct attach_queues {
	struct proc_pipe pipes[2]; /* read_fd of the owner */
	int count;
};

/* `known`: pipes of earlier children. */
void attach_queues_find(struct attach_queues *out, const struct ladder_child *first,
			const struct id_set *known);

struct attach_found {
	struct process *owner, *first; /* worker */
	enum pool_start start;
	enum ladder_kind kind;
	struct attach_queues queues;
};

struct guess;
struct attach_pools {
	struct edges *edges;
	struct guess *items; /* pools not over */
	size_t count, capacity;
	uint32_t last_id;
};

void attach_pools_release(struct attach_pools *ps);

/* Adds a pool without its workers. Its number in the session, 0 = out of memory. */
int64_t attach_pools_add(struct attach_pools *ps, const struct attach_found *found);

/* A worker of the pool with that number, if it still is. */
void attach_pools_join(struct attach_pools *ps, int64_t number, struct process *worker);

/* Tells which pools ended since. */
void attach_pools_end(struct attach_pools *ps);

/* Looks at all workers and tells what changed. About once a second. */
void attach_pools_judge(struct attach_pools *ps, int64_t now_ns);

#endif
