/*
 * attach.h: pools of a job that runs without the shim, guessed from outside: who works for whom by
 * ladder.h, who is idle by idle.h. Another source of pools for the collector: what it finds goes
 * into the table of pools.h and into the session, marked as guesses.
 *
 * Nothing of the job is touched but one thing: the reading end of a result queue is opened for the
 * moment it takes to ask how much waits in it.
 */
#ifndef PROFILER_COLLECT_ATTACH_H
#define PROFILER_COLLECT_ATTACH_H

#include <stdint.h>

#include "profiler/collect/discover.h"
#include "profiler/collect/edges.h"

struct attach;

/* NULL = out of memory. `edges` with its job and pools, and `discovery`, must outlive it. */
struct attach *attach_new(struct edges *edges, struct discovery *discovery);
void attach_free(struct attach *a);

/* Finds and places processes that are new and judges pools, once a second or as seldom as keeps it
 * within 0.2 % of a core. Called every tick. */
void attach_step(struct attach *a, int64_t now_ns);

/* How far the second witness, the pipes, agrees is noted. Before the session is closed. */
void attach_finish(struct attach *a);

#endif
