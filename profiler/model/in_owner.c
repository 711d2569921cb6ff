/*
 * What loaders without workers hold: they load in their owner, so it is the owner's memory, and only its call sites tell which of it was
 * allocated inside whose next. Estimates from samples; a part of the owner's figures, never added to them.
 */
#include <stdlib.h>

#include "profiler/model/private.h"

/* The live bytes of a site from t_ns on differ by this from what they were. */
struct step {
	int64_t t_ns, bytes;
	int pool;
};

struct steps {
	ARRAY(struct step) steps;
};

int in_owner_counts(const struct model *m, size_t site)
{
	int pool = m->sites[site].pool;

	return pool >= 0 && m->sites[site].process == m->pools[pool].owner &&
	       !m->pools[pool].workers && !m->pools[pool].member_count;
}

static int by_pool_and_time(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->pool != y->pool)
		return x->pool < y->pool ? -1 : 1;
	return x->t_ns < y->t_ns ? -1 : x->t_ns > y->t_ns;
}

/* Ordered steps: all of one pool that were read at one moment belong together. */
static void settle(struct model *m, const struct step *steps, size_t count)
{
	int64_t held = 0;

	for (size_t i = 0; i < count; i++) {
		const struct step *next = i + 1 < count ? &steps[i + 1] : NULL;
		struct model_pool *pool = &m->pools[steps[i].pool];
		int goes_on = next && next->pool == steps[i].pool;

		held += steps[i].bytes;
		if ((!goes_on || next->t_ns != steps[i].t_ns) && held > pool->in_owner_max)
			pool->in_owner_max = held;
		if (!goes_on)
			held = 0;
	}
}

/* Appends the steps of a site. 0, or -1 when out of memory. */
static int add_site(struct steps *steps, const struct model *m, size_t site)
{
	const struct site_store *store = &m->priv->sites.stores.items[site];
	int64_t before = 0;

	for (size_t i = 0; i < store->points.count; i++) {
		const struct site_point *point = &store->points.items[i];
		struct step *step = array_add(&steps->steps);

		if (!step)
			return -1;
		*step = (struct step){point->t_ns, point->amount.live_bytes - before,
				      m->sites[site].pool};
		before = point->amount.live_bytes;
	}
	return 0;
}

int in_owner_build(struct model *m)
{
	struct steps all = {0};
	int failed = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		m->pools[i].in_owner_max = 0;
	for (size_t i = 0; i < m->site_count && !failed; i++)
		if (in_owner_counts(m, i))
			failed = add_site(&all, m, i);
	if (all.steps.count && !failed) {
		qsort(all.steps.items, all.steps.count, sizeof(*all.steps.items), by_pool_and_time);
		settle(m, all.steps.items, all.steps.count);
	}
	array_release(&all.steps);
	return failed;
}
