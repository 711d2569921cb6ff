/*
 * hooks_heap.c: the exported heap functions: the real call, then a note. free and realloc note first:
 * after the real call the address may be another thread's. A note neither fails nor changes errno.
 */
#pragma GCC visibility push(default)
#include <malloc.h>
#include <stdlib.h>
#pragma GCC visibility pop

#include <errno.h>
#include <string.h>

#include "inject/heap.h"
#include "inject/identity.h"
#include "inject/real.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT void *malloc(size_t bytes)
{
	return heap_alloced(real.malloc(bytes));
}

/* Whatever &malloc is to others, this is ours. */
extern void *real_hook_of_malloc(size_t bytes)
	__attribute__((alias("malloc"), visibility("hidden"), malloc, leaf, nothrow,
		       alloc_size(1)));

EXPORT void *calloc(size_t n, size_t each)
{
	return heap_alloced(real.calloc(n, each));
}

EXPORT void free(void *block)
{
	if (__builtin_expect(heap_freeing(block), 1))
		real.free(block);
	else
		heap_free(block);
}

/* A boot block moves into the heap: the real realloc knows nothing of it. */
static void *realloc_boot_block(void *block, size_t bytes)
{
	size_t old_bytes = real_boot_block_bytes(block);
	void *moved = real.malloc(bytes);

	if (moved)
		memcpy(moved, block, old_bytes < bytes ? old_bytes : bytes);
	return heap_alloced(moved);
}

EXPORT void *realloc(void *block, size_t bytes)
{
	struct heap_move move;
	void *moved;

	if (__builtin_expect(real_is_boot_block(block), 0))
		return realloc_boot_block(block, bytes);
	move = heap_move_begin(block);
	moved = real.realloc(block, bytes);
	heap_move_end(move, block, moved, bytes);
	return moved;
}

EXPORT void *reallocarray(void *block, size_t n, size_t each)
{
	size_t bytes;

	if (identity_allocator.is_unseen) /* then the realloc below is not the program's */
		return REAL(reallocarray)(block, n, each);
	if (__builtin_mul_overflow(n, each, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(block, bytes);
}

EXPORT int posix_memalign(void **block, size_t align, size_t bytes)
{
	int error = real.posix_memalign(block, align, bytes);

	if (error == 0 && !identity_allocator.foreign_posix_memalign)
		heap_alloced(*block);
	return error;
}

EXPORT void *aligned_alloc(size_t align, size_t bytes)
{
	void *block = real.aligned_alloc(align, bytes);

	return identity_allocator.foreign_aligned_alloc ? block : heap_alloced(block);
}

EXPORT void *memalign(size_t align, size_t bytes)
{
	void *block = real.memalign(align, bytes);

	return identity_allocator.foreign_memalign ? block : heap_alloced(block);
}

EXPORT void *valloc(size_t bytes)
{
	void *block = real.valloc(bytes);

	return identity_allocator.foreign_valloc ? block : heap_alloced(block);
}

EXPORT void *pvalloc(size_t bytes)
{
	void *block = real.pvalloc(bytes);

	return identity_allocator.foreign_pvalloc ? block : heap_alloced(block);
}

EXPORT size_t malloc_usable_size(void *block)
{
	return real_is_boot_block(block) ? real_boot_block_bytes(block)
					 : real.malloc_usable_size(block);
}
