/*
 * phase.h: the stage of the loop that this process is in, for its call sites.
 *
 * The same as the model tells from the events (profiler/model/phases.c): the innermost phase that the program named, else the
 * stage of the pool that it began to take batches from last; what lies between two phases belongs to the earlier one. A
 * worker has none of its own: its pool tells.
 */
#ifndef INJECT_PHASE_H
#define INJECT_PHASE_H

#include <stdint.h>

#include "inject/loopmem.h"

/* LOCK_POOLS. A pool delivers, after another or for the first time in a use; what loopmem_phase_begin and _end do to the stack. */
void phase_delivers(enum loopmem_stage stage);
void phase_enter(enum loopmem_stage stage);
void phase_leave(void);

/* As in sites.h: 0 = none so far, else 1 + stage. How many edges there were. Any thread. */
uint32_t phase_stage(void);
uint32_t phase_edges(void);

/* In the child of a fork: it has no phases. */
void phase_forked(void);

#endif
