/*
 * rss-overcount: the sum of RSS, which is what most tools show, counts pages that processes share once for each of them. No fault: a notice,
 * so that nobody hunts for memory that is not used.
 */
#include "profiler/model/findings.h"
#include "profiler/model/thresholds.h"

#define LEAST_FACTOR  3
#define ABOUT_AS_MUCH 0.95

static int is_overcounted(const struct model *m, const struct model_round *r)
{
	return !r->incomplete && r->processes > 1 && 2 * r->total_bytes >= m->totals.peak_bytes &&
	       r->rss_sum_bytes - r->total_bytes >=
		       threshold_bytes(THRESHOLD_OVERCOUNT, m->totals.peak_bytes, 1) &&
	       (double)r->rss_sum_bytes >= LEAST_FACTOR * (double)r->total_bytes;
}

/* The worst of those where about as much is used as ever: elsewhere a process may not have been measured yet. */
static const struct model_round *worst_round(const struct model *m)
{
	const struct model_round *at = NULL;
	int64_t most = 0;

	for (size_t i = 0; i < m->round_count; i++)
		if (is_overcounted(m, &m->rounds[i]) && m->rounds[i].total_bytes > most)
			most = m->rounds[i].total_bytes;
	for (size_t i = 0; i < m->round_count; i++) {
		const struct model_round *r = &m->rounds[i];

		if (is_overcounted(m, r) &&
		    (double)r->total_bytes >= ABOUT_AS_MUCH * (double)most &&
		    (!at || r->rss_sum_bytes > at->rss_sum_bytes))
			at = r;
	}
	return at;
}

void find_rss_overcount(const struct model *m, struct finding_sink *sink)
{
	const struct model_round *at = worst_round(m);
	struct model_evidence facts[3];
	struct model_finding f = {
		.id = "rss-overcount",
		.severity = MODEL_NOTICE,
		.title = "The sum of RSS counts shared pages several times",
		.evidence = facts,
		.evidence_count = 3,
		.moment_count = 1,
	};

	if (!at)
		return;
	facts[0] = (struct model_evidence){"rss_sum_bytes",           "sum of RSS", MODEL_BYTES,
					   (double)at->rss_sum_bytes, NULL,         1};
	facts[1] = (struct model_evidence){"total_bytes",           "really used", MODEL_BYTES,
					   (double)at->total_bytes, NULL,          1};
	facts[2] = (struct model_evidence){"processes",   "processes", MODEL_COUNT,
					   at->processes, NULL,        0};
	f.moments = &at->t_ns;
	f.brief = finding_text(sink, "sum of RSS is %.1f times what is used",
			       (double)at->rss_sum_bytes / (double)at->total_bytes);
	f.text =
		"It is no memory in use: pages that processes share, as after a fork, are counted in each of "
		"them. Totals here are sums of Pss, which counts them once.";
	finding_report(sink, &f);
}
