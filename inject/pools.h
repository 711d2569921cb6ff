/*
 * pools.h: the rows of the pool table. The public side is loopmem.h.
 *
 * Life of a pool:  STARTING -> DELIVERING <-> PARKED, from any of them -> EXHAUSTED, and ENDED.
 * A pool is parked when the owner asks another one. Two pools that are asked in turn (a loop over
 * zip(a, b)) do not park each other: a pool asked less than POOL_TURN_NS ago is in turn.
 */
#ifndef INJECT_POOLS_H
#define INJECT_POOLS_H

#include "inject/loopmem.h"
#include "inject/segment.h"

#define POOL_TURN_NS UINT64_C(1000000000)

/* loopmem_pool_begin with the framework whose loop begins it, "lightning 2.6.1"; "" = not known. */
loopmem_pool pools_begin(const struct loopmem_pool_spec *spec, const char *framework);

/* The hook ends an idle pool now, or says why not. Leaves an event. */
void pools_released(loopmem_pool pool, enum loopmem_release why_not);

/* next ended by an error: no batch, and the pool is not at its end. */
void pools_next_failed(loopmem_pool pool);

/* loopmem_pool_reuse for another stage, too: one loader that serves the sanity check and
 * validation. */
void pools_reused(loopmem_pool pool, enum loopmem_stage stage, int32_t epoch);

/* In the child of a fork: it has no pools; calls that name the parent's are ignored. */
void pools_forked(void);

#endif
