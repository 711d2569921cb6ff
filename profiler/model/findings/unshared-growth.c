/*
 * unshared-growth: forked workers have copied memory that they shared with their owner (copy-on-write undone, as reference counts do).
 * An interpreter with its libraries unshares some 10 to 20 MiB by itself.
 * How much of it would come back is not known: an error only where the run was killed for memory.
 */
#include "profiler/model/findings.h"
#include "profiler/model/thresholds.h"

/* The worker that copied the most; NULL = the pool has none. */
static const struct model_process *worst_worker(const struct model *m,
						const struct model_pool *pool)
{
	const struct model_process *worst = NULL;

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct model_process *p = &m->processes[pool->members[i]];

		if (!worst || p->unshared_walked_max > worst->unshared_walked_max)
			worst = p;
	}
	return worst;
}

static int64_t worker_max(const struct model *m, const struct model_pool *pool)
{
	const struct model_process *worst = worst_worker(m, pool);

	return worst ? worst->unshared_walked_max : 0;
}

/* Bytes copied for each item read; 0 when the number of items is not known. */
static double bytes_per_item(const struct model_pool *pool)
{
	double items = (double)pool->batches * (double)pool->batch_size;

	return pool->batch_size > 0 && pool->batches > 0 ? (double)pool->unshared_max / items : 0;
}

static void report(const struct model *m, struct finding_sink *sink, const struct model_pool *pool,
		   int index)
{
	const char *stage = model_stage_name(pool->stage);
	const struct model_evidence facts[] = {
		{"unshared_bytes_max", finding_text(sink, "a %s pool", stage), MODEL_BYTES,
		 (double)pool->unshared_max, NULL, 0},
		{"unshared_bytes_worker_max", "a worker", MODEL_BYTES, (double)worker_max(m, pool),
		 NULL, 0},
		{"unshared_bytes_at_peak", "all pools at the peak", MODEL_BYTES,
		 (double)m->peak.unshared, NULL, 0},
		{"bytes_per_item", "an item read", MODEL_BYTES, bytes_per_item(pool), NULL, 0},
	};
	struct model_finding f = {
		.id = "unshared-growth",
		.title = finding_text(sink,
				      "Workers copied memory that they shared with their owner "
				      "(%s)",
				      pool->name),
		.text = "It was shared at the fork and is copied page by page since: reading a Python "
			"object writes its reference count, a garbage collection into all containers.",
		.bytes = pool->unshared_max,
		.brief_bytes = pool->unshared_max,
		.brief = finding_text(sink, "per %s pool, shared at the fork, copied since", stage),
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]) - (bytes_per_item(pool) <= 0),
		.moments = &pool->exhausted_ns,
		.moment_count = pool->exhausted_ns != MODEL_NONE,
		.pools = &index,
		.pool_count = 1,
	};
	int64_t life_ns = pool->spans[pool->span_count - 1].end_ns - pool->begin_ns;

	f.severity =
		threshold_severity(THRESHOLD_UNSHARED, worker_max(m, pool), 1,
				   finding_severity(m, f.bytes, life_ns, m->totals.peak_bytes));
	finding_advise(m, &f, worst_worker(m, pool)->python ? "python" : "");
	finding_report(sink, &f);
}

void find_unshared_growth(const struct model *m, struct finding_sink *sink)
{
	int64_t least_bytes = threshold_bytes(THRESHOLD_UNSHARED, m->totals.peak_bytes, 1);
	int worst = -1;

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];

		if (!pool->span_count || worker_max(m, pool) < least_bytes)
			continue;
		if (worst < 0 || pool->unshared_max > m->pools[worst].unshared_max)
			worst = (int)i;
	}
	if (worst >= 0)
		report(m, sink, &m->pools[worst], worst);
}
