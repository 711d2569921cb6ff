/*
 * order.h: the order in which an epoch visits the items, in memory that the owner and its workers
 * share. The index queues carry only places in it, so a task has the same size for every batch.
 * The owner rewrites it between epochs, when no task is under way; workers only read.
 */
#ifndef REFERENCE_ORDER_H
#define REFERENCE_ORDER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct order {
	atomic_int stop; /* the owner wants no more batches: workers skip what is queued */
	uint32_t length;
	uint32_t items[];
};

/* NULL when there is no memory. Release with order_free. */
struct order *order_new(uint32_t length);

/* The items in their own order. */
void order_sequential(struct order *order);

/* A permutation that depends on seed and epoch alone. */
void order_shuffled(struct order *order, uint64_t seed, int32_t epoch);

/* Processes forked from now on do not inherit it. */
void order_keep_from_later_children(struct order *order);

void order_free(struct order *order);

#endif
