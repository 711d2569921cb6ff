/*
 * live.h: the sampled blocks and mappings that are alive, and to which site each belongs.
 *
 * Every free asks whether its block was sampled, so that question is answered in two steps without a lock: a byte
 * for each value of 16 bits of the address, above those within a cache line, which the short way of free reads (6
 * instructions; what lies in the same 4 KiB shares a cache line of them, since a miss costs more than all six), then a
 * byte for a hash of the whole address. Only who passes both takes LOCK_LIVE. Both count, so they may say yes in vain, never no.
 */
#ifndef INJECT_LIVE_H
#define INJECT_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live {
	uint32_t site;
	uint32_t arena : 1;     /* a mapping in which Python keeps objects */
	uint32_t owed_ns : 31;  /* what its sample cost, to be charged at its end (rate.h) */
	uint64_t bytes, blocks; /* what it stands for, as in sites.h */
};

enum { LIVE_SHIFT = 6 };
extern uint8_t live_low_bits[1 << 16] __attribute__((visibility("hidden")));

/* At start. */
void live_start(void);

/* False: no block at this address was sampled, and it is not NULL. */
static inline bool live_may_be_short(const void *block)
{
	return live_low_bits[(uint16_t)((uintptr_t)block >> LIVE_SHIFT)];
}
bool live_may_be(const void *block);

/* False when it cannot be remembered: its free will not be seen. */
bool live_add(const void *block, struct live live);

/* Takes it out. False when it is not there. Before the real free. */
bool live_remove(const void *block, struct live *out);

/* Mappings. A part that is unmapped takes its share with it; fn is called with what each part stood for. */
bool live_map(uint64_t start, uint64_t end, struct live live);
void live_unmap(uint64_t start, uint64_t end, void (*fn)(const struct live *part));

void live_drop_arenas(void (*fn)(const struct live *part));

/* In the child of a fork: it has none. */
void live_forked(void);

#endif
