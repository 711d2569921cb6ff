/*
 * batch.h: a batch is one mapping of consecutive items. A worker fills one in an unnamed
 * shared-memory object, unmaps it and keeps only the descriptor: a finished batch that nobody has
 * fetched is held by descriptors alone, and is in no process's resident set.
 */
#ifndef REFERENCE_BATCH_H
#define REFERENCE_BATCH_H

#include <stddef.h>
#include <stdint.h>

struct batch {
	void *items; /* count items of the dataset's item_bytes each, one after the other */
	size_t bytes;
	uint32_t number; /* from 0 in each epoch */
	uint32_t count;
};

/* Private memory of `bytes` (> 0), for a batch that is loaded where it is used. 0, or -1 with errno. */
int batch_allocate(struct batch *batch, size_t bytes);

/* Shared memory of `bytes` (> 0), reserved so that filling it cannot fail. Returns its descriptor,
 * or -1 with errno. */
int batch_share(struct batch *batch, size_t bytes);

/* Maps what batch_share made in another process; its size comes from the object itself. Forked
 * children do not inherit the mapping. 0, or -1 with errno. The descriptor may be closed after. */
int batch_map(struct batch *batch, int descriptor);

/* Gives the memory back; a zeroed or released batch is left alone. */
void batch_release(struct batch *batch);

#endif
