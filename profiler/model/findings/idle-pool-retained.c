/*
 * idle-pool-retained: workers that handed out their last batch stay alive while others work. Reported when a pool held something idle for
 * a second or for 5 % of the run; the evidence is what pools of each stage held, and during which stage.
 */
#include "profiler/format_time.h"
#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

#define HELD_NS    INT64_C(1000000000)
#define HELD_SHARE 0.05

/* What the pools of one stage held. */
struct by_stage {
	int64_t bytes, ns;
	int64_t during_ns[MODEL_STAGES];
	int pools;
};

enum { FACTS = 8 };

static const char *const doing[MODEL_STAGES] = {
	[MODEL_STAGE_OTHER] = "another loop",
	[MODEL_STAGE_TRAIN] = "training",
	[MODEL_STAGE_SANITY] = "the sanity check",
	[MODEL_STAGE_VALIDATE] = "validation",
	[MODEL_STAGE_TEST] = "testing",
	[MODEL_STAGE_PREDICT] = "prediction",
};

static int is_retained(const struct model *m, const struct model_pool *pool)
{
	return pool->idle_max_bytes >= threshold_bytes(THRESHOLD_IDLE, m->totals.peak_bytes, 1) &&
	       (pool->idle_ns >= HELD_NS ||
		(double)pool->idle_ns >= HELD_SHARE * (double)m->totals.duration_ns);
}

static void add_pool(const struct model *m, const struct model_pool *pool, struct by_stage *s)
{
	s->pools++;
	s->ns += pool->idle_ns;
	if (pool->idle_max_bytes > s->bytes)
		s->bytes = pool->idle_max_bytes;
	for (size_t i = 0; i < pool->span_count; i++) {
		for (size_t k = 0; k < m->phase_count && pool->spans[i].state == MODEL_EXHAUSTED;
		     k++) {
			const struct model_phase *phase = &m->phases[k];
			int64_t start = pool->spans[i].start_ns, end = pool->spans[i].end_ns;

			if (phase->owner != pool->owner || phase->between ||
			    (phase->pool >= 0 && &m->pools[phase->pool] == pool))
				continue;
			start = start > phase->start_ns ? start : phase->start_ns;
			end = end < phase->end_ns ? end : phase->end_ns;
			if (end > start)
				s->during_ns[phase->stage] += end - start;
		}
	}
}

/* The stage that ran longest while the pools were idle; -1 = none. */
static int mostly_during(const struct by_stage *s)
{
	int best = -1;

	for (int i = 0; i < MODEL_STAGES; i++)
		if (s->during_ns[i] > 0 && (best < 0 || s->during_ns[i] > s->during_ns[best]))
			best = i;
	return best;
}

static const char *stage_word(enum model_stage stage)
{
	return stage == MODEL_STAGE_OTHER ? "loader" : model_stage_name(stage);
}

static int add_stage_facts(struct finding_sink *sink, const struct by_stage *stages,
			   struct model_evidence *facts)
{
	int n = 0, order[MODEL_STAGES], count = 0;

	for (int i = 0; i < MODEL_STAGES; i++) {
		int at = count;

		if (!stages[i].pools)
			continue;
		for (; at && stages[order[at - 1]].bytes < stages[i].bytes; at--)
			order[at] = order[at - 1];
		order[at] = i;
		count++;
	}
	for (int i = 0; i < count; i++) {
		const struct by_stage *s = &stages[order[i]];
		enum model_stage stage = (enum model_stage)order[i];
		int during = mostly_during(s);

		facts[n++] = (struct model_evidence){
			.key = finding_text(sink, "%s_bytes", model_stage_name(stage)),
			.label = during < 0 || stage == MODEL_STAGE_SANITY
					 ? stage_word(stage)
					 : finding_text(sink, "%s during %s", stage_word(stage),
							doing[during]),
			.kind = MODEL_BYTES,
			.value = (double)s->bytes,
			.listed = 1,
		};
	}
	return n;
}

static int64_t restart_ns(const struct model *m, const int *pools, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		if (m->pools[pools[i]].persistent && m->pools[pools[i]].start_ns != MODEL_NONE)
			sum += m->pools[pools[i]].start_ns;
	return sum;
}

static void add_facts(struct finding_sink *sink, const struct model *m, struct model_finding *f,
		      const struct by_stage *stages, struct model_evidence *facts)
{
	const struct model_totals *t = &m->totals;
	int n = add_stage_facts(sink, stages, facts);

	/* at most six stages and these two */
	facts[n++] = (struct model_evidence){"idle_retained_bytes_average",
					     "on average over the run",
					     MODEL_BYTES,
					     (double)t->idle_average_bytes,
					     NULL,
					     0};
	if (n < FACTS)
		facts[n++] = (struct model_evidence){
			"idle_seconds", "in all", MODEL_SECONDS, (double)t->idle_ns / 1e9, NULL, 0};
	f->evidence = facts;
	f->evidence_count = (size_t)n;
}

static void describe(struct finding_sink *sink, const struct model *m, struct model_finding *f,
		     const struct by_stage *stages)
{
	int worst = 0, during, persistent = 0, releasable = 0;
	char restarts[FORMAT_MAX];

	for (int i = 0; i < MODEL_STAGES; i++)
		if (stages[i].bytes > stages[worst].bytes)
			worst = i;
	during = mostly_during(&stages[worst]);
	for (size_t i = 0; i < f->pool_count; i++) {
		persistent += m->pools[f->pools[i]].persistent;
		releasable += m->pools[f->pools[i]].releasable;
	}
	f->title = "Workers that handed out their last batch stay alive";
	f->brief_bytes = stages[worst].bytes;
	f->brief = during < 0 ? finding_text(sink, "of %s workers alive with nothing left to do",
					     stage_word((enum model_stage)worst))
			      : finding_text(sink, "of %s workers alive during %s",
					     stage_word((enum model_stage)worst), doing[during]);
	f->release_helps = releasable > 0 && !m->released;
	if (!persistent)
		f->text =
			"Each is rebuilt for its next epoch anyway: ending them costs no restart.";
	else if ((size_t)persistent == f->pool_count)
		f->text = finding_text(
			sink,
			"They are persistent: ending them costs a restart each time, %s in all as measured.",
			format_duration(restarts, restart_ns(m, f->pools, f->pool_count)));
	else
		f->text =
			"Some are persistent and save a restart; the others are rebuilt for their next epoch anyway.";
	finding_advise(m, f, (size_t)persistent == f->pool_count ? "persistent" : "");
}

void find_idle_pool_retained(const struct model *m, struct finding_sink *sink)
{
	struct by_stage stages[MODEL_STAGES] = {0};
	struct model_evidence facts[FACTS];
	struct model_finding f = {.id = "idle-pool-retained", .bytes = m->totals.idle_max_bytes};
	ARRAY(int) pools = {0};

	for (size_t i = 0; i < m->pool_count; i++) {
		int *index = is_retained(m, &m->pools[i]) ? array_add(&pools) : NULL;

		if (!index)
			continue;
		*index = (int)i;
		add_pool(m, &m->pools[i], &stages[m->pools[i].stage]);
	}
	if (pools.count) {
		f.severity = finding_severity(m, m->totals.idle_max_bytes, m->totals.idle_ns,
					      m->totals.peak_without_idle_bytes);
		f.pools = pools.items;
		f.pool_count = pools.count;
		f.moments = &m->totals.idle_max_at_ns;
		f.moment_count = m->totals.idle_max_at_ns != MODEL_NONE;
		add_facts(sink, m, &f, stages, facts);
		describe(sink, m, &f, stages);
		finding_report(sink, &f);
	}
	array_release(&pools);
}
