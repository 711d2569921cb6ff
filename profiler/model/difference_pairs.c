/* Pairing of pools: rules from the strictest to the loosest, each taking what the ones before left. */
#include "profiler/model/difference_pairs.h"

#include <stdlib.h>
#include <string.h>

static int same_stage(const struct model_pool *a, const struct model_pool *b)
{
	return a->stage == b->stage;
}

static int same_epoch(const struct model_pool *a, const struct model_pool *b)
{
	return same_stage(a, b) && a->epoch == b->epoch;
}

static int same_epoch_and_label(const struct model_pool *a, const struct model_pool *b)
{
	return same_epoch(a, b) && !strcmp(a->label, b->label);
}

static int (*const rules[])(const struct model_pool *, const struct model_pool *) = {
	same_epoch_and_label,
	same_epoch,
	same_stage,
};

/* partner[i] is the head pool of base pool i, taken[j] says that head pool j has one. */
static void apply(const struct difference *d, size_t rule, int *partner, char *taken)
{
	for (size_t i = 0; i < d->base->pool_count; i++) {
		for (size_t j = 0; partner[i] < 0 && j < d->head->pool_count; j++) {
			if (taken[j] || !rules[rule](&d->base->pools[i], &d->head->pools[j]))
				continue;
			partner[i] = (int)j;
			taken[j] = 1;
		}
	}
}

int difference_pair_pools(struct difference *d)
{
	size_t a = d->base->pool_count, b = d->head->pool_count;
	int *partner = malloc((a + 1) * sizeof(int));
	char *taken = calloc(b + 1, 1);
	int kind = ERROR_SYSTEM;

	d->pairs = calloc(a + b + 1, sizeof(*d->pairs));
	if (partner && taken && d->pairs) {
		for (size_t i = 0; i < a; i++)
			partner[i] = -1;
		for (size_t rule = 0; rule < sizeof(rules) / sizeof(rules[0]); rule++)
			apply(d, rule, partner, taken);
		for (size_t i = 0; i < a; i++)
			d->pairs[d->pair_count++] = (struct difference_pair){(int)i, partner[i]};
		for (size_t j = 0; j < b; j++)
			if (!taken[j])
				d->pairs[d->pair_count++] = (struct difference_pair){-1, (int)j};
		kind = 0;
	}
	free(partner);
	free(taken);
	return kind;
}
