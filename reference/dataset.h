/*
 * dataset.h: a map-style dataset: a known number of items, each fetched by its index, in any order.
 *
 * The dataset itself is made in the owner and inherited by the workers when they are forked. What a
 * worker needs for itself (files, caches) is its state: opened in the worker, used by one thread,
 * closed when the worker ends in good order. With no workers the owner opens a state of its own.
 */
#ifndef REFERENCE_DATASET_H
#define REFERENCE_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "reference/failure.h"

struct dataset;

struct dataset_ops {
	/* *state may be anything, NULL included. `worker` is 0..workers-1. */
	int (*open)(const struct dataset *set, unsigned worker, unsigned workers, void **state,
		    struct failure *f);
	/* Writes item_bytes bytes of item `item` (< length) to `destination`. */
	int (*get)(void *state, uint32_t item, void *destination, struct failure *f);
	void (*close)(void *state);
};

struct dataset {
	const struct dataset_ops *ops;
	const void *context; /* of the implementation */
	const char *name;    /* of its type, for people */
	uint32_t length;
	size_t item_bytes;
};

#endif
