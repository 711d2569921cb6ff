/* Several workers as one. */
#include "reference/pool.h"

#include <stdlib.h>

static int start_workers(struct pool *pool, const struct pool_spec *spec, struct failure *f)
{
	struct worker_spec work = {
		.dataset = spec->dataset,
		.order = spec->order,
		.workers = spec->workers,
		.prefetch = spec->prefetch,
	};

	for (; pool->count < spec->workers; pool->count++) {
		struct worker *worker = &pool->workers[pool->count];
		int error;

		work.id = pool->count;
		error = worker_start(worker, &work, f);
		if (error)
			return error;
		loopmem_pool_worker(spec->note, worker->pid, (int)worker->id);
	}
	return 0;
}

int pool_start(struct pool *pool, const struct pool_spec *spec, struct failure *f)
{
	int error;

	*pool = (struct pool){.workers = calloc(spec->workers, sizeof(*pool->workers))};
	if (!pool->workers)
		return failure_system(f, "no memory for a pool");
	error = start_workers(pool, spec, f);
	if (error)
		pool_end(pool, spec->order);
	return error;
}

int pool_await(struct pool *pool, struct failure *f)
{
	int error = 0;

	for (unsigned i = 0; i < pool->count && !error; i++)
		error = worker_await(&pool->workers[i], f);
	return error;
}

int pool_ask(struct pool *pool, uint32_t number, uint32_t first, uint32_t count, struct failure *f)
{
	return worker_ask(&pool->workers[number % pool->count], number, first, count, f);
}

int pool_fetch(struct pool *pool, uint32_t number, struct batch *batch, struct failure *f)
{
	return worker_fetch(&pool->workers[number % pool->count], number, batch, f);
}

void pool_end(struct pool *pool, struct order *order)
{
	atomic_store(&order->stop, 1);
	for (unsigned i = 0; i < pool->count; i++)
		worker_dismiss(&pool->workers[i]);
	for (unsigned i = 0; i < pool->count; i++)
		worker_join(&pool->workers[i]);
	free(pool->workers);
	*pool = (struct pool){0};
}
