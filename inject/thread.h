/*
 * thread.h: what the shim keeps per thread, and the thread's slot in the segment.
 *
 * A slot's counters are written by one thread only: its owner from the first hooked call until its
 * keys are destroyed. Threads beyond the 64th, and what a thread frees after that, use the shared
 * slot with atomic additions. Initial-exec and at most 64 bytes: static TLS is scarce.
 */
#ifndef INJECT_THREAD_H
#define INJECT_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/claim.h"
#include "inject/segment.h"

enum thread_state {
	THREAD_NEW = 0,
	THREAD_ATTACHED = 1, /* owns a slot */
	THREAD_SHARED = 2,   /* no slot was left, or the thread is ending */
};

struct thread {
	/* = row while counting is only adding (heap.h), else NULL; the second in the child of a fork */
	struct loopmem_counters *fast, *fast_child;
	struct loopmem_counters *row; /* of the current context; NULL = the shared slot */
	int64_t countdown;            /* bytes to allocate until the slow path */
	uint64_t outer;               /* contexts of the nexts around this one, 6 bits each */
	uint64_t random;
	uint32_t pool; /* whose next this thread is in, 0 = none */
	uint8_t slot;
	uint8_t context; /* 0 = outside any pool, 1 + row of the pool */
	uint8_t state;   /* enum thread_state */
	uint8_t guard;   /* > 0: allocations are counted but start nothing */
	uint8_t holds;   /* inside a lock (locks.h) */
	uint8_t early; /* the countdown ends before a sampling point: a tick that samples nothing */
	uint8_t level; /* of the rate by which the gap was drawn (rate.h) */
};

_Static_assert(sizeof(struct thread) <= 64, "static TLS is scarce");
extern __thread struct thread thread __attribute__((visibility("hidden")));

/* Between these the thread's allocations are counted but start no slow path. They nest. */
static inline void guard_enter(void)
{
	thread.guard++;
}

static inline void guard_leave(void)
{
	CLAIM(thread.guard > 0);
	thread.guard--;
}

/* Gives the calling thread its slot, once. Keeps errno. */
void thread_attach(void);

/* Begins the way to the next tick: a sampling point; or an early one, in a child that is not yet seen to stay, in an
 * interpreter that is not hooked yet, and where the rate is to be looked at again. */
void thread_count_down(void);

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
