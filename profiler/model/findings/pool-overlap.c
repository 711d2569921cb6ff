/*
 * pool-overlap: a pool is built while an exhausted one of its stage and owner is still alive: both hold their memory for that time. Reported
 * when the older pools held 1 MiB or more at such a moment. What they hold is a part of what idle-pool-retained tells, so it is an error
 * only where the run was killed for memory.
 */
#include "profiler/format_time.h"
#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

/* Whether a newer pool of its stage and owner was born while it was exhausted. */
static int is_overlapped(const struct model *m, size_t older)
{
	const struct model_pool *p = &m->pools[older];

	for (size_t k = older + 1; k < m->pool_count; k++) {
		const struct model_pool *newer = &m->pools[k];
		const struct model_span *span = pool_span_at(p, newer->begin_ns);

		if (model_pool_state(p, newer->begin_ns) == MODEL_EXHAUSTED &&
		    pool_succeeds(newer, p, span->start_ns))
			return 1;
	}
	return 0;
}

void find_pool_overlap(const struct model *m, struct finding_sink *sink)
{
	const struct model_totals *t = &m->totals;
	double seconds = (double)t->overlap_ns / 1e9;
	const struct model_evidence facts[] = {
		{"overlap_bytes_max", "held twice at most", MODEL_BYTES,
		 (double)t->overlap_max_bytes, NULL, 0},
		{"overlaps", "times", MODEL_COUNT, (double)t->overlaps, NULL, 0},
		{"overlap_seconds", "in all", MODEL_SECONDS, seconds, NULL, 0},
	};
	struct model_finding f = {
		.id = "pool-overlap",
		.title = "A new pool is built before the old one is dropped",
		.bytes = t->overlap_max_bytes,
		.brief_bytes = t->overlap_max_bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &t->overlap_max_at_ns,
		.moment_count = 1,
	};
	ARRAY(int) pools = {0};
	char each[FORMAT_MAX];

	if (t->overlap_max_bytes < threshold_bytes(THRESHOLD_OVERLAP, t->peak_bytes, 1) ||
	    !t->overlaps)
		return;
	for (size_t i = 0; i < m->pool_count; i++) {
		int *index = is_overlapped(m, i) ? array_add(&pools) : NULL;

		if (index)
			*index = (int)i;
	}
	f.pools = pools.items;
	f.pool_count = pools.count;
	f.severity = finding_severity(m, f.bytes, t->overlap_ns, t->peak_bytes);
	f.text = finding_text(sink, "%lld time%s, %s each.", (long long)t->overlaps,
			      t->overlaps == 1 ? "" : "s",
			      format_duration(each, t->overlap_ns / t->overlaps));
	f.brief = finding_text(sink, "twice for %s at %s", each,
			       t->overlaps == 1 ? "a boundary of epochs" : "boundaries of epochs");
	f.release_too = finding_is_released(m, pools.items, pools.count);
	finding_report(sink, &f);
	array_release(&pools);
}
