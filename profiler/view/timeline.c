/* The moments a picture shows: half of them the peaks of equal stretches, the rest both sides of the edges. */
#include "profiler/view/timeline.h"

#include <stdlib.h>

static int by_time(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void add_round(struct timeline *t, const struct model *m, int index)
{
	if (index >= 0 && (size_t)index < m->round_count)
		t->t_ns[t->count++] = m->rounds[index].t_ns;
}

/* The last round before an edge and the first one at it or after. */
static void add_edge(struct timeline *t, const struct model *m, int64_t t_ns)
{
	int before;

	if (t_ns == MODEL_NONE)
		return;
	before = model_round_at(m, t_ns - 1);
	add_round(t, m, before);
	add_round(t, m, before + 1);
}

static size_t count_edges(const struct model *m)
{
	size_t edges = m->phase_count;

	for (size_t i = 0; i < m->pool_count; i++)
		edges += m->pools[i].span_count + 1;
	return edges;
}

static void add_edges(struct timeline *t, const struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];

		for (size_t k = 0; k < pool->span_count; k++)
			add_edge(t, m, pool->spans[k].start_ns);
		add_edge(t, m, pool->end_ns);
	}
	for (size_t i = 0; i < m->phase_count; i++)
		add_edge(t, m, m->phases[i].start_ns);
}

static int add_peaks(struct timeline *t, const struct model *m, size_t buckets)
{
	struct model_round *rounds = calloc(buckets, sizeof(*rounds));

	if (!rounds)
		return -1;
	model_reduce(m, 0, m->last_ns + 1, buckets, rounds);
	for (size_t i = 0; i < buckets; i++)
		if (rounds[i].t_ns != MODEL_NONE)
			t->t_ns[t->count++] = rounds[i].t_ns;
	free(rounds);
	return 0;
}

static void sort_once(struct timeline *t)
{
	size_t kept = 0;

	qsort(t->t_ns, t->count, sizeof(*t->t_ns), by_time);
	for (size_t i = 0; i < t->count; i++)
		if (!kept || t->t_ns[kept - 1] != t->t_ns[i])
			t->t_ns[kept++] = t->t_ns[i];
	t->count = kept;
}

int timeline_choose(struct timeline *t, const struct model *m, size_t limit)
{
	size_t edges = 2 * count_edges(m) + 6, buckets;

	if (edges > limit / 2)
		edges = 0;
	buckets = limit - edges;
	t->count = 0;
	t->t_ns = malloc((buckets + edges + 6) * sizeof(*t->t_ns));
	if (!t->t_ns || add_peaks(t, m, buckets) < 0) {
		timeline_release(t);
		return -1;
	}
	if (edges)
		add_edges(t, m);
	if (t->count + 4 <= limit) {
		add_round(t, m, 0);
		add_round(t, m, (int)m->round_count - 1);
		add_round(t, m, model_round_at(m, m->totals.idle_max_at_ns));
		add_round(t, m, model_round_at(m, m->totals.peak_without_idle_at_ns));
	}
	sort_once(t);
	return 0;
}

void timeline_release(struct timeline *t)
{
	free(t->t_ns);
	*t = (struct timeline){0};
}
