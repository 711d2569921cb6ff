/*
 * Idle-worker retention: what pools that have nothing left to hand out still hold, as most bytes, seconds and byte-seconds, of each
 * pool and of the job; and the peak with and without it.
 */
#include <stdlib.h>
#include <string.h>

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

/* What a pool held when the hook ended it: at the last round before it was exhausted. */
static int64_t released_bytes(const struct model *m, size_t index)
{
	const struct model_pool *pool = &m->pools[index];
	int round = pool->exhausted_ns == MODEL_NONE ? -1 : model_round_at(m, pool->exhausted_ns);

	return pool->released && round >= 0 ? held_in(m, index, (size_t)round) : 0;
}

static void measure_pool(struct model *m, size_t index)
{
	struct model_pool *pool = &m->pools[index];

	note_maxima(m, index);
	pool->released_bytes = released_bytes(m, index);
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

/* Sums over the pools of a stage in every round; `sums` is scratch of two numbers a round. */
static void measure_stage(struct model *m, enum model_stage stage, int64_t *sums)
{
	struct model_stage_totals *s = &m->stages[stage];
	double seconds = (double)m->last_ns / 1e9;

	memset(sums, 0, 2 * m->round_count * sizeof(*sums));
	for (size_t i = 0; i < m->pool_count; i++) {
		const struct pool_store *store = &m->priv->stores.items[i];

		if (m->pools[i].stage != stage)
			continue;
		s->pools++;
		s->idle_byte_seconds += m->pools[i].idle_byte_seconds;
		for (size_t k = 0; k < store->points.count; k++) {
			size_t round = store->first_round + k;

			sums[2 * round] += store->points.items[k].private_bytes;
			sums[2 * round + 1] += held_idle(m, i, round, m->rounds[round].t_ns);
		}
	}
	for (size_t i = 0; s->pools && i < m->round_count; i++) {
		if (m->rounds[i].incomplete)
			continue;
		s->private_max_bytes = larger(s->private_max_bytes, sums[2 * i]);
		s->idle_max_bytes = larger(s->idle_max_bytes, sums[2 * i + 1]);
	}
	s->idle_average_bytes = seconds > 0 ? (int64_t)(s->idle_byte_seconds / seconds) : 0;
}

static int measure_stages(struct model *m)
{
	int64_t *sums = calloc(2 * m->round_count + 1, sizeof(*sums));

	if (!sums)
		return -1;
	memset(m->stages, 0, sizeof(m->stages));
	for (int stage = 0; stage < MODEL_STAGES; stage++)
		measure_stage(m, (enum model_stage)stage, sums);
	free(sums);
	return 0;
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

/* Of a run in which nobody was measured: what was read at the end. */
static int64_t last_limit(const struct tables *t)
{
	const struct system_row *last = tables_system_at(t, INT64_MAX);

	return last ? last->limit_bytes : MODEL_NONE;
}

/* The limit that holds at the peak: the cgroup's where there is one; else, or when the machine has less, its RAM. */
static void find_limit(const struct model *m, struct model_totals *t)
{
	int peak = t->peak_at_ns == MODEL_NONE ? -1 : model_round_at(m, t->peak_at_ns);
	int64_t limit = peak < 0 ? last_limit(&m->priv->tables) : m->rounds[peak].limit_bytes;

	t->limit_bytes = m->ram_bytes;
	t->limit_source = m->ram_bytes == MODEL_NONE ? "" : "RAM";
	if (limit == MODEL_NONE || (m->ram_bytes != MODEL_NONE && limit >= m->ram_bytes))
		return;
	t->limit_bytes = limit;
	t->limit_source = m->priv->limit_source[0] ? m->priv->limit_source : "cgroup";
}

/* Not from the counter of the cgroup: a job may be killed before that is read for the first time. */
static int64_t count_oom_kills(const struct tables *t)
{
	int64_t kills = 0;

	for (size_t i = 0; i < t->events.count; i++)
		if (t->events.items[i].kind == EVENT_OOM_KILL && t->events.items[i].value > 0)
			kills += t->events.items[i].value;
	return kills;
}

int retention_build(struct model *m)
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
	for (size_t i = 0; i < m->pool_count; i++) {
		t->idle_byte_seconds += m->pools[i].idle_byte_seconds;
		t->released_pools += m->pools[i].released;
		t->released_max_bytes = larger(t->released_max_bytes, m->pools[i].released_bytes);
	}
	t->oom_kills = count_oom_kills(&m->priv->tables);
	t->idle_ns = idle_union(m);
	if (t->duration_ns > 0)
		t->idle_average_bytes =
			(int64_t)(t->idle_byte_seconds / ((double)t->duration_ns / 1e9));
	find_limit(m, t);
	return measure_stages(m);
}
