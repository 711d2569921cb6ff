/*
 * live.h: the sampled blocks and mappings that are alive, and to which site each belongs.
 *
 * Every free asks whether its block was sampled, so that question is answered in two steps without a lock: a bit for each
 * 64 bytes of 4 MiB, whatever lies above in the address, which the short way of free reads (8 KiB in all, and one word for
 * what lies in the same 4 KiB: a miss of the cache costs more than its 9 instructions), then a byte for a hash of the whole
 * address. Only who passes both takes LOCK_LIVE. They may say yes in vain, never no.
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

enum { LIVE_LINE_SHIFT = 6, LIVE_WORD_SHIFT = 12 };
extern uint64_t live_low_bits[1 << 10] __attribute__((visibility("hidden")));

/* At start. */
void live_start(void);

static inline uint64_t *live_low_word(const void *block)
{
	return &live_low_bits[(uintptr_t)block >> LIVE_WORD_SHIFT & 1023];
}

/* False: no block at this address was sampled, and it is not NULL. */
static inline bool live_may_be_short(const void *block)
{
	return *live_low_word(block) >> ((uintptr_t)block >> LIVE_LINE_SHIFT & 63) & 1;
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
