/* The values of the metric families: those that have no name in model/metrics.def are computed here. */
#include <math.h>
#include <string.h>

#include "profiler/view/openmetrics.h"

static double known(int64_t value)
{
	return value == MODEL_NONE ? NAN : (double)value;
}

static double job_duration(const struct model *m, const void *object)
{
	(void)object;
	return (double)m->totals.duration_ns / 1e9;
}

static double job_processes(const struct model *m, const void *object)
{
	int most = 0;

	(void)object;
	for (size_t i = 0; i < m->round_count; i++)
		most = m->rounds[i].processes > most ? m->rounds[i].processes : most;
	return most;
}

static double job_limit(const struct model *m, const void *object)
{
	(void)object;
	return known(m->totals.limit_bytes);
}

static double job_cgroup_peak(const struct model *m, const void *object)
{
	int64_t most = MODEL_NONE; /* the least value there is */

	(void)object;
	for (size_t i = 0; i < m->round_count; i++)
		most = m->rounds[i].cgroup_bytes > most ? m->rounds[i].cgroup_bytes : most;
	return known(most);
}

static double job_unexplained(const struct model *m, const void *object)
{
	(void)object;
	return known(m->reconciliation.unexplained_bytes);
}

static double pool_workers(const struct model *m, const void *object)
{
	const struct model_pool *pool = object;

	(void)m;
	return (double)pool->member_count;
}

static double pool_batches(const struct model *m, const void *object)
{
	const struct model_pool *pool = object;

	(void)m;
	return known(pool->batches);
}

static double pool_starts(const struct model *m, const void *object)
{
	(void)m;
	(void)object;
	return 1;
}

static double pool_deaths(const struct model *m, const void *object)
{
	const struct model_pool *pool = object;
	int deaths = 0;

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct model_process *p = &m->processes[pool->members[i]];

		deaths += (p->exit_code != MODEL_NONE && p->exit_code) ||
			  (p->exit_signal != MODEL_NONE && p->exit_signal);
	}
	return deaths;
}

static double phase_duration(const struct model *m, const void *object)
{
	const struct model_phase *phase = object;

	(void)m;
	return (double)(phase->end_ns - phase->start_ns) / 1e9;
}

static double finding_count(const struct model *m, const void *object)
{
	const struct openmetrics_finding *wanted = object;

	for (size_t i = 0; i < m->finding_count; i++)
		if (m->findings[i].severity == wanted->severity &&
		    !strcmp(m->findings[i].id, wanted->id))
			return 1;
	return 0;
}

static double site_live(const struct model *m, const void *object)
{
	const struct model_site_row *row = object;

	(void)m;
	return (double)row->live_bytes;
}

static double collector_cpu(const struct model *m, const void *object)
{
	(void)object;
	return m->collector_cpu_seconds;
}

static double collector_samples(const struct model *m, const void *object)
{
	(void)object;
	return (double)m->samples;
}

static double collector_skipped(const struct model *m, const void *object)
{
	(void)object;
	return (double)m->skipped;
}

static double dropped_events(const struct model *m, const void *object)
{
	(void)object;
	return (double)m->dropped;
}

#define FIGURE(scope_, name_, join_, figure_) \
	{.scope = OPENMETRICS_##scope_,       \
	 .name = name_,                       \
	 .join = OPENMETRICS_##join_,         \
	 .figure = figure_},
#define FAMILY(scope_, name_, join_, unit_, value_, help_) \
	{.scope = OPENMETRICS_##scope_,                    \
	 .name = name_,                                    \
	 .join = OPENMETRICS_##join_,                      \
	 .unit = MODEL_UNIT_##unit_,                       \
	 .value = value_,                                  \
	 .help = help_},
const struct openmetrics_family openmetrics_families[] = {
#include "profiler/view/openmetrics.def"
};
const size_t openmetrics_family_count =
	sizeof(openmetrics_families) / sizeof(openmetrics_families[0]);

const struct model_metric *openmetrics_figure(const struct openmetrics_family *family)
{
	static const enum model_scope scopes[OPENMETRICS_SCOPES] = {
		[OPENMETRICS_JOB] = MODEL_SCOPE_TOTAL,
		[OPENMETRICS_OWNER] = MODEL_SCOPE_OWNER,
		[OPENMETRICS_POOL] = MODEL_SCOPE_POOL,
		[OPENMETRICS_PHASE] = MODEL_SCOPE_PHASE,
		[OPENMETRICS_WORKER] = MODEL_SCOPE_WORKER,
		[OPENMETRICS_SITE] = MODEL_SCOPES, /* have none */
		[OPENMETRICS_FINDING] = MODEL_SCOPES,
	};

	return family->figure ? model_metric_find(scopes[family->scope], family->figure) : NULL;
}
