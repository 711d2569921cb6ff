/* How many workers fit under the limit: in every round the room that is left, by what one more worker of every pool would take. */
#include <math.h>
#include <stdlib.h>

#include "profiler/model/private.h"

/* Of one round: what one worker more of each counted pool takes, and how much of the total would be gone. */
struct load {
	double each, idle, idle_each;
};

static int has_workers(const struct model_pool *pool)
{
	return pool->workers > 0 && pool->batches != MODEL_NONE;
}

/* What one worker more would take: what is its own, not its share of pages that are there anyway. */
static int64_t most_of_a_worker(const struct model *m, const struct model_pool *pool)
{
	const struct pool_store *store = &m->priv->stores.items[pool - m->pools];
	int64_t most = 0;

	for (size_t i = 0; i < store->points.count; i++) {
		const struct pool_point *point = &store->points.items[i];

		if (point->private_bytes + point->shm > most)
			most = point->private_bytes + point->shm;
	}
	return most / pool->workers;
}

/* The pools that are counted: all, or where they have unlike numbers of workers those of the largest one's stage. */
static void choose_pools(const struct model *m, struct model_capacity *c)
{
	const struct model_pool *largest = NULL;
	int alike = 1;

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];

		if (!has_workers(pool))
			continue;
		alike &= !largest || pool->workers == largest->workers;
		if (!largest || pool->memory_max > largest->memory_max)
			largest = pool;
	}
	if (!largest)
		return;
	c->stage = alike ? -1 : (int)largest->stage;
	c->worker_stage = largest->stage;
	c->workers = largest->workers;
	c->worker_bytes = most_of_a_worker(m, largest);
}

static int is_counted(const struct model_capacity *c, const struct model_pool *pool)
{
	return has_workers(pool) && pool->workers == c->workers &&
	       (c->stage < 0 || (int)pool->stage == c->stage);
}

static void add_pool(const struct model *m, size_t index, struct load *rounds)
{
	const struct pool_store *store = &m->priv->stores.items[index];
	const struct model_pool *pool = &m->pools[index];
	int counted = is_counted(&m->capacity, pool);

	for (size_t i = 0; i < store->points.count; i++) {
		const struct pool_point *point = &store->points.items[i];
		struct load *r = &rounds[store->first_round + i];
		int64_t t_ns = m->rounds[store->first_round + i].t_ns;
		const struct model_span *span = pool_span_at(pool, t_ns);
		double each =
			(double)(point->private_bytes + point->shm) / (double)m->capacity.workers;

		r->each += counted ? each : 0;
		if (!pool->releasable || !span || span->hindsight ||
		    model_pool_state(pool, t_ns) != MODEL_EXHAUSTED)
			continue;
		r->idle += (double)(point->private_bytes + point->parked);
		r->idle_each += counted ? each : 0;
	}
}

/* So many workers fit in this round. */
static double fit(double room, double each, double workers)
{
	if (each < 1)
		return room >= 0 ? MODEL_CAPACITY_MOST : 0;
	return fmin(fmax(floor(workers + room / each), 0), MODEL_CAPACITY_MOST);
}

static void find_least(const struct model *m, const struct load *rounds, struct model_capacity *c)
{
	double limit = (double)m->totals.limit_bytes, workers = (double)c->workers;
	double as_it_runs = MODEL_CAPACITY_MOST, released = MODEL_CAPACITY_MOST;

	for (size_t i = 0; i < m->round_count; i++) {
		const struct load *r = &rounds[i];
		double room = limit - (double)m->rounds[i].total_bytes;

		if (m->rounds[i].incomplete)
			continue;
		as_it_runs = fmin(as_it_runs, fit(room, r->each, workers));
		released = fmin(released, fit(room + r->idle, r->each - r->idle_each, workers));
	}
	/* what was killed for memory did not fit, whatever was resident when it was last looked at */
	if (m->oom_killed || m->totals.oom_kills)
		as_it_runs = fmin(as_it_runs, workers - 1);
	c->as_it_runs = (int64_t)as_it_runs;
	c->idle_released = (int64_t)released;
}

int capacity_build(struct model *m)
{
	struct load *rounds;

	m->capacity = (struct model_capacity){.workers = MODEL_NONE, .stage = -1};
	if (m->totals.limit_bytes == MODEL_NONE || !m->round_count)
		return 0;
	choose_pools(m, &m->capacity);
	if (m->capacity.workers == MODEL_NONE)
		return 0;
	rounds = calloc(m->round_count, sizeof(*rounds));
	if (!rounds)
		return -1;
	for (size_t i = 0; i < m->pool_count; i++)
		add_pool(m, i, rounds);
	find_least(m, rounds, &m->capacity);
	free(rounds);
	return 0;
}
