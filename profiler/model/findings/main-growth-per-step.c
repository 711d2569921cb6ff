/*
 * main-growth-per-step: the process that trains takes more memory with every step and does not stop: results, losses with their graphs, metrics
 * in a list. Either until the end of the run, or until the end of each phase.
 */
#include <stdlib.h>

#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/process_growth.h"
#include "profiler/model/thresholds.h"

enum { WINDOWS = 6, LEAST_STEPS = 8 };

/* Of what is asked for in all, the floors show this part: they begin with the second window. */
#define FLOORS_SHOW 0.7

struct grown {
	int64_t bytes, ns, from_ns, at_ns;
	double steps;
	int owner;
	enum model_stage stage;
	int is_freed;  /* with the phase */
	int is_loaded; /* half of it or more was allocated while batches were loaded, and kept */
};

static double least_bytes(const struct model *m)
{
	return (double)threshold_bytes(THRESHOLD_MAIN, m->totals.peak_bytes, 1);
}

/* What the owner grew by over some stretches; 0 = it does not grow steadily, or too little. */
static int64_t grown_over(const struct model *m, int owner, const struct growth_stretch *stretches,
			  size_t count)
{
	const struct track *track = &m->priv->tables.tracks.items[owner];
	struct growth g;
	int64_t bytes;

	growth_begin(&g, stretches, count, WINDOWS);
	process_growth_add(&g, track);
	bytes = (int64_t)(g.last - g.first);
	if (growth_shape(&g, FLOORS_SHOW * least_bytes(m)) != GROWTH_STEADY ||
	    (double)bytes < least_bytes(m) ||
	    (threshold_is_small(THRESHOLD_MAIN, bytes, 1) && !growth_is_dense(&g)) ||
	    !process_growth_is_live(track, stretches[0].start_ns, stretches[count - 1].end_ns))
		return 0;
	return bytes;
}

static double steps_of(const struct model *m, int owner, enum model_stage stage)
{
	double steps = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].owner == owner && m->pools[i].stage == stage &&
		    m->pools[i].batches > 0)
			steps += (double)m->pools[i].batches;
	return steps;
}

/* Whether half of what a phase added is gone when the next one of the stage, which may add as much, has begun. */
static int is_gone_by_next(const struct model *m, int owner, const struct growth_stretch *phase,
			   int64_t bytes)
{
	const struct track *track = &m->priv->tables.tracks.items[owner];
	int64_t begun_ns = phase[1].start_ns + (phase[1].end_ns - phase[1].start_ns) / 8;

	return process_growth_anon_at(track, begun_ns) <
	       process_growth_anon_at(track, phase[0].end_ns - 1) - bytes / 2;
}

/* Growth within each phase that is gone by the next one: the largest, when at least two phases grow. */
static struct grown freed_growth(const struct model *m, int owner,
				 const struct growth_stretch *phases, size_t count)
{
	struct grown most = {0};
	int found = 0, freed = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t bytes = grown_over(m, owner, &phases[i], 1);

		found += bytes > 0;
		freed += bytes > 0 && i + 1 < count && is_gone_by_next(m, owner, &phases[i], bytes);
		if (bytes <= most.bytes)
			continue;
		most.bytes = bytes;
		most.ns = phases[i].end_ns - phases[i].start_ns;
		most.from_ns = phases[i].start_ns;
		most.at_ns = phases[i].end_ns;
	}
	most.is_freed = 1;
	return found >= 2 && freed ? most : (struct grown){0};
}

/* What the owner allocated inside next of its pools of a stage, and did not free there. */
static int64_t kept_of_loading(const struct model *m, int owner, enum model_stage stage)
{
	int64_t kept = 0;

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct session_pool *row = &m->priv->tables.pools.items[i];

		if (m->pools[i].owner == owner && m->pools[i].stage == stage)
			kept += row->alloc_bytes - row->free_bytes;
	}
	return kept;
}

static int64_t length_of(const struct growth_stretch *stretches, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += stretches[i].end_ns - stretches[i].start_ns;
	return sum;
}

/* Until the last batch: what comes after it, while workers leave, may free what the steps made. */
static int64_t steps_end(const struct model *m, const struct model_phase *phase)
{
	int64_t exhausted_ns = phase->pool < 0 ? MODEL_NONE : m->pools[phase->pool].exhausted_ns;

	return exhausted_ns > phase->start_ns && exhausted_ns < phase->end_ns ? exhausted_ns
									      : phase->end_ns;
}

/* Batches of the pool whose phase ended at that moment; of a pool that was used for several, its share. */
static double steps_until(const struct model *m, int owner, int64_t end_ns)
{
	double steps = 0, ns = 0, all_ns = 0;
	int pool = -1;

	for (size_t i = 0; i < m->phase_count && pool < 0; i++)
		if (m->phases[i].owner == owner && steps_end(m, &m->phases[i]) == end_ns)
			pool = m->phases[i].pool;
	if (pool < 0)
		return 0;
	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];
		double length = (double)(phase->end_ns - phase->start_ns);

		if (phase->owner != owner || phase->pool != pool)
			continue;
		all_ns += length;
		ns += steps_end(m, phase) == end_ns ? length : 0;
	}
	steps = m->pools[pool].batches > 0 ? (double)m->pools[pool].batches : 0;
	return all_ns > 0 ? steps * ns / all_ns : 0;
}

static struct grown growth_of(const struct model *m, int owner, enum model_stage stage,
			      struct growth_stretch *phases)
{
	double steps = steps_of(m, owner, stage);
	struct grown g = {0};
	size_t count = 0;

	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];

		if (phase->owner == owner && phase->stage == stage && !phase->between &&
		    phase->end_ns > phase->start_ns)
			phases[count++] =
				(struct growth_stretch){phase->start_ns, steps_end(m, phase)};
	}
	if (!count || steps < LEAST_STEPS)
		return g;
	g.bytes = grown_over(m, owner, phases, count);
	g.ns = length_of(phases, count);
	g.from_ns = phases[0].start_ns;
	g.at_ns = phases[count - 1].end_ns;
	if (!g.bytes)
		g = freed_growth(m, owner, phases, count);
	g.steps = g.is_freed ? steps_until(m, owner, g.at_ns) : steps;
	if (g.bytes && g.steps <= 0) /* a phase that the program named: no pool's */
		g.steps = steps * (double)g.ns / (double)length_of(phases, count);
	g.owner = owner;
	g.stage = stage;
	g.is_loaded = !g.is_freed && kept_of_loading(m, owner, stage) >= g.bytes / 2;
	return g;
}

static const char *explain(const struct grown *g)
{
	if (g->is_freed)
		return "It is freed when the phase ends, and the next one grows again: outputs of "
		       "all steps are kept until then.";
	if (g->is_loaded)
		return "It is not freed from one phase to the next, and was allocated while batches "
		       "were loaded: the dataset keeps what it reads, or the loop its batches.";
	return "It is not freed from one phase to the next: something keeps what each step makes, "
	       "such as losses with their graphs in a list.";
}

static int is_evaluation(enum model_stage stage)
{
	return stage == MODEL_STAGE_VALIDATE || stage == MODEL_STAGE_TEST ||
	       stage == MODEL_STAGE_PREDICT;
}

static void report(const struct model *m, struct finding_sink *sink, const struct grown *g)
{
	const char *stage = g->stage == MODEL_STAGE_OTHER ? "" : model_stage_name(g->stage);
	const struct model_evidence facts[] = {
		{"growth_bytes", "more at the end", MODEL_BYTES, (double)g->bytes, NULL, 0},
		{"bytes_per_step", "a step", MODEL_BYTES, (double)g->bytes / g->steps, NULL, 0},
		{"steps", "steps", MODEL_COUNT, g->steps, NULL, 0},
		{"seconds", "in", MODEL_SECONDS, (double)g->ns / 1e9, NULL, 0},
	};
	struct model_finding f = {
		.id = "main-growth-per-step",
		.severity = threshold_severity(THRESHOLD_MAIN, g->bytes, 1,
					       finding_severity(m, g->bytes, g->ns,
								m->totals.peak_bytes - g->bytes)),
		.title = finding_text(sink, "The training process grows with every %s%sstep", stage,
				      *stage ? " " : ""),
		.text = explain(g),
		.brief = finding_text(sink, "more in process %lld after %.0f %s%ssteps",
				      (long long)m->processes[g->owner].pid, g->steps, stage,
				      *stage ? " " : ""),
		.brief_bytes = g->bytes,
		.bytes = g->bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &g->at_ns,
		.moment_count = 1,
	};

	finding_locate(m, &f, -1, g->owner, g->from_ns, g->at_ns);
	finding_advise(m, &f,
		       g->is_loaded              ? "loading"
		       : is_evaluation(g->stage) ? "evaluation"
						 : "");
	finding_report(sink, &f);
}

void find_main_growth_per_step(const struct model *m, struct finding_sink *sink)
{
	struct growth_stretch *phases = malloc((m->phase_count + 1) * sizeof(*phases));
	struct grown worst = {0};

	for (size_t i = 0; phases && i < m->process_count; i++) {
		for (int stage = 0; stage < MODEL_STAGES; stage++) {
			struct grown g;

			if (m->processes[i].role == MODEL_ROLE_WORKER)
				break;
			g = growth_of(m, (int)i, (enum model_stage)stage, phases);
			if (g.bytes > worst.bytes)
				worst = g;
		}
	}
	if (worst.bytes)
		report(m, sink, &worst);
	free(phases);
}
