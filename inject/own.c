/*
 * own.c: the own-block bitmap as a radix tree of three levels.
 *
 *   address >> shift:   | 16 bits     | 14 bits    | 15 bits    |
 *                         root (bss) -> middle    -> leaf: 2^15 bits, 4 KiB
 *
 * Invariant: a table once linked is neither moved nor freed until the next fork, so readers need no
 * lock. Tables are carved from zero-filled chunks, which a fork's child gives back whole.
 */
#include "inject/own.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "inject/locks.h"
#include "inject/real.h"

enum {
	LEAF_BITS = 15,
	MIDDLE_BITS = 14,
	ROOT_BITS = 16,
	CHUNK_BYTES = 1 << 20,
	PAGE = 4096,
};

struct leaf {
	uint64_t words[(1 << LEAF_BITS) / 64];
};

struct middle {
	struct leaf *leaves[1 << MIDDLE_BITS];
};

/* First page of a chunk. */
struct chunk {
	struct chunk *next;
	size_t used;
};

/* Entries are set once, under LOCK_OWN. Aligned so that the pages can be given back. */
static struct middle *root[1 << ROOT_BITS] __attribute__((aligned(65536)));
static struct chunk *chunks;   /* newest first; LOCK_OWN */
static unsigned int shift = 4; /* written before any fork */

void own_set_shift(unsigned int bits)
{
	shift = bits;
}

static struct chunk *chunk_new(void)
{
	struct chunk *chunk = REAL(mmap)(NULL, CHUNK_BYTES, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (chunk == MAP_FAILED)
		return NULL;
	REAL(madvise)(chunk, CHUNK_BYTES, MADV_NOHUGEPAGE); /* touched pages only */
	chunk->next = chunks;
	chunk->used = PAGE;
	chunks = chunk;
	return chunk;
}

/* Zeroed, never freed before the next fork. LOCK_OWN. */
static void *carve(size_t bytes)
{
	struct chunk *chunk = chunks;

	if (!chunk || CHUNK_BYTES - chunk->used < bytes)
		chunk = chunk_new();
	if (!chunk)
		return NULL;
	chunk->used += bytes;
	return (char *)chunk + chunk->used - bytes;
}

static struct leaf *find_leaf(uintptr_t place)
{
	uintptr_t high = place >> (LEAF_BITS + MIDDLE_BITS);
	struct middle *middle;

	if (high >> ROOT_BITS)
		return NULL;
	middle = __atomic_load_n(&root[high], __ATOMIC_ACQUIRE);
	if (!middle)
		return NULL;
	return __atomic_load_n(&middle->leaves[(place >> LEAF_BITS) & ((1 << MIDDLE_BITS) - 1)],
			       __ATOMIC_ACQUIRE);
}

static void *link_table(void **entry, size_t bytes)
{
	void *table = *entry;

	if (!table) {
		table = carve(bytes);
		__atomic_store_n(entry, table, __ATOMIC_RELEASE);
	}
	return table;
}

static struct leaf *make_leaf(uintptr_t place)
{
	uintptr_t high = place >> (LEAF_BITS + MIDDLE_BITS);
	struct middle *middle;
	struct leaf *leaf = NULL;
	int saved = errno;

	if (high >> ROOT_BITS || !lock_enter(LOCK_OWN))
		return NULL;
	middle = link_table((void **)&root[high], sizeof(*middle));
	if (middle) {
		struct leaf **entry =
			&middle->leaves[(place >> LEAF_BITS) & ((1 << MIDDLE_BITS) - 1)];
		leaf = link_table((void **)entry, sizeof(*leaf));
	}
	lock_leave(LOCK_OWN);
	errno = saved;
	return leaf;
}

bool own_add(const void *block)
{
	uintptr_t place = (uintptr_t)block >> shift;
	struct leaf *leaf = find_leaf(place);

	if (__builtin_expect(!leaf, 0)) {
		leaf = make_leaf(place);
		if (!leaf)
			return false;
	}
	__atomic_fetch_or(&leaf->words[(place >> 6) & ((1 << (LEAF_BITS - 6)) - 1)],
			  UINT64_C(1) << (place & 63), __ATOMIC_RELAXED);
	return true;
}

bool own_remove(const void *block)
{
	uintptr_t place = (uintptr_t)block >> shift;
	struct leaf *leaf = find_leaf(place);
	uint64_t bit = UINT64_C(1) << (place & 63), *word;

	if (!leaf)
		return false;
	word = &leaf->words[(place >> 6) & ((1 << (LEAF_BITS - 6)) - 1)];
	if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
		return false;
	__atomic_fetch_and(word, ~bit, __ATOMIC_RELAXED);
	return true;
}

void own_forked(void)
{
	struct chunk *chunk = chunks, *next;

	if (!chunk)
		return;
	for (; chunk; chunk = next) {
		next = chunk->next;
		REAL(munmap)(chunk, CHUNK_BYTES);
	}
	chunks = NULL;
	REAL(madvise)(root, sizeof(root), MADV_DONTNEED); /* zero again, and not touched */
}
