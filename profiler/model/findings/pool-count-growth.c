/*
 * pool-count-growth: every new pool of a stage finds more of its kind alive: loaders are made again and again and kept. Reported when that
 * number rose three times without a fall and was four at last. Pools that are asked again after the new one was born do not count: several loaders that are
 * read together, or in turn by persistent workers, are meant to live side by side.
 */
#include "profiler/model/findings.h"
#include "profiler/model/private.h"

enum { LEAST_ALIVE = 4, LEAST_RISES = 3 };

struct growth {
	int alive, rises, last; /* pools of the kind when the last one was born, itself included */
	int64_t at_ns;
};

/* Alive when `newer` is born, and never asked again. */
static int is_kept(const struct model *m, size_t older, const struct model_pool *newer)
{
	const struct model_pool *pool = &m->pools[older];
	int64_t last_ns = m->priv->tables.pools.items[older].last_batch_ns;
	enum model_state state = model_pool_state(pool, newer->begin_ns);

	if (pool->stage != newer->stage || pool->owner != newer->owner || pool->workers <= 0 ||
	    state == MODEL_ENDED || state == MODEL_LATER)
		return 0;
	if (last_ns == SESSION_NULL || last_ns > newer->begin_ns)
		return 0;
	return !pool->persistent || m->end != MODEL_RUNNING;
}

static int alive_at(const struct model *m, size_t pool)
{
	const struct model_pool *p = &m->pools[pool];
	int alive = 1;

	for (size_t i = 0; i < pool; i++)
		alive += is_kept(m, i, p);
	return alive;
}

static struct growth growth_of(const struct model *m, enum model_stage stage, int owner)
{
	struct growth g = {0};

	for (size_t i = 0; i < m->pool_count; i++) {
		if (m->pools[i].stage != stage || m->pools[i].owner != owner ||
		    m->pools[i].workers <= 0)
			continue;
		g.last = alive_at(m, i);
		g.rises += g.last > g.alive && g.alive > 0;
		if (g.last < g.alive)
			g.rises = 0;
		g.alive = g.last;
		g.at_ns = m->pools[i].begin_ns;
	}
	return g;
}

static void report(const struct model *m, struct finding_sink *sink, enum model_stage stage,
		   const struct growth *g)
{
	const struct model_stage_totals *t = &m->stages[stage];
	const struct model_evidence facts[] = {
		{"pools_alive", "alive at once", MODEL_COUNT, g->alive, NULL, 0},
		{"private_bytes_max", "they hold at most", MODEL_BYTES,
		 (double)t->private_max_bytes, NULL, 0},
	};
	struct model_finding f = {
		.id = "pool-count-growth",
		.severity = MODEL_WARNING,
		.title = finding_text(sink,
				      "Each new %s pool finds more of its kind alive: %d at once",
				      model_stage_name(stage), g->alive),
		.brief = finding_text(sink, "of %d %s pools alive at once, more each time",
				      g->alive, model_stage_name(stage)),
		.bytes = t->private_max_bytes,
		.brief_bytes = t->private_max_bytes,
		.evidence = facts,
		.evidence_count = 2,
		.moments = &g->at_ns,
		.moment_count = 1,
	};
	ARRAY(int) idle = {0};

	/* those that have nothing left to hand out could be ended */
	for (size_t i = 0; i < m->pool_count; i++) {
		int *index = m->pools[i].stage == stage &&
					     model_pool_state(&m->pools[i], g->at_ns) ==
						     MODEL_EXHAUSTED
				     ? array_add(&idle)
				     : NULL;

		if (index)
			*index = (int)i;
	}
	f.release_too = finding_is_released(m, idle.items, idle.count);
	finding_report(sink, &f);
	array_release(&idle);
}

void find_pool_count_growth(const struct model *m, struct finding_sink *sink)
{
	for (int owner = 0; owner < (int)m->process_count; owner++) {
		for (int i = 0; i < MODEL_STAGES && m->processes[owner].role != MODEL_ROLE_WORKER;
		     i++) {
			struct growth g = growth_of(m, (enum model_stage)i, owner);

			if (g.alive < LEAST_ALIVE || g.rises < LEAST_RISES)
				continue;
			report(m, sink, (enum model_stage)i, &g);
			return;
		}
	}
}
