/* Groups: what their members tell of them. Nobody says when a group is over: it lives as long as one of its processes. */
#include <stdlib.h>

#include "profiler/model/private.h"

static int by_time(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* `times` is scratch of two per member. */
static int64_t most_at_once(const struct model *m, const struct model_pool *pool, int64_t *times)
{
	int64_t *ends = times + pool->member_count;
	int64_t most = 0, alive = 0;
	size_t ended = 0;

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct model_process *p = &m->processes[pool->members[i]];

		times[i] = p->born_ns;
		ends[i] = p->ended_ns == MODEL_NONE ? INT64_MAX : p->ended_ns;
	}
	qsort(times, pool->member_count, sizeof(*times), by_time);
	qsort(ends, pool->member_count, sizeof(*ends), by_time);
	for (size_t i = 0; i < pool->member_count; i++) {
		for (alive++; ended <= i && ends[ended] <= times[i]; ended++)
			alive--;
		most = alive > most ? alive : most;
	}
	return most;
}

/* The end of the last of its members, MODEL_NONE while one lives. */
static int64_t last_end(const struct model *m, const struct model_pool *pool)
{
	int64_t end_ns = MODEL_NONE;

	for (size_t i = 0; i < pool->member_count; i++) {
		int64_t ended_ns = m->processes[pool->members[i]].ended_ns;

		if (ended_ns == MODEL_NONE)
			return MODEL_NONE;
		end_ns = ended_ns > end_ns ? ended_ns : end_ns;
	}
	return end_ns;
}

int groups_build(struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++) {
		struct model_pool *pool = &m->pools[i];
		int64_t *times, end_ns;

		if (!pool->grouped || !pool->member_count)
			continue;
		times = malloc(2 * pool->member_count * sizeof(*times));
		if (!times)
			return -1;
		if (pool->workers <= 0)
			pool->workers = most_at_once(m, pool, times);
		free(times);
		end_ns = last_end(m, pool);
		if (end_ns != MODEL_NONE && (pool->end_ns == MODEL_NONE || end_ns < pool->end_ns))
			pool->end_ns = end_ns;
	}
	return 0;
}
