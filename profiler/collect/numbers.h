/*
 * numbers.h: gives equal keys equal numbers, from 1 in order of their coming. A key is bytes, copied.
 * All zero bytes but `most` = empty.
 */
#ifndef PROFILER_COLLECT_NUMBERS_H
#define PROFILER_COLLECT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

struct numbers {
	struct numbers_key *keys; /* by number - 1 */
	size_t count, capacity;
	int32_t *slots; /* numbers, by hash; 0 = empty. At least half are */
	size_t slot_count;
	int32_t most; /* no more keys than that */
};

/* The key's number; *is_new tells whether it came for the first time. 0 = out of memory or of numbers. */
int32_t numbers_get(struct numbers *n, const void *key, size_t bytes, int *is_new);
void numbers_release(struct numbers *n);

#endif
