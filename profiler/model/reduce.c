/* The peak-preserving reduction of the rounds to a given number of buckets: one implementation for every chart. */
#include "profiler/model/private.h"

/* A silence much longer than what is usual around it: the collector or the machine was stopped. */
#define GAP_NS    INT64_C(3000000000)
#define GAP_RATIO 4

static int64_t step_after(const struct model *m, size_t i)
{
	return i + 1 < m->round_count ? m->rounds[i + 1].t_ns - m->rounds[i].t_ns : 0;
}

/* Is what follows round i a gap in the data? */
static int gap_after(const struct model *m, size_t i)
{
	int64_t step = step_after(m, i), before = i ? step_after(m, i - 1) : 0,
		after = step_after(m, i + 1);
	int64_t usual = before > after ? before : after;

	return step > GAP_NS && step > GAP_RATIO * usual;
}

/* The round that a bucket shows: the largest in it, complete ones first. */
static const struct model_round *choose(const struct model *m, size_t first, size_t end)
{
	const struct model_round *best = NULL;

	for (size_t i = first; i < end; i++) {
		const struct model_round *r = &m->rounds[i];

		if (!best || r->incomplete < best->incomplete ||
		    (r->incomplete == best->incomplete && r->total_bytes > best->total_bytes))
			best = r;
	}
	return best;
}

void model_reduce(const struct model *m, int64_t start_ns, int64_t end_ns, size_t buckets,
		  struct model_round *out)
{
	size_t at = (size_t)(model_round_at(m, start_ns - 1) + 1);

	for (size_t i = 0; i < buckets; i++) {
		int64_t bucket_end = start_ns + (int64_t)((double)(end_ns - start_ns) *
							  (double)(i + 1) / (double)buckets);
		size_t first = at;
		const struct model_round *chosen;

		while (at < m->round_count && m->rounds[at].t_ns < bucket_end)
			at++;
		chosen = choose(m, first, at);
		/* a figure holds until the next round, unless the silence is too long to say so */
		if (!chosen && first && first < m->round_count && !gap_after(m, first - 1))
			chosen = &m->rounds[first - 1];
		if (chosen)
			out[i] = *chosen;
		else
			out[i] = (struct model_round){.t_ns = MODEL_NONE,
						      .limit_bytes = MODEL_NONE,
						      .cgroup_bytes = MODEL_NONE};
	}
}
