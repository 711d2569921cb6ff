/*
 * thread.h: what the shim keeps per thread, in at most 64 bytes of initial-exec TLS: static TLS is scarce. Its slot in the
 * segment is the matter of thread_slots.h.
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

#endif
