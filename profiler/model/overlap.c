/* Overlaps: times at which a pool is built while an exhausted one of its stage and owner is still alive, and what the older one holds then. */
#include "profiler/model/private.h"

/* The moments between which `older` is exhausted and `newer` lives. */
static int overlap_of(const struct model_pool *older, const struct model_pool *newer,
		      int64_t *start_ns, int64_t *end_ns)
{
	const struct model_span *last = older->span_count ? &older->spans[older->span_count - 1]
							  : NULL;

	if (!last || !newer->span_count || last->state != MODEL_EXHAUSTED ||
	    !pool_succeeds(newer, older, last->start_ns))
		return 0;
	*start_ns = newer->begin_ns > last->start_ns ? newer->begin_ns : last->start_ns;
	*end_ns = newer->spans[newer->span_count - 1].end_ns;
	if (last->end_ns < *end_ns)
		*end_ns = last->end_ns;
	return *end_ns > *start_ns;
}

static void note(struct model_totals *t, int64_t bytes, int64_t at_ns)
{
	if (bytes > t->overlap_max_bytes) {
		t->overlap_max_bytes = bytes;
		t->overlap_max_at_ns = at_ns;
	}
}

/* An overlap may be shorter than the time between two rounds: what the older pool held when it began counts too. */
static void note_overlap(struct model *m, size_t older, int64_t start_ns)
{
	int round = model_round_at(m, start_ns);
	const struct pool_point *point = round < 0 ? NULL : pool_point_at(m, older, (size_t)round);

	m->totals.overlaps++;
	if (point)
		note(&m->totals, point->private_bytes, start_ns);
}

void overlap_build(struct model *m)
{
	for (size_t i = 0; i < m->round_count; i++)
		if (!m->rounds[i].incomplete)
			note(&m->totals, m->rounds[i].overlap_bytes, m->rounds[i].t_ns);
	for (size_t i = 0; i < m->pool_count; i++) {
		for (size_t k = i + 1; k < m->pool_count; k++) {
			int64_t start_ns, end_ns;

			if (m->pools[k].begin_ns >
			    m->pools[i].spans[m->pools[i].span_count - 1].end_ns)
				continue;
			if (overlap_of(&m->pools[i], &m->pools[k], &start_ns, &end_ns)) {
				m->totals.overlap_ns += end_ns - start_ns;
				note_overlap(m, i, start_ns);
			}
		}
	}
}
