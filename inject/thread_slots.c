/*
 * thread_slots.c: slots of threads. The table of slots is guarded by LOCK_SEGMENT; a slot's counters belong
 * to its owner alone.
 */
#include "inject/thread_slots.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

#include "inject/locks.h"
#include "inject/rate.h"
#include "inject/self.h"

enum { SOON_BYTES = 16 << 10 };

static enum thread_way way; /* written at start and in a fork's child */
static int soon;            /* gaps that end early; atomic */

/* Guarded by LOCK_SEGMENT. */
static struct thread *owners[LOOPMEM_THREADS];           /* NULL = free */
static uint32_t slots_used;                              /* slots that ever had an owner */
static struct loopmem_counters carried[LOOPMEM_THREADS]; /* counts that thread_carry moved */
static pthread_key_t key;
static bool key_made;

static void release(void *value)
{
	struct thread *self = value;

	if (self->state != THREAD_ATTACHED || !lock_enter(LOCK_SEGMENT))
		return;
	thread_settle();
	owners[self->slot] = NULL;
	lock_leave(LOCK_SEGMENT);
	self->state = THREAD_SHARED;
	self->fast = self->fast_child = self->row = NULL;
}

static void make_key(void)
{
	if (!key_made)
		key_made = pthread_key_create(&key, release) == 0;
}

/* LOCK_SEGMENT. Readers of the segment look no further. */
static void set_slots_used(uint32_t count)
{
	slots_used = count;
	__atomic_store_n(&self_segment->threads_used, count, __ATOMIC_RELAXED);
}

/* LOCK_SEGMENT. Without a key the slot could never be given back, and its owner's end not be seen. */
static bool take_slot(void)
{
	make_key();
	if (!key_made)
		return false;
	for (uint32_t i = 0; i < LOOPMEM_THREADS; i++) {
		if (owners[i])
			continue;
		owners[i] = &thread;
		if (i >= slots_used)
			set_slots_used(i + 1);
		thread.slot = (uint8_t)i;
		thread.state = THREAD_ATTACHED;
		thread_set_context(thread.context);
		return true;
	}
	return false;
}

void thread_tick_soon(int gaps)
{
	__atomic_store_n(&soon, gaps, __ATOMIC_RELAXED);
}

void thread_count_down(void)
{
	bool early = __atomic_load_n(&soon, __ATOMIC_RELAXED) > 0 &&
		     __atomic_fetch_sub(&soon, 1, __ATOMIC_RELAXED) > 0;

	rate_draw(&thread, early ? SOON_BYTES : INT64_MAX);
	if (!self_is_waiting())
		return;
	thread.early = 1;
	thread.countdown = SELF_WAIT_BYTES;
}

void thread_attach(void)
{
	int saved = errno;

	if (thread.state != THREAD_NEW || !lock_enter(LOCK_SEGMENT))
		return;
	thread.random ^= (uintptr_t)&thread ^ self_now_ns();
	thread_count_down();
	if (!take_slot())
		thread.state = THREAD_SHARED;
	lock_leave(LOCK_SEGMENT);
	/* Outside the lock: this may allocate. */
	if (thread.state == THREAD_ATTACHED)
		pthread_setspecific(key, &thread);
	else
		self_drop(LOOPMEM_DROP_THREAD);
	errno = saved;
}

void thread_set_way(enum thread_way allowed)
{
	way = allowed;
}

void thread_set_context(uint8_t context)
{
	thread.context = context;
	if (thread.state != THREAD_ATTACHED)
		return;
	thread.row = &self_segment->counters[thread.slot][context];
	thread.fast = way == THREAD_WAY_FIRST ? thread.row : NULL;
	thread.fast_child = way == THREAD_WAY_CHILD ? thread.row : NULL;
}

struct loopmem_counters *thread_shared_row(void)
{
	return &self_segment->counters[LOOPMEM_THREADS][thread.context];
}

void thread_carry(const struct loopmem_segment *from, struct loopmem_segment *to)
{
	to->threads_used = slots_used;
	for (uint32_t i = 0; i < slots_used; i++) {
		to->counters[i][0] = carried[i] = from->counters[i][0];
		/* A race with the owner's own countdown only delays it. */
		if (owners[i]) {
			__atomic_store_n(&owners[i]->early, 1, __ATOMIC_RELAXED);
			__atomic_store_n(&owners[i]->countdown, 0, __ATOMIC_RELAXED);
		}
	}
}

/* LOCK_SEGMENT, by the owner of the slot or at its end. */
void thread_settle(void)
{
	struct loopmem_counters *late = thread.row, *now, *before;

	if (thread.state != THREAD_ATTACHED || !self_is_published() || !self_owns_privately(late))
		return;
	before = &carried[thread.slot];
	now = &self_segment->counters[thread.slot][0];
	now->alloc_bytes += late->alloc_bytes - before->alloc_bytes;
	now->allocs += late->allocs - before->allocs;
	now->free_bytes += late->free_bytes - before->free_bytes;
	now->frees += late->frees - before->frees;
	thread_set_context(thread.context);
}

bool thread_is_alone(void)
{
	uint32_t owned = 0;

	for (uint32_t i = 0; i < slots_used; i++)
		owned += owners[i] != NULL;
	return owned <= 1;
}

void thread_forked(void)
{
	uint8_t state = thread.state;

	for (uint32_t i = 0; i < slots_used; i++)
		owners[i] = NULL;
	slots_used = 0;
	thread.outer = 0;
	thread.pool = 0;
	thread.context = 0;
	thread.early = 1;
	thread.countdown = SELF_WAIT_BYTES;
	thread.random ^= self_now_ns();
	if (state == THREAD_NEW)
		return;
	take_slot();
	/* A thread that had no slot in the parent has no key set yet. */
	if (state == THREAD_SHARED)
		pthread_setspecific(key, &thread);
}

static void add(struct loopmem_counters *sum, const struct loopmem_counters *more)
{
	sum->alloc_bytes += more->alloc_bytes;
	sum->allocs += more->allocs;
	sum->free_bytes += more->free_bytes;
	sum->frees += more->frees;
}

struct loopmem_counters thread_sum(const struct loopmem_segment *segment, uint32_t context)
{
	struct loopmem_counters sum = segment->counters[LOOPMEM_THREADS][context];

	for (uint32_t i = 0; i < __atomic_load_n(&slots_used, __ATOMIC_RELAXED); i++)
		add(&sum, &segment->counters[i][context]);
	return sum;
}

uint64_t thread_live_bytes(const struct loopmem_segment *segment)
{
	uint64_t pools = segment->pools_begun, live = segment->inherited_live_bytes;

	if (pools > LOOPMEM_POOLS)
		pools = LOOPMEM_POOLS;
	live -= __atomic_load_n(&segment->inherited_free_bytes, __ATOMIC_RELAXED);
	for (uint32_t context = 0; context <= pools; context++) {
		struct loopmem_counters sum = thread_sum(segment, context);
		live += sum.alloc_bytes - sum.free_bytes;
	}
	return live;
}
