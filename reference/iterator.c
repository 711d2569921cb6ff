/* Iterators: which batch is asked for when, and the life of the workers. */
#include "reference/iterator.h"

#include <stdlib.h>

static loopmem_pool announce(const struct loader *loader, enum loopmem_stage stage, int32_t epoch)
{
	const struct loader_config *c = &loader->config;
	struct loopmem_pool_spec spec = {
		.stage = stage,
		.start = c->workers ? LOOPMEM_START_FORK : LOOPMEM_START_NONE,
		.flags = c->flags & LOADER_PERSISTENT ? LOOPMEM_POOL_PERSISTENT : 0,
		.epoch = epoch,
		.workers = (int32_t)c->workers,
		.batch_size = (int32_t)c->batch_size,
		.prefetch = c->workers ? (int32_t)c->prefetch : LOOPMEM_UNKNOWN,
		.expected_batches = loader->length,
		.label = c->label,
		.dataset = loader->dataset->name,
	};

	return loopmem_pool_begin(&spec);
}

static void set_order(struct iterator *it, int32_t epoch)
{
	if (it->loader->config.flags & LOADER_SHUFFLE)
		order_shuffled(it->order, it->loader->config.seed, epoch);
	else
		order_sequential(it->order);
}

/* The items of batch `number` are order[*first .. *first + result). */
static uint32_t cut(const struct loader *loader, uint32_t number, uint32_t *first)
{
	uint32_t rest;

	*first = number * loader->config.batch_size;
	rest = loader->dataset->length - *first;
	return rest < loader->config.batch_size ? rest : loader->config.batch_size;
}

/* Asks for one more batch, if there is one. */
static int ask_next(struct iterator *it, struct failure *f)
{
	uint32_t first, count;

	if (it->asked == it->loader->length)
		return 0;
	count = cut(it->loader, it->asked, &first);
	return pool_ask(&it->pool, it->asked++, first, count, f);
}

static int ask_ahead(struct iterator *it, struct failure *f)
{
	uint32_t ahead = it->loader->config.workers * it->loader->config.prefetch;
	int error = 0;

	while (it->asked < ahead && it->asked < it->loader->length && !error)
		error = ask_next(it, f);
	return error;
}

static int start_pool(struct iterator *it, struct failure *f)
{
	const struct loader *loader = it->loader;
	struct pool_spec spec = {
		.dataset = loader->dataset,
		.order = it->order,
		.workers = loader->config.workers,
		.prefetch = loader->config.prefetch,
		.note = it->note,
	};
	int error = pool_start(&it->pool, &spec, f);

	if (!error)
		error = pool_await(&it->pool, f);
	order_keep_from_later_children(it->order);
	return error ? error : ask_ahead(it, f);
}

static int start(struct iterator *it, enum loopmem_stage stage, int32_t epoch, struct failure *f)
{
	const struct dataset *dataset = it->loader->dataset;
	int error;

	it->order = order_new(dataset->length);
	if (!it->order)
		return failure_system(f, "no memory for the order of the items");
	set_order(it, epoch);
	it->note = announce(it->loader, stage, epoch);
	if (it->loader->config.workers) {
		it->live = 1;
		return start_pool(it, f);
	}
	error = dataset->ops->open(dataset, 0, 1, &it->state, f);
	if (error)
		loopmem_pool_end(it->note);
	it->live = !error;
	return error;
}

/* Ends the workers, or closes the owner's own state. */
static void end(struct iterator *it)
{
	if (!it->live)
		return;
	it->live = 0;
	if (it->loader->config.workers) {
		loopmem_pool_closing(it->note);
		pool_end(&it->pool, it->order);
	} else {
		it->loader->dataset->ops->close(it->state);
	}
	loopmem_pool_end(it->note);
}

void iterator_free(struct iterator *it)
{
	end(it);
	order_free(it->order);
	free(it);
}

int iterator_new(struct iterator **out, struct loader *loader, enum loopmem_stage stage,
		 int32_t epoch, struct failure *f)
{
	struct iterator *it = calloc(1, sizeof(*it));
	int error;

	if (!it)
		return failure_system(f, "no memory for an iterator");
	it->loader = loader;
	error = start(it, stage, epoch, f);
	if (error) {
		iterator_free(it);
		return error;
	}
	*out = it;
	return 0;
}

/* One batch from the worker whose turn it is, and a new task for that worker. */
static int deliver(struct iterator *it, struct batch *batch, struct failure *f)
{
	uint32_t number = it->delivered;
	int error = pool_fetch(&it->pool, number, batch, f);

	if (error)
		return error;
	if (it->asked < it->loader->length)
		return ask_next(it, f);
	return pool_ask(&it->pool, number, 0, 0, f); /* only: I have it */
}

/* Without workers: one batch, loaded here and now. */
static int load(struct iterator *it, struct batch *batch, struct failure *f)
{
	const struct dataset *dataset = it->loader->dataset;
	uint32_t first, count = cut(it->loader, it->delivered, &first);
	char *item;
	int error = 0;

	if (batch_allocate(batch, count * dataset->item_bytes))
		return failure_system(f, "no memory for a batch");
	item = batch->items;
	for (uint32_t i = 0; i < count && !error; i++) {
		error = dataset->ops->get(it->state, it->order->items[first + i], item, f);
		item += dataset->item_bytes;
	}
	return error;
}

static int next(struct iterator *it, struct batch *batch, struct failure *f)
{
	uint32_t first;
	int error;

	if (it->delivered == it->loader->length)
		return 0;
	if (!it->live)
		return failure_set(f, FAILURE_USAGE, "this iterator has failed before");
	error = it->loader->config.workers ? deliver(it, batch, f) : load(it, batch, f);
	if (error) {
		batch_release(batch);
		return error;
	}
	batch->number = it->delivered++;
	batch->count = cut(it->loader, batch->number, &first);
	return 1;
}

int iterator_next(struct iterator *it, struct batch *batch, struct failure *f)
{
	int got;

	*batch = (struct batch){0};
	loopmem_next_begin(it->note);
	got = next(it, batch, f);
	loopmem_next_end(it->note, got > 0);
	if (got > 0 && it->delivered == it->loader->length)
		loopmem_pool_exhausted(it->note);
	if (got < 0 || (got == 0 && it != it->loader->kept))
		end(it);
	return got;
}

/* Takes and throws away what the workers still owe of an epoch that was cut short. */
static int settle(struct iterator *it, struct failure *f)
{
	while (it->delivered < it->asked) {
		struct batch batch = {0};
		int error = pool_fetch(&it->pool, it->delivered, &batch, f);

		batch_release(&batch);
		if (!error)
			error = pool_ask(&it->pool, it->delivered++, 0, 0, f);
		if (error)
			return error;
	}
	return 0;
}

int iterator_start_over(struct iterator *it, int32_t epoch, struct failure *f)
{
	int error = settle(it, f);

	if (!error) {
		it->asked = it->delivered = 0;
		set_order(it, epoch);
		loopmem_pool_reuse(it->note, epoch);
		error = ask_ahead(it, f);
	}
	if (error)
		end(it);
	return error;
}

void iterator_expect(const struct iterator *it, uint32_t batches)
{
	loopmem_pool_expect(it->note, batches);
}

pid_t iterator_worker(const struct iterator *it, unsigned worker)
{
	return worker < it->pool.count ? it->pool.workers[worker].pid : 0;
}

void iterator_close(struct iterator *it)
{
	if (it && it != it->loader->kept)
		iterator_free(it);
}
