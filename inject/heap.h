/*
 * heap.h: counting allocations and frees by usable size; the part of it that every malloc runs.
 *
 * The short way: the thread has its slot and malloc is glibc's, so the usable size stands in the word
 * before the block (verified at start against malloc_usable_size). There are two of them: the child of a fork
 * takes the second, for blocks known as its own (own.h). Everything else goes the long way, out of line. No lock, no
 * system call either way, but on a tick (once per sample gap) and in a thread's first call.
 */
#ifndef INJECT_HEAP_H
#define INJECT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject/live.h"
#include "inject/own.h"
#include "inject/real.h"
#include "inject/thread.h"

/* How the heap is counted; found once at start. */
enum heap_mode {
	HEAP_ASK,    /* ask malloc_usable_size */
	HEAP_HEADER, /* the short way is allowed */
	HEAP_OFF,    /* sizes cannot be known: nothing is counted */
};

/* Chooses how to count, by identity_allocator. At start, before threads. */
void heap_start(void);

/* The child of a fork: from now on frees of inherited blocks are told apart. */
void heap_forked(void);

/* The long ways. They return the block so that malloc ends in a jump to them; heap_free gives it back
 * itself. */
void *heap_note_alloc(void *block);
void heap_free(void *block);

/* A realloc, in two halves around the real call: what it moves from, and how it ended. */
struct heap_move {
	size_t bytes;
	bool own, sampled;
	struct live live; /* when sampled */
};
struct heap_move heap_move_begin(void *block);
void heap_move_end(struct heap_move move, void *old, void *block, size_t asked_bytes);

/* Private anonymous memory was mapped: it counts towards the next tick like allocated bytes, and is sampled: for certain
 * when it is large. */
void heap_mapped(const void *start, size_t bytes);

/* Blocks that this thread was seen to allocate, to compare. */
uint64_t heap_allocations(void);

/* The countdown ran out in an object of Python, which malloc does not see. */
void heap_object_tick(const void *object, size_t bytes);

/* The countdown ran out: everything that must happen now and then. Returns the block, keeps errno. */
void *heap_tick(void *block);

/* The word before a block of glibc, which is no mapping of its own, as usable bytes. */
static inline size_t heap_usable(size_t header)
{
	size_t bytes = (header & ~(size_t)GLIBC_FLAGS) - sizeof(size_t);

	/* In a register, so that adding it is one instruction. */
	__asm__("" : "+r"(bytes));
	return bytes;
}

static inline size_t heap_header(const void *block)
{
	return ((const size_t *)block)[-1];
}

static inline void *heap_count_alloc(struct loopmem_counters *row, void *block, size_t bytes)
{
	row->alloc_bytes += bytes;
	row->allocs++;
	thread.countdown -= (int64_t)bytes;
	return __builtin_expect(thread.countdown < 0, 0) ? heap_tick(block) : block;
}

static inline void heap_count_free(struct loopmem_counters *row, size_t bytes)
{
	row->free_bytes += bytes;
	row->frees++;
}

/* An object of Python of so many bytes: only sampled, its memory is counted as a mapping. */
static inline void heap_object(const void *object, size_t bytes)
{
	thread.countdown -= (int64_t)bytes;
	if (__builtin_expect(thread.countdown < 0, 0))
		heap_object_tick(object, bytes);
}

/* Notes a new block (NULL: none) and returns it. */
static inline void *heap_alloced(void *block)
{
	struct loopmem_counters *row = thread.fast;
	size_t header;

	if (__builtin_expect(row && block, 1)) {
		header = heap_header(block);
		if (__builtin_expect(!(header & GLIBC_MAPPED), 1))
			return heap_count_alloc(row, block, heap_usable(header));
	}
	row = thread.fast_child;
	if (row && __builtin_expect(own_is_recent(block), 1)) {
		header = heap_header(block);
		if (__builtin_expect(!(header & GLIBC_MAPPED), 1))
			return heap_count_alloc(row, block, heap_usable(header));
	}
	return heap_note_alloc(block);
}

/* True when the block was counted and is to be given back by the caller. NULL looks sampled, and not recent. */
static inline bool heap_freeing(void *block)
{
	struct loopmem_counters *row = thread.fast;
	size_t header;

	if (__builtin_expect(row && !live_may_be_short(block), 1)) {
		header = heap_header(block);
		if (__builtin_expect(!(header & GLIBC_MAPPED), 1)) {
			heap_count_free(row, heap_usable(header));
			return true;
		}
	}
	row = thread.fast_child;
	if (row && own_is_recent(block)) {
		heap_count_free(row, heap_usable(heap_header(block)));
		return true;
	}
	return false;
}

#endif
