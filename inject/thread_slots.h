/*
 * thread_slots.h: a thread's slot in the segment: taken, carried to another segment, given back, summed up.
 *
 * A slot's counters are written by one thread only: its owner from the first hooked call until its
 * keys are destroyed. Threads beyond the 64th, and what a thread frees after that, use the shared
 * slot with atomic additions.
 */
#ifndef INJECT_THREAD_SLOTS_H
#define INJECT_THREAD_SLOTS_H

#include "inject/thread.h"

/* Gives the calling thread its slot, once. Keeps errno. */
void thread_attach(void);

/* Begins the way to the next tick: a sampling point; or an early one, in a child that is not yet seen to stay, in an
 * interpreter that is not hooked yet, and where the rate is to be looked at again. */
void thread_count_down(void);

/* That many gaps, of all threads, end after 16 KiB: an interpreter was found and waits for its hook. */
void thread_tick_soon(int gaps);

/* How threads may count a block (heap.h): by the short way of a process started by exec, by that of a fork's child, or by neither. */
enum thread_way { THREAD_WAY_LONG, THREAD_WAY_FIRST, THREAD_WAY_CHILD };

/* For contexts that are set from here on. Before threads, at start and in a fork's child. */
void thread_set_way(enum thread_way way);

/* Makes `context` the calling thread's, in the present segment. */
void thread_set_context(uint8_t context);

/* The shared slot's counters for the calling thread's context: add atomically. */
struct loopmem_counters *thread_shared_row(void);

/* The segment moved (self.c, LOCK_SEGMENT held): copies what the slots hold so far, and has their
 * owners settle at their next allocation. */
void thread_carry(const struct loopmem_segment *from, struct loopmem_segment *to);

/* Adds what the calling thread counted in the old segment since it was carried. */
void thread_settle(void);

/* True when no other thread of this process was seen so far that is still there. */
bool thread_is_alone(void);

/* In the child of a fork: only the calling thread exists, and it starts anew in slot 0. */
void thread_forked(void);

/* Sums over all threads, which may be counting meanwhile. */
uint64_t thread_live_bytes(const struct loopmem_segment *segment);
struct loopmem_counters thread_sum(const struct loopmem_segment *segment, uint32_t context);

#endif
