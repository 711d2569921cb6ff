/*
 * ladder.h: which pool a worker belongs to, from the semaphores and pipes it was born with. Pure.
 *
 * A loader makes a result queue (3 semaphores) and an event (5) for the pool and an index queue (3)
 * for each worker, just before that worker is forked or handed them. Taking an owner's children in
 * the order of their births, the semaphores that no earlier one had ("fresh") climb in steps:
 *
 *	first worker of a pool   8 of the pool + 3 of its own  = 11
 *	each further one                         3 of its own  =  3
 *	a sibling died unseen: its 3 appear in the next one      + 3 each
 *
 * Workers of multiprocessing.Pool and of executors share all they have: 6, 0, 0 or 5, 0, 0. Pipes
 * tell the same by another way: 2 fresh two-ended ones (result, index) against 1.
 */
#ifndef PROFILER_COLLECT_LADDER_H
#define PROFILER_COLLECT_LADDER_H

#include <stddef.h>

#include "profiler/collect/proc_ipc.h"

/* Of the first worker of a loader; a spawned one never has fewer. */
enum { LADDER_FIRST_SEMAPHORES = 11 };

enum ladder_kind {
	LADDER_LOADER, /* shaped like a data loader */
	LADDER_OTHER,  /* workers that share their queues: multiprocessing.Pool, an executor */
};

struct ladder_child {
	const struct proc_ipc *ipc;   /* of the child */
	const struct proc_ipc *owner; /* what the owner has now; may be empty */
	int named;                    /* its thread is called a loader's worker */
	int spawned; /* started by spawn or forkserver: it was handed what it has, and inherited nothing */
};

struct ladder_pool {
	enum ladder_kind kind;
	int hands_over;           /* its workers keep one end of queues the owner has both of */
	struct id_set semaphores; /* of its first worker */
	size_t workers;           /* placed so far */
};

struct ladder {
	struct id_set semaphores, pipes; /* of all children so far */
	struct ladder_pool *pools;       /* in the order of their births */
	size_t count, capacity;
};

enum ladder_place {
	LADDER_NONE,   /* no worker */
	LADDER_JOINED, /* the worker of a pool known already */
	LADDER_NEW,    /* the first of a new pool */
	LADDER_FAILED, /* no memory */
};

struct ladder_step {
	enum ladder_place place;
	size_t pool;     /* index, when a worker */
	size_t fresh;    /* semaphores */
	size_t dead;     /* siblings that it inherited from and that were never seen */
	int pipes_agree; /* the pipes draw the same boundary */
};

/* Places the next child. To be called once each, in the order of (start, pid). */
struct ladder_step ladder_place(struct ladder *l, const struct ladder_child *child);

void ladder_release(struct ladder *l);

#endif
