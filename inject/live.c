/*
 * live.c: blocks in an open hash table that doubles, mappings in a sorted array, both under LOCK_LIVE.
 *
 * A bound on each: a run that samples every allocation may have millions of blocks alive. What finds no place is
 * told to the caller.
 */
#include "inject/live.h"

#include <string.h>
#include <sys/mman.h>

#include "inject/claim.h"
#include "inject/locks.h"
#include "inject/own.h"
#include "inject/real.h"

enum {
	LEAST_SLOTS = 1 << 8,
	MOST_SLOTS = 1 << 22,
	MOST_MAPPINGS = 1 << 13,
	FILTER_SHARE = 16, /* bytes of the filter for each slot */
	FILTER_MOST = 1 << 18,
	SATURATED = 255, /* a byte of a filter that reached it stays */
};

struct slot {
	uint64_t block; /* 0 = free */
	struct live live;
};

struct mapping {
	uint64_t start, end;
	struct live live;
};

/* Written under LOCK_LIVE, the filters read without. */
uint64_t live_low_bits[1 << 10];

/* Alone on their pages, so that a fork's child can drop them. */
static struct pages {
	uint8_t lines[1 << 16]; /* how many blocks each bit of live_low_bits stands for */
	uint8_t filter[FILTER_MOST];
	struct mapping mappings[MOST_MAPPINGS];
} pages __attribute__((aligned(65536)));

/* LOCK_LIVE */
static struct slot *slots;
static uint64_t slot_count, block_count, mapping_count;
static uint64_t filter_bytes; /* in use, a power of 2; 0 = no block was ever added; atomic */

static uint64_t hash(uint64_t block)
{
	return (block >> 3) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint8_t *filter_byte(uint64_t block, uint64_t bytes)
{
	return &pages.filter[hash(block) >> 32 & (bytes - 1)];
}

static void count(uint8_t *byte, int step)
{
	CLAIM(*byte + step >= 0);
	if (*byte != SATURATED)
		__atomic_store_n(byte, *byte + step, __ATOMIC_RELAXED);
}

static void set_line(uint64_t block, bool any)
{
	uint64_t *word = live_low_word((const void *)block);
	uint64_t bit = UINT64_C(1) << (block >> LIVE_LINE_SHIFT & 63);

	__atomic_store_n(word, any ? *word | bit : *word & ~bit, __ATOMIC_RELAXED);
}

static void count_both(uint64_t block, int step)
{
	uint8_t *line = &pages.lines[(uint16_t)(block >> LIVE_LINE_SHIFT)];

	count(line, step);
	set_line(block, *line);
	count(filter_byte(block, filter_bytes), step);
}

/* The bit of NULL is always set. */
void live_start(void)
{
	pages.lines[0] = SATURATED;
	set_line(0, true);
}

bool live_may_be(const void *block)
{
	uint64_t bytes = __atomic_load_n(&filter_bytes, __ATOMIC_ACQUIRE);

	return bytes && __atomic_load_n(filter_byte((uintptr_t)block, bytes), __ATOMIC_RELAXED);
}

/* -- blocks ---------------------------------------------------------------------------------- */

/* The slot of the block, or the free one where it belongs. */
static struct slot *find(uint64_t block)
{
	uint64_t i = hash(block) >> 32;

	while (slots[i & (slot_count - 1)].block && slots[i & (slot_count - 1)].block != block)
		i++;
	return &slots[i & (slot_count - 1)];
}

static struct slot *new_slots(uint64_t n)
{
	void *made = REAL(mmap)(NULL, n * sizeof(struct slot), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return made == MAP_FAILED ? NULL : made;
}

/* The filter doubles with the slots, so few blocks touch few pages. What is counted in its upper half from here on stays
 * counted in the lower one too: a reader may not know of the upper one yet. Those bytes, one in 32 at most, say yes in vain. */
static void widen_filter(void)
{
	uint64_t old = filter_bytes, bytes = slot_count * FILTER_SHARE;

	if (bytes > FILTER_MOST)
		return;
	for (uint64_t i = 0; old && i < slot_count; i++)
		if (slots[i].block && filter_byte(slots[i].block, bytes) >= pages.filter + old)
			count(filter_byte(slots[i].block, bytes), 1);
	__atomic_store_n(&filter_bytes, bytes, __ATOMIC_RELEASE);
}

static bool make_room(void)
{
	struct slot *old = slots, *made;
	uint64_t old_count = slot_count, n = old_count ? 2 * old_count : LEAST_SLOTS;

	if (block_count < slot_count / 2)
		return true;
	made = n <= MOST_SLOTS ? new_slots(n) : NULL;
	if (!made)
		return block_count < slot_count / 8 * 7;
	slots = made;
	slot_count = n;
	for (uint64_t i = 0; i < old_count; i++)
		if (old[i].block)
			*find(old[i].block) = old[i];
	if (old)
		REAL(munmap)(old, old_count * sizeof(*old));
	widen_filter();
	return true;
}

bool live_add(const void *block, struct live live)
{
	bool added = false;
	struct slot *slot;

	if (!lock_enter(LOCK_LIVE))
		return false;
	if (make_room()) {
		slot = find((uintptr_t)block);
		/* What is there already was freed by a way that no hook sees. */
		added = !slot->block;
		if (added) {
			block_count++;
			count_both((uintptr_t)block, 1);
			own_forget(block);
			*slot = (struct slot){(uintptr_t)block, live};
		}
	}
	lock_leave(LOCK_LIVE);
	return added;
}

/* Frees a slot of an open table: what was pushed behind it moves up. */
static void close_gap(struct slot *gap)
{
	uint64_t hole = (uint64_t)(gap - slots);

	for (uint64_t i = hole + 1;; i++) {
		struct slot *next = &slots[i & (slot_count - 1)];
		uint64_t home = hash(next->block) >> 32;
		if (!next->block)
			break;
		if (((i - home) & (slot_count - 1)) < ((i - hole) & (slot_count - 1)))
			continue;
		slots[hole & (slot_count - 1)] = *next;
		hole = i;
	}
	slots[hole & (slot_count - 1)].block = 0;
}

bool live_remove(const void *block, struct live *out)
{
	struct slot *slot;
	bool found;

	if (!live_may_be(block) || !lock_enter(LOCK_LIVE))
		return false;
	slot = slots ? find((uintptr_t)block) : NULL;
	found = slot && slot->block;
	if (found) {
		*out = slot->live;
		CLAIM(block_count > 0);
		close_gap(slot);
		block_count--;
		count_both((uintptr_t)block, -1);
	}
	lock_leave(LOCK_LIVE);
	return found;
}

/* -- mappings -------------------------------------------------------------------------------- */

/* The first that ends behind `start`. */
static uint64_t first_behind(uint64_t start)
{
	uint64_t low = 0, high = mapping_count;

	while (low < high) {
		uint64_t middle = (low + high) / 2;
		if (pages.mappings[middle].end > start)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool insert(uint64_t at, const struct mapping *mapping)
{
	struct mapping *place = &pages.mappings[at];

	if (mapping_count == MOST_MAPPINGS)
		return false;
	memmove(place + 1, place, (mapping_count - at) * sizeof(*place));
	*place = *mapping;
	CLAIM(!at || place[-1].start <= place->start);
	__atomic_store_n(&mapping_count, mapping_count + 1, __ATOMIC_RELAXED);
	return true;
}

static void erase(uint64_t at)
{
	struct mapping *place = &pages.mappings[at];

	__atomic_store_n(&mapping_count, mapping_count - 1, __ATOMIC_RELAXED);
	memmove(place, place + 1, (mapping_count - at) * sizeof(*place));
}

/* Takes `bytes` out of `live`, which stands for `whole` bytes of addresses; what is owed stays with the rest. */
static struct live cut(struct live *live, uint64_t bytes, uint64_t whole)
{
	double share = (double)bytes / (double)whole;
	struct live part = {.site = live->site,
			    .arena = live->arena,
			    .bytes = (uint64_t)((double)live->bytes * share),
			    .blocks = (uint64_t)((double)live->blocks * share)};

	live->bytes -= part.bytes;
	live->blocks -= part.blocks;
	return part;
}

/* Removes what the range covers of the mapping at `at`; the rest stays, in one or two. Returns how many rows are left
 * of it. */
static int cut_mapping(uint64_t at, uint64_t start, uint64_t end, struct live *part)
{
	struct mapping *m = &pages.mappings[at];
	uint64_t whole = m->end - m->start;
	struct mapping behind = {end, m->end, {.site = m->live.site, .arena = m->live.arena}};

	*part = m->live;
	if (start <= m->start && end >= m->end) {
		erase(at);
		return 0;
	}
	if (start > m->start && end < m->end) {
		*part = cut(&m->live, end - start, whole);
		behind.live = cut(&m->live, m->end - end, whole - (end - start));
		m->end = start;
		if (!insert(at + 1, &behind)) {
			part->bytes += behind.live.bytes;
			part->blocks += behind.live.blocks;
		}
		return 2;
	}
	*part = cut(&m->live, start > m->start ? m->end - start : end - m->start, whole);
	if (start > m->start)
		m->end = start;
	else
		m->start = end;
	return 1;
}

bool live_map(uint64_t start, uint64_t end, struct live live)
{
	bool added;

	if (!lock_enter(LOCK_LIVE))
		return false;
	added = insert(first_behind(start), &(struct mapping){start, end, live});
	lock_leave(LOCK_LIVE);
	return added;
}

void live_unmap(uint64_t start, uint64_t end, void (*fn)(const struct live *part))
{
	struct live part;

	if (!__atomic_load_n(&mapping_count, __ATOMIC_RELAXED) || !lock_enter(LOCK_LIVE))
		return;
	for (uint64_t at = first_behind(start);
	     at < mapping_count && pages.mappings[at].start < end;) {
		at += (uint64_t)cut_mapping(at, start, end, &part);
		fn(&part);
	}
	lock_leave(LOCK_LIVE);
}

void live_drop_arenas(void (*fn)(const struct live *part))
{
	uint64_t at = 0;
	struct live arena;

	if (!lock_enter(LOCK_LIVE))
		return;
	while (at < mapping_count) {
		arena = pages.mappings[at].live;
		if (!arena.arena) {
			at++;
			continue;
		}
		erase(at);
		fn(&arena);
	}
	lock_leave(LOCK_LIVE);
}

void live_forked(void)
{
	memset(live_low_bits, 0, sizeof(live_low_bits));
	REAL(madvise)(&pages, sizeof(pages), MADV_DONTNEED);
	live_start();
	if (slots)
		REAL(munmap)(slots, slot_count * sizeof(*slots));
	slots = NULL;
	slot_count = block_count = mapping_count = filter_bytes = 0;
}
