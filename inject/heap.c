/*
 * heap.c: the long ways of counting, and the tick.
 *
 * A block is counted by its usable size, when it is allocated and when it is freed, so what is alive
 * is exact. It is counted as freed before the real free: after it another thread may own the
 * address.
 */
#include "inject/heap.h"

#include <errno.h>
#include <unistd.h>

#include "inject/identity.h"
#include "inject/lifecycle.h"
#include "inject/python_boot.h"
#include "inject/rate.h"
#include "inject/real.h"
#include "inject/sampled.h"
#include "inject/self.h"
#include "inject/thread_slots.h"
#include "inject/trim.h"

static enum heap_mode mode = HEAP_ASK; /* written at start */
static bool forked, knows_own;         /* written in a fork's child, before its threads */

/* True when the header formula agrees with the allocator, for chunks of its heap. None that is a mapping of its own: freeing
 * one raises the size from which glibc maps, and the program's heap would become another one than without us. */
static bool header_is_right(void)
{
	static const size_t tries[] = {1, 24, 25, 1032, 70000};
	bool right = true;

	for (size_t i = 0; right && i < sizeof(tries) / sizeof(*tries); i++) {
		size_t *block = real.malloc(tries[i]);
		if (!block)
			return false;
		right = !((uintptr_t)block >> OWN_ADDRESS_BITS);
		right &= block[-1] & GLIBC_MAPPED ||
			 (block[-1] & ~(size_t)GLIBC_FLAGS) - sizeof(size_t) ==
				 real.malloc_usable_size(block);
		real.free(block);
	}
	return right;
}

void heap_start(void)
{
	live_start();
	own_set_shift(identity_allocator.is_glibc ? OWN_SHIFT : OWN_SHIFT - 1);
	if (!identity_allocator.knows_sizes)
		mode = HEAP_OFF;
	else if (identity_allocator.is_glibc && header_is_right())
		mode = HEAP_HEADER;
	thread_set_way(mode == HEAP_HEADER ? THREAD_WAY_FIRST : THREAD_WAY_LONG);
}

void heap_forked(void)
{
	forked = true;
	knows_own = own_forked(mode == HEAP_HEADER ? sbrk(0) : NULL);
	thread_set_way(mode == HEAP_HEADER && knows_own ? THREAD_WAY_CHILD : THREAD_WAY_LONG);
}

static size_t usable_bytes(const void *block)
{
	size_t header;

	if (mode != HEAP_HEADER)
		return real.malloc_usable_size((void *)block);
	header = ((const size_t *)block)[-1];
	return (header & ~(size_t)GLIBC_FLAGS) -
	       (header & GLIBC_MAPPED ? 2 * sizeof(size_t) : sizeof(size_t));
}

static inline void add(uint64_t *counter, uint64_t more)
{
	if (__builtin_expect(thread.row != NULL, 1))
		*counter += more;
	else
		__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

/* The counters of the calling thread: add() to them. */
static inline struct loopmem_counters *row(void)
{
	if (__builtin_expect(thread.state == THREAD_NEW, 0))
		thread_attach();
	return __builtin_expect(thread.row != NULL, 1) ? thread.row : thread_shared_row();
}

/* A block of the child. On its short way are only those that no other question must be asked about. */
static void note_own(const void *block)
{
	if (!own_add(block))
		self_drop(LOOPMEM_DROP_OWN);
	else if (thread.fast_child && !(heap_header(block) & GLIBC_MAPPED) &&
		 !live_may_be_short(block))
		own_remember(block);
	else
		own_forget(block);
}

static void count_alloc(void *block, size_t bytes)
{
	struct loopmem_counters *counters = row();

	if (forked)
		note_own(block);
	add(&counters->alloc_bytes, bytes);
	add(&counters->allocs, 1);
	thread.countdown -= (int64_t)bytes;
	if (__builtin_expect(thread.countdown < 0, 0))
		heap_tick(block);
}

static void count_free(bool own, size_t bytes)
{
	if (own) {
		struct loopmem_counters *counters = row();
		add(&counters->free_bytes, bytes);
		add(&counters->frees, 1);
	} else {
		struct loopmem_segment *segment = self_segment;
		__atomic_fetch_add(&segment->inherited_free_bytes, bytes, __ATOMIC_RELAXED);
		__atomic_fetch_add(&segment->inherited_frees, 1, __ATOMIC_RELAXED);
	}
}

/* The child's second short way: a block of its own whose place is not remembered. Then it is. */
static inline bool is_plain_own(const void *block)
{
	if (!block || !thread.fast_child || live_may_be_short(block) ||
	    heap_header(block) & GLIBC_MAPPED || !own_has_16(block))
		return false;
	own_remember(block);
	return true;
}

void *heap_note_alloc(void *block)
{
	if (is_plain_own(block))
		return heap_count_alloc(thread.fast_child, block, heap_usable(heap_header(block)));
	if (block && mode != HEAP_OFF && !real_is_boot_block(block))
		count_alloc(block, usable_bytes(block));
	return block;
}

void heap_free(void *block)
{
	if (is_plain_own(block)) {
		heap_count_free(thread.fast_child, heap_usable(heap_header(block)));
		real.free(block);
		return;
	}
	if (real_is_boot_block(block))
		return;
	if (block && mode != HEAP_OFF) {
		count_free(!forked || own_has(block), usable_bytes(block));
		if (__builtin_expect(live_may_be(block), 0))
			sampled_freed(block);
	}
	real.free(block);
}

struct heap_move heap_move_begin(void *block)
{
	struct heap_move move = {0};

	if (block && mode != HEAP_OFF) {
		move.bytes = usable_bytes(block);
		move.own = !forked || own_has(block);
		move.sampled = sampled_take(block, &move.live);
	}
	return move;
}

void heap_move_end(struct heap_move move, void *old, void *block, size_t asked_bytes)
{
	if (mode == HEAP_OFF)
		return;
	if (!block && asked_bytes > 0) { /* failed: the old block lives on */
		if (move.sampled)
			sampled_put_back(old, &move.live);
		return;
	}
	if (old)
		count_free(move.own, move.bytes);
	if (move.sampled)
		sampled_count_free(&move.live);
	heap_note_alloc(block);
}

/* What the program holds of the memory that it asked for. The child of a fork may have unmapped more than it mapped. */
static uint64_t held_bytes(void)
{
	const struct loopmem_region_counters *maps = &self_segment->regions[LOOPMEM_REGION_ANON];
	int64_t bytes = (int64_t)(thread_live_bytes(self_segment) +
				  __atomic_load_n(&maps->map_bytes, __ATOMIC_RELAXED) -
				  __atomic_load_n(&maps->unmap_bytes, __ATOMIC_RELAXED));

	return bytes > 0 ? (uint64_t)bytes : 0;
}

/* The countdown ran out: everything that must happen now and then. The mean by which the block was met, or 0 when it was at
 * no sampling point. A new way begins at the block's end. The guard is up. */
static uint64_t tick(void)
{
	uint64_t mean_bytes = rate_met(&thread);

	lifecycle_check_fork();
	self_settle();
	python_boot_tick();
	trim_look();
	if (rate_saves())
		rate_holds(held_bytes());
	thread_count_down();
	return mean_bytes;
}

/* Our own allocations and those inside a lock are counted, never sampled. */
static bool is_busy(void)
{
	if (!thread.guard && !thread.holds)
		return false;
	if (thread.countdown < 0)
		thread_count_down();
	return true;
}

void *heap_tick(void *block)
{
	int saved = errno;
	uint64_t mean_bytes;

	if (is_busy())
		return block;
	guard_enter();
	mean_bytes = tick();
	if (mean_bytes && self_is_published())
		sampled_block(block, usable_bytes(block), mean_bytes);
	guard_leave();
	errno = saved;
	return block;
}

uint64_t heap_allocations(void)
{
	return row()->allocs;
}

void heap_object_tick(const void *object, size_t bytes)
{
	int saved = errno;
	uint64_t mean_bytes;

	if (thread.state == THREAD_NEW)
		thread_attach();
	if (is_busy())
		return;
	guard_enter();
	mean_bytes = thread.countdown < 0 ? tick() : 0;
	if (mean_bytes && self_is_published())
		sampled_block(object, bytes, mean_bytes);
	guard_leave();
	errno = saved;
}

/* Large mappings are sampled for certain: they are few, and the caller of most (an allocator of its own, such as Python's)
 * says where memory grows. */
static bool is_large(size_t bytes)
{
	return bytes >= rate_certain_bytes();
}

void heap_mapped(const void *start, size_t bytes)
{
	int saved = errno;
	uint64_t mean_bytes;

	if (thread.state == THREAD_NEW)
		thread_attach();
	thread.countdown -= (int64_t)bytes;
	if (is_busy() || (thread.countdown >= 0 && !is_large(bytes)))
		return;
	guard_enter();
	mean_bytes = thread.countdown < 0 ? tick() : 0;
	if (is_large(bytes))
		mean_bytes = SAMPLED_FOR_CERTAIN;
	if (mean_bytes && self_is_published())
		sampled_mapping((uintptr_t)start, (uintptr_t)start + bytes, mean_bytes);
	guard_leave();
	errno = saved;
}
