/*
 * synthetic.h: a made-up regression set that treats memory as real ones do. An item is decoded from
 * its key into a sample that is much larger than what the model takes of it; each worker keeps the
 * samples it has decoded, until its cache is full; an optional index is made in the owner and shared
 * with the workers by the fork, until somebody writes to it.
 *
 * Two sets with the same `truth` have the same relation to learn; `seed` chooses the items.
 */
#ifndef REFERENCE_SYNTHETIC_H
#define REFERENCE_SYNTHETIC_H

#include "reference/dataset.h"

struct synthetic_config {
	uint32_t length;
	unsigned features; /* of an item; the target follows them */
	uint64_t seed, truth;
	double noise;       /* standard deviation of the target's error */
	size_t cache_bytes; /* per worker, full when the worker has seen its share of the items once */
	size_t index_bytes; /* 0 = no index */
	int count_references; /* write a reference count into what is read of the index: undoes sharing */
	double item_work_s; /* CPU time that an item takes to decode, over and above the work on its numbers */
	double item_delay_s; /* an item takes that long to decode, over and above the work */
	double open_delay_s; /* a worker takes that long to open the set */
};

/* Makes the set and its index. */
int synthetic_open(struct dataset *out, const struct synthetic_config *config, struct failure *f);

void synthetic_close(struct dataset *set);

#endif
