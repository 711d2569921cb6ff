/* Which moment shows what a stage allocated and did not give back: in a phase of another stage, where that one's total is highest. */
#include "profiler/model/private.h"

/* When sites were first read in the phase; its end when they were not. */
static int64_t first_reading(const struct model *m, const struct model_phase *phase)
{
	int64_t first_ns = phase->end_ns;

	for (size_t i = 0; i < m->site_count; i++) {
		const struct site_store *store = &m->priv->sites.stores.items[i];
		size_t n = array_until(&store->points, phase->start_ns - 1);

		if (n < store->points.count && store->points.items[n].t_ns < first_ns)
			first_ns = store->points.items[n].t_ns;
	}
	return first_ns;
}

static int64_t highest_round(const struct model *m, const struct model_phase *phase)
{
	int64_t bytes = -1, t_ns = phase->start_ns;

	for (size_t i = 0; i < m->round_count; i++) {
		const struct model_round *round = &m->rounds[i];

		if (round->t_ns < phase->start_ns || round->t_ns >= phase->end_ns ||
		    round->incomplete || round->total_bytes <= bytes)
			continue;
		bytes = round->total_bytes;
		t_ns = round->t_ns;
	}
	return t_ns;
}

/* Does a phase of `stage` come before this one, of the same owner? Phases are in order of their beginnings. */
static int comes_after(const struct model *m, const struct model_phase *phase,
		       enum model_stage stage)
{
	for (const struct model_phase *earlier = m->phases; earlier < phase; earlier++)
		if (earlier->owner == phase->owner && earlier->stage == stage && !earlier->between)
			return 1;
	return 0;
}

const struct model_phase *model_phase_after(const struct model *m, enum model_stage stage,
					    int64_t *t_ns)
{
	const struct model_phase *best = NULL;
	int64_t read_ns;

	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];

		if (phase->between || phase->stage == stage || !comes_after(m, phase, stage))
			continue;
		if (!best || phase->peak_bytes > best->peak_bytes)
			best = phase;
	}
	if (!best)
		return NULL;
	*t_ns = highest_round(m, best);
	read_ns = first_reading(m, best);
	if (read_ns > *t_ns)
		*t_ns = read_ns;
	return best;
}
