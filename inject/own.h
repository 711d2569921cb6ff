/*
 * own.h: which blocks a forked process allocated itself, exactly. All others it frees are inherited.
 *
 * A sparse bitmap over the address space says of each place whether a block of this process ever
 * began there. It need not be taken back when the block is freed: an inherited block is freed once,
 * and whatever begins at its place later is the process's own. So the bit of a place is written once
 * and then only read.
 *
 *   address:   | 21 bits      | 27 bits                      |
 *                root entry  -> leaf: a bit for each multiple of 16 (or 8) bytes
 *
 * Memory is touched only where own blocks began below that: 1/128 of it (1/64 where the allocator packs blocks
 * of 8 bytes). A process that did not come by fork has no table.
 *
 * Where the heap of glibc ends at the fork, the rest of it begins: no inherited block lies above, so there every block is own,
 * and no bit is needed. That is taken for OWN_ABOVE_BYTES, 64 GiB: the next memory that the kernel places lies terabytes away. What
 * lies further up has bits as any other, so a heap that grows beyond is told exactly too, for 1/128 of what it grows.
 *
 * Before it stands a cache of places: the one that was found last for each value of the low 16 bits. What stands in it is a
 * block of this process, in no mapping of its own and not sampled, so the short way of a child asks nothing else.
 */
#ifndef INJECT_OWN_H
#define INJECT_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OWN_ADDRESS_BITS = 48,
	OWN_LEAF_BITS = 27,
	OWN_NONE = 1,  /* at no place is there a block of this address */
	OWN_SHIFT = 4, /* blocks of glibc begin at multiples of 16 bytes */
};
#define OWN_ABOVE_BYTES (UINT64_C(1) << 36)

/* NULL in a process that did not come by fork. Entries are set once and stay until the next fork. */
typedef uint64_t own_leaf; /* the first word of a leaf */
extern own_leaf **own_root __attribute__((visibility("hidden")));

/* What begins up to OWN_ABOVE_BYTES above is own. */
extern uint64_t own_above __attribute__((visibility("hidden")));

/* 16 bytes for each value of the low 16 bits: places are multiples of 16, so every other word is unused. */
extern uint64_t own_recent[(1 << 16) / sizeof(uint64_t)] __attribute__((visibility("hidden")));

/* Blocks begin at multiples of 1 << shift: 4 or 3. At start. */
void own_set_shift(unsigned int shift);

/* In the child of a fork, with no other thread: forgets every block. `heap_end`: where the heap of glibc ends now, NULL = there
 * is none. False when there is no table, and every block below will look inherited. */
bool own_forked(const void *heap_end);

/* Lock-free, but for the first block in a leaf. False when the block cannot be remembered: it will
 * look inherited. Keeps errno. */
bool own_add(const void *block);
bool own_has(const void *block);

/* own_has for a place of 16 bytes below 2^48, where there is a table. */
static inline bool own_has_16(const void *block)
{
	uintptr_t address = (uintptr_t)block;
	const own_leaf *leaf;

	if (address - own_above < OWN_ABOVE_BYTES)
		return true;
	leaf = own_root[address >> OWN_LEAF_BITS];
	return leaf && leaf[(address & ((1u << OWN_LEAF_BITS) - 1)) >> (OWN_SHIFT + 6)] >>
				       (address >> OWN_SHIFT & 63) &
			       1;
}

static inline uint64_t *own_recent_at(const void *block)
{
	return (uint64_t *)((char *)own_recent + (uint16_t)(uintptr_t)block);
}

/* True only of a block that own_remember was told of and own_forget not since; never of NULL. */
static inline bool own_is_recent(const void *block)
{
	return *own_recent_at(block) == (uintptr_t)block;
}

/* Of a place of 16 bytes that own_has, now. */
static inline void own_remember(const void *block)
{
	__atomic_store_n(own_recent_at(block), (uintptr_t)block, __ATOMIC_RELAXED);
}

/* Another thread may remember another block meanwhile: that is left alone. */
static inline void own_forget(const void *block)
{
	uint64_t expected = (uintptr_t)block;

	if (own_root && own_is_recent(block))
		__atomic_compare_exchange_n(own_recent_at(block), &expected, OWN_NONE, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

#endif
