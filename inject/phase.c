/*
 * phase.c: the calls of loopmem.h on phases. Named ones lie on a small stack, below them what the pools say. Written under LOCK_POOLS,
 * read without.
 */
#pragma GCC visibility push(default)
#include "inject/loopmem.h"
#pragma GCC visibility pop
#include "inject/phase.h"

#include <errno.h>

#include "inject/events.h"
#include "inject/lifecycle.h"
#include "inject/locks.h"
#include "inject/site_table.h"
#include "inject/trim.h"

enum {
	NAMED = 16
}; /* phases within phases; deeper ones have the stage of the last that found room */

static uint8_t named[NAMED]; /* 1 + stage */
static uint32_t depth;       /* of named phases, may exceed NAMED */
static uint8_t of_pools;     /* 1 + stage; 0 = no pool so far */
static uint32_t present;     /* what phase_stage says; atomic, as the next */
static uint32_t edges;

static void settle(void)
{
	uint32_t top = depth < NAMED ? depth : NAMED;

	/* Between two phases the earlier one goes on. */
	if (top || of_pools)
		__atomic_store_n(&present, top ? named[top - 1] : of_pools, __ATOMIC_RELAXED);
	__atomic_store_n(&edges, edges + 1, __ATOMIC_RELAXED);
	site_table_edges(edges);
}

void phase_delivers(enum loopmem_stage stage)
{
	of_pools = (uint8_t)(1 + stage);
	settle();
}

void phase_enter(enum loopmem_stage stage)
{
	if (depth < NAMED)
		named[depth] = (uint8_t)(1 + stage);
	depth++;
	settle();
}

void phase_leave(void)
{
	if (!depth)
		return;
	depth--;
	settle();
}

void loopmem_phase_begin(enum loopmem_stage stage, int32_t epoch, const char *name)
{
	int saved = errno;

	lifecycle_trainer();
	if (lock_enter(LOCK_POOLS)) {
		phase_enter(stage);
		lock_leave(LOCK_POOLS);
	}
	event_emit(&(struct event){LOOPMEM_EVENT_PHASE_BEGIN, 0, stage, epoch, name});
	trim_look();
	errno = saved;
}

void loopmem_phase_end(void)
{
	int saved = errno;

	if (lock_enter(LOCK_POOLS)) {
		phase_leave();
		lock_leave(LOCK_POOLS);
	}
	event_emit(&(struct event){.kind = LOOPMEM_EVENT_PHASE_END});
	trim_look();
	errno = saved;
}

uint32_t phase_stage(void)
{
	return __atomic_load_n(&present, __ATOMIC_RELAXED);
}

uint32_t phase_edges(void)
{
	return __atomic_load_n(&edges, __ATOMIC_RELAXED);
}

void phase_forked(void)
{
	depth = of_pools = 0;
	present = edges = 0;
}
