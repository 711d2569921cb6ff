/*
 * parked-batches: finished batches of a pool that nobody asks lie in shared memory. Reported from 1 MiB for a second on. What
 * exhausted pools have parked is a part of what they hold idle and told there: by itself it is a notice.
 */
#include "profiler/format_time.h"
#include "profiler/model/findings.h"
#include "profiler/model/thresholds.h"

#define LEAST_NS INT64_C(1000000000)

struct parked {
	int64_t ns, at_ns;
	int worst;         /* pool */
	int counted_there; /* all of it is in pools that are held idle */
};

static int64_t least_bytes(const struct model *m)
{
	return threshold_bytes(THRESHOLD_PARKED, m->totals.peak_bytes, 1);
}

static void measure(const struct model *m, struct parked *p)
{
	for (size_t i = 0; i + 1 < m->round_count; i++) {
		const struct model_round *r = &m->rounds[i];

		if (r->parked_batch_bytes < least_bytes(m))
			continue;
		p->ns += m->rounds[i + 1].t_ns - r->t_ns;
		if (r->parked_batch_bytes == m->totals.parked_batch_max_bytes && !p->at_ns)
			p->at_ns = r->t_ns;
	}
	p->worst = -1;
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].parked_batch_max >= least_bytes(m) &&
		    (p->worst < 0 ||
		     m->pools[i].parked_batch_max > m->pools[p->worst].parked_batch_max))
			p->worst = (int)i;
	p->counted_there = p->worst >= 0 && p->at_ns &&
			   model_pool_state(&m->pools[p->worst], p->at_ns) == MODEL_EXHAUSTED;
}

static const char *whose(struct finding_sink *sink, const struct model *m, const struct parked *p)
{
	const struct model_pool *pool;

	if (p->worst < 0)
		return "Finished batches that nobody fetched";
	pool = &m->pools[p->worst];
	if (pool->prefetch > 0 && pool->workers > 0)
		return finding_text(
			sink,
			"Finished batches of %s that nobody fetched: up to %lld, prefetch "
			"%lld x %lld workers",
			pool->short_name, (long long)(pool->prefetch * pool->workers),
			(long long)pool->prefetch, (long long)pool->workers);
	return finding_text(sink, "Finished batches of %s that nobody fetched", pool->short_name);
}

void find_parked_batches(const struct model *m, struct finding_sink *sink)
{
	const struct model_totals *t = &m->totals;
	struct parked p = {0};
	struct model_evidence facts[2] = {
		{"parked_batch_bytes_max", "at most", MODEL_BYTES,
		 (double)t->parked_batch_max_bytes, NULL, 0},
		{"parked_seconds", "in all", MODEL_SECONDS, 0, NULL, 0},
	};
	struct model_finding f = {
		.id = "parked-batches",
		.bytes = t->parked_batch_max_bytes,
		.brief_bytes = t->parked_batch_max_bytes,
		.brief = "of finished batches that nobody fetched",
		.evidence = facts,
		.evidence_count = 2,
	};
	char lain[FORMAT_MAX];

	measure(m, &p);
	if (t->parked_batch_max_bytes < least_bytes(m) || p.ns < LEAST_NS)
		return;
	facts[1].value = (double)p.ns / 1e9;
	f.title = whose(sink, m, &p);
	f.text = finding_text(sink, "They lie in shared memory for %s, in no process's RSS.",
			      format_duration(lain, p.ns));
	f.severity = p.counted_there ? MODEL_NOTICE
				     : finding_severity(m, f.bytes, p.ns, t->peak_bytes - f.bytes);
	f.release_too = p.counted_there && finding_is_released(m, &p.worst, 1);
	f.moments = &p.at_ns;
	f.moment_count = p.at_ns != 0;
	f.pools = &p.worst;
	f.pool_count = p.worst >= 0;
	if (p.worst >= 0 && m->pools[p.worst].stage == MODEL_STAGE_SANITY)
		finding_advise(m, &f, "sanity");
	finding_report(sink, &f);
}
