/*
 * Idle-worker retention: what pools that have nothing left to hand out still hold, as most bytes, seconds and byte-seconds, of each
 * pool and of the job; and the peak with and without it.
 */
#include <stdlib.h>

#include "profiler/model/private.h"

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t held_in(const struct model *m, size_t pool, size_t round)
{
	const struct pool_point *point = pool_point_at(m, pool, round);

	return point ? point->private_bytes + point->parked : 0;
}

int64_t held_idle(const struct model *m, size_t pool, size_t round, int64_t t_ns)
{
	return model_pool_state(&m->pools[pool], t_ns) == MODEL_EXHAUSTED ? held_in(m, pool, round)
									  : 0;
}

/* What was held over a span: a figure holds until the next round. */
static double integrate(const struct model *m, size_t pool, const struct model_span *span)
{
	int i = model_round_at(m, span->start_ns);
	int64_t t_ns = span->start_ns;
	double sum = 0;

	for (size_t k = i < 0 ? 0 : (size_t)i; t_ns < span->end_ns; k++) {
		int64_t next_ns = k + 1 < m->round_count && m->rounds[k + 1].t_ns < span->end_ns
					  ? m->rounds[k + 1].t_ns
					  : span->end_ns;

		if (next_ns > t_ns)
			sum += (double)held_in(m, pool, k) * (double)(next_ns - t_ns) / 1e9;
		t_ns = next_ns > t_ns ? next_ns : t_ns;
	}
	return sum;
}

static void note_maxima(struct model *m, size_t index)
{
	const struct pool_store *store = &m->priv->stores.items[index];
	struct model_pool *pool = &m->pools[index];

	for (size_t i = 0; i < store->points.count; i++) {
		const struct pool_point *point = &store->points.items[i];
		const struct model_round *round = &m->rounds[store->first_round + i];
		int64_t held = held_idle(m, index, store->first_round + i, round->t_ns);

		if (round->incomplete)
			continue;
		pool->memory_max = larger(pool->memory_max, point->memory);
		pool->private_max = larger(pool->private_max, point->private_bytes);
		pool->live_heap_max = larger(pool->live_heap_max, point->live);
		pool->unshared_max = larger(pool->unshared_max, point->unshared);
		pool->shm_max = larger(pool->shm_max, point->shm);
		if (held)
			pool->parked_batch_max = larger(pool->parked_batch_max, point->parked);
		if (held > pool->idle_max_bytes) {
			pool->idle_max_bytes = held;
			pool->idle_max_at_ns = round->t_ns;
		}
	}
}

static void measure_pool(struct model *m, size_t index)
{
	struct model_pool *pool = &m->pools[index];

	note_maxima(m, index);
	for (size_t i = 0; i < pool->span_count; i++) {
		if (pool->spans[i].state != MODEL_EXHAUSTED ||
		    !(pool->idle_max_bytes || pool->member_count))
			continue;
		pool->idle_ns += pool->spans[i].end_ns - pool->spans[i].start_ns;
		pool->idle_byte_seconds += integrate(m, index, &pool->spans[i]);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct model_span *x = a, *y = b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* How long any pool at all held something: the union of their idle spans. */
static int64_t idle_union(const struct model *m)
{
	ARRAY(struct model_span) spans = {0};
	int64_t sum = 0, covered_ns = INT64_MIN;

	for (size_t i = 0; i < m->pool_count; i++)
		for (size_t k = 0; k < m->pools[i].span_count && m->pools[i].idle_max_bytes; k++)
			if (m->pools[i].spans[k].state == MODEL_EXHAUSTED) {
				struct model_span *to = array_add(&spans);

				if (to)
					*to = m->pools[i].spans[k];
			}
	if (spans.count)
		qsort(spans.items, spans.count, sizeof(*spans.items), by_start);
	for (size_t i = 0; i < spans.count; i++) {
		int64_t start_ns = larger(spans.items[i].start_ns, covered_ns);

		if (spans.items[i].end_ns > start_ns)
			sum += spans.items[i].end_ns - start_ns;
		covered_ns = larger(covered_ns, spans.items[i].end_ns);
	}
	array_release(&spans);
	return sum;
}

static void note_round(struct model_totals *t, const struct model_round *r)
{
	int64_t without = r->total_bytes - r->held_idle_bytes;

	if (r->total_bytes > t->peak_bytes || t->peak_at_ns == MODEL_NONE) {
		t->peak_bytes = r->total_bytes;
		t->peak_at_ns = r->t_ns;
	}
	if (without > t->peak_without_idle_bytes || t->peak_without_idle_at_ns == MODEL_NONE) {
		t->peak_without_idle_bytes = without;
		t->peak_without_idle_at_ns = r->t_ns;
	}
	if (r->held_idle_bytes > t->idle_max_bytes) {
		t->idle_max_bytes = r->held_idle_bytes;
		t->idle_max_at_ns = r->t_ns;
	}
	t->peak_with_release_bytes =
		larger(t->peak_with_release_bytes, r->total_bytes - r->held_idle_releasable_bytes);
	t->peak_rss_sum_bytes = larger(t->peak_rss_sum_bytes, r->rss_sum_bytes);
	t->parked_batch_max_bytes = larger(t->parked_batch_max_bytes, r->parked_batch_bytes);
	t->pools_alive_max = larger(t->pools_alive_max, r->pools_alive);
}

/* The limit that holds at the peak: the cgroup's where there is one; else, or when the machine has less, its RAM. */
static void find_limit(const struct model *m, struct model_totals *t)
{
	int peak = t->peak_at_ns == MODEL_NONE ? -1 : model_round_at(m, t->peak_at_ns);
	int64_t limit = peak < 0 ? MODEL_NONE : m->rounds[peak].limit_bytes;

	t->limit_bytes = m->ram_bytes;
	t->limit_source = m->ram_bytes == MODEL_NONE ? "" : "RAM";
	if (limit == MODEL_NONE || (m->ram_bytes != MODEL_NONE && limit >= m->ram_bytes))
		return;
	t->limit_bytes = limit;
	t->limit_source = m->priv->limit_source[0] ? m->priv->limit_source : "cgroup";
}

void retention_build(struct model *m)
{
	struct model_totals *t = &m->totals;
	size_t complete = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		measure_pool(m, i);
	*t = (struct model_totals){
		.duration_ns = m->last_ns,
		.peak_at_ns = MODEL_NONE,
		.peak_without_idle_at_ns = MODEL_NONE,
		.idle_max_at_ns = MODEL_NONE,
		.overlap_max_at_ns = MODEL_NONE,
	};
	for (size_t i = 0; i < m->round_count; i++)
		complete += !m->rounds[i].incomplete;
	for (size_t i = 0; i < m->round_count; i++)
		if (!complete || !m->rounds[i].incomplete)
			note_round(t, &m->rounds[i]);
	for (size_t i = 0; i < m->pool_count; i++)
		t->idle_byte_seconds += m->pools[i].idle_byte_seconds;
	t->idle_ns = idle_union(m);
	if (t->duration_ns > 0)
		t->idle_average_bytes =
			(int64_t)(t->idle_byte_seconds / ((double)t->duration_ns / 1e9));
	find_limit(m, t);
}
