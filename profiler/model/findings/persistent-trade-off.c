/*
 * persistent-trade-off: persistent workers that were used again hold memory between their uses, and save restarts. Both are measured and set
 * side by side; which weighs more is not for us to say: always a notice. A persistent pool that was never used again is no trade.
 */
#include "profiler/format_time.h"
#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

#define LEAST_NS INT64_C(1000000000)

struct trade {
	ARRAY(int) pools;
	int64_t bytes, at_ns; /* of all of them together, at most */
	int64_t peak_without;
	int64_t held_ns; /* of the pool that was held longest */
	double byte_seconds, saved_s;
	int restarts;
};

static int64_t least_bytes(const struct model *m)
{
	return threshold_bytes(THRESHOLD_PERSISTENT, m->totals.peak_bytes, 1);
}

static void add_pool(const struct model *m, size_t i, struct trade *t)
{
	const struct model_pool *pool = &m->pools[i];
	int reuses = pool->persistent && pool->idle_max_bytes >= least_bytes(m) &&
				     pool->idle_ns >= LEAST_NS && pool->start_ns != MODEL_NONE
			     ? pool_reuses(m, i)
			     : 0;
	int *index = reuses ? array_add(&t->pools) : NULL;

	if (!index)
		return;
	*index = (int)i;
	t->restarts += reuses;
	t->saved_s += reuses * (double)pool->start_ns / 1e9;
	t->byte_seconds += pool->idle_byte_seconds;
	t->held_ns = pool->idle_ns > t->held_ns ? pool->idle_ns : t->held_ns;
}

/* What they hold at most together, and the peak without that. */
static void measure_rounds(const struct model *m, struct trade *t)
{
	for (size_t i = 0; i < m->round_count; i++) {
		const struct model_round *r = &m->rounds[i];
		int64_t held = 0;

		for (size_t k = 0; k < t->pools.count && !r->incomplete; k++)
			held += held_idle(m, (size_t)t->pools.items[k], i, r->t_ns);
		if (held > t->bytes) {
			t->bytes = held;
			t->at_ns = r->t_ns;
		}
		if (!r->incomplete && r->total_bytes - held > t->peak_without)
			t->peak_without = r->total_bytes - held;
	}
}

static void report(const struct model *m, struct finding_sink *sink, const struct trade *t)
{
	const struct model_evidence facts[] = {
		{"held_bytes_max", "held between uses", MODEL_BYTES, (double)t->bytes, NULL, 0},
		{"held_seconds", "one pool, in all", MODEL_SECONDS, (double)t->held_ns / 1e9, NULL,
		 0},
		{"restarts_saved", "restarts saved", MODEL_COUNT, t->restarts, NULL, 0},
		{"restart_seconds_saved", "they would take", MODEL_SECONDS, t->saved_s, NULL, 0},
		{"peak_without_bytes", "the peak without", MODEL_BYTES, (double)t->peak_without,
		 NULL, 0},
	};
	char saved[FORMAT_MAX], run[FORMAT_MAX];
	struct model_finding f = {
		.id = "persistent-trade-off",
		.severity = MODEL_NOTICE,
		.title = "Persistent workers hold memory between uses, and save restarts",
		.bytes = t->bytes,
		.brief_bytes = t->bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &t->at_ns,
		.moment_count = 1,
		.pools = t->pools.items,
		.pool_count = t->pools.count,
	};

	format_duration(saved, (int64_t)(t->saved_s * 1e9));
	f.text = finding_text(sink,
			      "They saved %d restart%s, %s of %s as measured at their first start.",
			      t->restarts, t->restarts == 1 ? "" : "s", saved,
			      format_duration(run, m->totals.duration_ns));
	f.brief = finding_text(
		sink, "of persistent workers held between uses; %s of restarts saved", saved);
	finding_report(sink, &f);
}

void find_persistent_trade_off(const struct model *m, struct finding_sink *sink)
{
	struct trade t = {0};

	for (size_t i = 0; i < m->pool_count; i++)
		add_pool(m, i, &t);
	measure_rounds(m, &t);
	if (t.pools.count && t.bytes >= least_bytes(m))
		report(m, sink, &t);
	array_release(&t.pools);
}
