/*
 * pool.h: the workers of one iterator. Batch number n is always loaded by worker n % count, so the
 * order of delivery is known in advance: the owner reads from the worker whose turn it is, however
 * fast the others are.
 */
#ifndef REFERENCE_POOL_H
#define REFERENCE_POOL_H

#include "inject/loopmem.h"
#include "reference/worker.h"

struct pool {
	struct worker *workers;
	unsigned count;
};

struct pool_spec {
	const struct dataset *dataset;
	struct order *order;
	unsigned workers;  /* > 0 */
	unsigned prefetch; /* batches asked ahead per worker */
	loopmem_pool note; /* that the workers are announced under */
};

/* Starts the workers; on failure none is left. They are ready after pool_await. */
int pool_start(struct pool *pool, const struct pool_spec *spec, struct failure *f);
int pool_await(struct pool *pool, struct failure *f);

/* Asks the worker whose turn batch `number` is. */
int pool_ask(struct pool *pool, uint32_t number, uint32_t first, uint32_t count, struct failure *f);

/* Waits for batch `number`, the oldest asked for of its worker. */
int pool_fetch(struct pool *pool, uint32_t number, struct batch *batch, struct failure *f);

/* Ends all workers, whatever they are at; what they finished is thrown away. Sets order->stop. */
void pool_end(struct pool *pool, struct order *order);

#endif
