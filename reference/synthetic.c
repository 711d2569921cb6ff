/* The set: truth and index in the owner, decoding and cache in a worker. */
#include "reference/synthetic.h"

#include <stdlib.h>
#include <string.h>

#include "reference/delay.h"
#include "reference/rng.h"

/* What an interpreter makes of one annotation: an object with a header and a value. */
struct annotation {
	uint64_t references;
	uint64_t key; /* of the item it belongs to */
	uint64_t rest[6];
};

struct synthetic {
	struct synthetic_config config;
	float *truth;             /* features weights, then the constant */
	struct annotation *index; /* per_item of them for each item, or NULL */
	size_t per_item;
};

/* A worker's own: the samples it has decoded, by item. */
struct worker_state {
	const struct synthetic *set;
	size_t sample_floats; /* item_bytes at least */
	size_t cached_bytes;
	float **samples; /* NULL = not in the cache */
};

static size_t item_floats(const struct synthetic *set)
{
	return set->config.features + 1;
}

/* The sum of twelve even numbers is normal enough for noise. */
static double normal(struct rng *rng)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)rng_signed(rng);
	return sum / 2;
}

static uint64_t key_of(const struct synthetic *set, uint32_t item)
{
	struct annotation *a;

	if (!set->index)
		return rng_hash(set->config.seed, item);
	a = set->index + item * set->per_item;
	for (size_t i = 0; set->config.count_references && i < set->per_item; i++)
		a[i].references++;
	return a->key;
}

/* A sample is numbers from its key. The model's share is the first ones and a target made of them. */
static void decode(const struct synthetic *set, uint32_t item, float *sample, size_t floats)
{
	unsigned features = set->config.features;
	struct rng rng = {.state = key_of(set, item)};
	double target = (double)set->truth[features] + set->config.noise * normal(&rng);

	for (unsigned i = 0; i < features; i++) {
		sample[i] = rng_signed(&rng);
		target += (double)set->truth[i] * (double)sample[i];
	}
	sample[features] = (float)target;
	for (size_t i = item_floats(set); i < floats; i++)
		sample[i] = rng_signed(&rng);
	work_s(set->config.item_work_s);
	delay_s(set->config.item_delay_s);
}

static int worker_open(const struct dataset *dataset, unsigned worker, unsigned workers,
		       void **state, struct failure *f)
{
	const struct synthetic *set = dataset->context;
	struct worker_state *own = calloc(1, sizeof(*own));
	size_t share = (set->config.length + workers - 1) / workers;

	(void)worker; /* any worker may be asked for any item */
	if (own)
		own->samples = calloc(set->config.length, sizeof(*own->samples));
	if (!own || !own->samples) {
		free(own);
		return failure_system(f, "no memory for the dataset of a worker");
	}
	own->set = set;
	own->sample_floats = set->config.cache_bytes / share / sizeof(float);
	if (own->sample_floats < item_floats(set))
		own->sample_floats = item_floats(set);
	delay_s(set->config.open_delay_s);
	*state = own;
	return 0;
}

/* Decodes into the cache; NULL when it is full. */
static float *cache(struct worker_state *own, uint32_t item)
{
	size_t bytes = own->sample_floats * sizeof(float);

	if (own->cached_bytes + bytes > own->set->config.cache_bytes)
		return NULL;
	own->samples[item] = malloc(bytes);
	if (!own->samples[item])
		return NULL;
	own->cached_bytes += bytes;
	decode(own->set, item, own->samples[item], own->sample_floats);
	return own->samples[item];
}

static int worker_get(void *state, uint32_t item, void *destination, struct failure *f)
{
	struct worker_state *own = state;
	const float *sample = own->samples[item];

	(void)f; /* nothing can go wrong: without room in the cache the item is decoded each time */
	if (!sample)
		sample = cache(own, item);
	if (sample)
		memcpy(destination, sample, item_floats(own->set) * sizeof(float));
	else
		decode(own->set, item, destination, item_floats(own->set));
	return 0;
}

static void worker_close(void *state)
{
	struct worker_state *own = state;

	for (uint32_t i = 0; i < own->set->config.length; i++)
		free(own->samples[i]);
	free(own->samples);
	free(own);
}

static const struct dataset_ops synthetic_ops = {
	.open = worker_open,
	.get = worker_get,
	.close = worker_close,
};

static void make_truth(struct synthetic *set)
{
	struct rng rng = {.state = set->config.truth};

	for (size_t i = 0; i < item_floats(set); i++)
		set->truth[i] = rng_signed(&rng);
}

static int make_index(struct synthetic *set)
{
	size_t count = set->config.index_bytes / sizeof(*set->index);

	set->per_item = count / set->config.length ? count / set->config.length : 1;
	count = set->per_item * set->config.length;
	set->index = malloc(count * sizeof(*set->index));
	if (!set->index)
		return -1;
	for (size_t i = 0; i < count; i++)
		set->index[i] = (struct annotation){
			.references = 1,
			.key = rng_hash(set->config.seed, i / set->per_item),
		};
	return 0;
}

static void release(struct synthetic *set)
{
	free(set->index);
	free(set->truth);
	free(set);
}

int synthetic_open(struct dataset *out, const struct synthetic_config *config, struct failure *f)
{
	struct synthetic *set;

	if (config->length == 0 || config->features == 0)
		return failure_set(f, FAILURE_USAGE, "a set needs items and items need features");
	set = calloc(1, sizeof(*set));
	if (!set)
		return failure_system(f, "no memory for the dataset");
	set->config = *config;
	set->truth = malloc(item_floats(set) * sizeof(float));
	if (!set->truth || (config->index_bytes && make_index(set))) {
		failure_system(f, "no memory for the dataset's index");
		release(set);
		return f->kind;
	}
	make_truth(set);
	*out = (struct dataset){
		.ops = &synthetic_ops,
		.context = set,
		.name = "Synthetic",
		.length = config->length,
		.item_bytes = item_floats(set) * sizeof(float),
	};
	return 0;
}

void synthetic_close(struct dataset *set)
{
	if (set->context)
		release((struct synthetic *)set->context);
	*set = (struct dataset){0};
}
