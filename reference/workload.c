/* Sets and loaders from options. */
#include "reference/workload.h"

#include <stdlib.h>

#include "reference/rng.h"
#include "reference/synthetic.h"

/* The sets differ by their seed; the relation to learn is the same in all. */
enum { SEED_TRUTH, SEED_TRAIN, SEED_TEST, SEED_PREDICT, SEED_ORDER, SEED_VAL };

static int open_set(struct workload *w, struct dataset *set, uint32_t length, unsigned seed,
		    struct failure *f)
{
	const struct options *o = w->options;
	struct synthetic_config config = {
		.length = length,
		.features = o->features,
		.seed = rng_hash(o->seed, seed),
		.truth = rng_hash(o->seed, SEED_TRUTH),
		.noise = 0.1,
		.cache_bytes = o->cache_bytes,
		.index_bytes = o->index_bytes,
		.count_references = (int)o->count_references,
		.item_work_s = o->item_work_s,
		.item_delay_s = o->item_delay_s,
		.open_delay_s = o->open_delay_s,
	};

	return synthetic_open(set, &config, f);
}

static int open_sets(struct workload *w, struct failure *f)
{
	const struct options *o = w->options;
	int error = open_set(w, &w->train, o->train_items, SEED_TRAIN, f);

	for (unsigned i = 0; i < o->val_loaders && !error; i++)
		error = open_set(w, &w->val[i], o->val_items, SEED_VAL + i, f);
	if (o->test && !error)
		error = open_set(w, &w->test, o->val_items, SEED_TEST, f);
	if (o->predict && !error)
		error = open_set(w, &w->predict, o->val_items, SEED_PREDICT, f);
	return error;
}

int workload_open(struct workload *w, const struct options *options, struct failure *f)
{
	int error;

	*w = (struct workload){.options = options};
	w->val = calloc(options->val_loaders + 1, sizeof(*w->val));
	if (!w->val)
		return failure_system(f, "no memory for the datasets");
	error = open_sets(w, f);
	if (error)
		workload_close(w);
	return error;
}

void workload_close(struct workload *w)
{
	synthetic_close(&w->train);
	synthetic_close(&w->test);
	synthetic_close(&w->predict);
	for (unsigned i = 0; w->val && i < w->options->val_loaders; i++)
		synthetic_close(&w->val[i]);
	free(w->val);
	*w = (struct workload){0};
}

static const struct dataset *set_of(const struct workload *w, enum loopmem_stage stage,
				    unsigned index)
{
	switch (stage) {
	case LOOPMEM_STAGE_TRAIN:
		return &w->train;
	case LOOPMEM_STAGE_TEST:
		return &w->test;
	case LOOPMEM_STAGE_PREDICT:
		return &w->predict;
	default:
		return &w->val[index];
	}
}

int workload_open_loader(void *context, enum loopmem_stage stage, unsigned index,
			 struct loader **out, struct failure *f)
{
	const struct workload *w = context;
	const struct options *o = w->options;
	int train = stage == LOOPMEM_STAGE_TRAIN;
	struct loader_config config = {
		.batch_size = o->batch_size,
		.workers = train ? o->workers : o->val_workers,
		.prefetch = o->prefetch,
		.seed = rng_hash(o->seed, SEED_ORDER),
	};

	if (train && !o->no_shuffle)
		config.flags |= LOADER_SHUFFLE;
	if (o->drop_last)
		config.flags |= LOADER_DROP_LAST;
	if (o->persistent && config.workers)
		config.flags |= LOADER_PERSISTENT;
	return loader_open(out, set_of(w, stage, index), &config, f);
}
