/*
 * nested-pools: a worker of a pool is itself the owner of one: processes multiply, and so does what each of them holds. Always a warning: its
 * bytes are those of the inner pools.
 */
#include "profiler/model/findings.h"

struct nested {
	int pools, worst;
	int64_t workers;
};

static struct nested count_nested(const struct model *m)
{
	struct nested n = {.worst = -1};

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];

		if (pool->guessed || pool->workers <= 0 || pool->owner < 0 ||
		    m->processes[pool->owner].role != MODEL_ROLE_WORKER)
			continue;
		n.pools++;
		n.workers += (int64_t)pool->member_count;
		if (n.worst < 0 || pool->private_max > m->pools[n.worst].private_max)
			n.worst = (int)i;
	}
	return n;
}

void find_nested_pools(const struct model *m, struct finding_sink *sink)
{
	struct nested n = count_nested(m);
	const struct model_pool *worst = n.worst < 0 ? NULL : &m->pools[n.worst];
	struct model_evidence facts[3];
	struct model_finding f = {
		.id = "nested-pools",
		.severity = MODEL_WARNING,
		.title = "Workers have workers of their own",
		.evidence = facts,
		.evidence_count = 3,
		.pools = &n.worst,
		.pool_count = 1,
		.moment_count = 1,
	};

	if (!worst)
		return;
	if (worst->grouped)
		f.advice = finding_text(
			sink,
			"%s: start no processes inside a worker: the outer pool is the parallelism",
			worst->origin[0] ? worst->origin : "in the worker");
	facts[0] = (struct model_evidence){"pools", "inner pools", MODEL_COUNT, n.pools, NULL, 0};
	facts[1] = (struct model_evidence){
		"workers", "their workers in all", MODEL_COUNT, (double)n.workers, NULL, 0};
	facts[2] = (struct model_evidence){"private_bytes_max",
					   "the largest of them",
					   MODEL_BYTES,
					   (double)worst->private_max,
					   NULL,
					   0};
	f.bytes = f.brief_bytes = worst->private_max;
	f.brief = "of workers that a worker started";
	f.moments = &worst->begin_ns;
	f.text = finding_text(sink, "Process %lld, a worker, is the owner of %s.",
			      (long long)m->processes[worst->owner].pid, worst->name);
	finding_report(sink, &f);
}
