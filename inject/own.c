/*
 * own.c: making and dropping the own-block table. Leaves are linked into the root under LOCK_OWN and
 * never change place, so readers take no lock; bits are set atomically and never cleared.
 */
#include "inject/own.h"

#include <errno.h>
#include <sys/mman.h>

#include "inject/locks.h"
#include "inject/real.h"

enum {
	ROOT_ENTRIES = 1 << (OWN_ADDRESS_BITS - OWN_LEAF_BITS),
	ROOT_BYTES = ROOT_ENTRIES * sizeof(own_leaf *),
	HEAD_BYTES = 65536, /* before a leaf, a page of any size: only the list of all leaves */
};

#define NOWHERE (UINT64_C(1) << 63) /* above all addresses */

struct head {
	struct head *next;
};

/* Alone on its pages, so that a fork's child can drop them. */
uint64_t own_recent[(1 << 16) / sizeof(uint64_t)] __attribute__((aligned(65536)));

own_leaf **own_root;
uint64_t own_above = NOWHERE;
static struct head *leaves;            /* LOCK_OWN */
static unsigned int shift = OWN_SHIFT; /* written at start */

void own_set_shift(unsigned int bits)
{
	shift = bits;
}

static size_t leaf_bytes(void)
{
	return HEAD_BYTES + ((size_t)1 << (OWN_LEAF_BITS - 3) >> shift);
}

/* Address space only: small pages are touched where needed. */
static void *reserve(size_t bytes)
{
	void *start = REAL(mmap)(NULL, bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (start == MAP_FAILED)
		return NULL;
	REAL(madvise)(start, bytes, MADV_NOHUGEPAGE);
	return start;
}

static own_leaf *leaf_at(uintptr_t address)
{
	if (!own_root || address >> OWN_ADDRESS_BITS)
		return NULL;
	return __atomic_load_n(&own_root[address >> OWN_LEAF_BITS], __ATOMIC_ACQUIRE);
}

static own_leaf *make_leaf(uintptr_t address)
{
	own_leaf **entry = &own_root[address >> OWN_LEAF_BITS];
	struct head *head;
	int saved = errno;

	if (!lock_enter(LOCK_OWN))
		return NULL;
	if (!*entry && (head = reserve(leaf_bytes()))) {
		head->next = leaves;
		leaves = head;
		__atomic_store_n(entry, (own_leaf *)((char *)head + HEAD_BYTES), __ATOMIC_RELEASE);
	}
	lock_leave(LOCK_OWN);
	errno = saved;
	return *entry;
}

static uintptr_t place_in_leaf(uintptr_t address)
{
	return (address & ((1u << OWN_LEAF_BITS) - 1)) >> shift;
}

bool own_add(const void *block)
{
	uintptr_t address = (uintptr_t)block, place = place_in_leaf(address);
	own_leaf *leaf;

	if (address - own_above < OWN_ABOVE_BYTES)
		return true;
	leaf = leaf_at(address);
	if (!leaf && own_root && !(address >> OWN_ADDRESS_BITS))
		leaf = make_leaf(address);
	if (!leaf)
		return false;
	if (!(leaf[place / 64] >> place % 64 & 1))
		__atomic_fetch_or(&leaf[place / 64], UINT64_C(1) << place % 64, __ATOMIC_RELAXED);
	return true;
}

bool own_has(const void *block)
{
	uintptr_t address = (uintptr_t)block, place = place_in_leaf(address);
	const own_leaf *leaf;

	if (address - own_above < OWN_ABOVE_BYTES)
		return true;
	leaf = leaf_at(address);
	return leaf && leaf[place / 64] >> place % 64 & 1;
}

bool own_forked(const void *heap_end)
{
	struct head *head = leaves, *next;

	for (; head; head = next) {
		next = head->next;
		REAL(munmap)(head, leaf_bytes());
	}
	leaves = NULL;
	if (own_root)
		REAL(munmap)(own_root, ROOT_BYTES);
	REAL(madvise)(own_recent, sizeof(own_recent), MADV_DONTNEED);
	own_recent[0] = OWN_NONE;                                           /* the place of NULL */
	own_above = (intptr_t)heap_end > 0 ? (uintptr_t)heap_end : NOWHERE; /* sbrk fails with -1 */
	own_root = reserve(ROOT_BYTES);
	return own_root;
}
