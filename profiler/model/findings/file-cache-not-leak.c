/*
 * file-cache-not-leak: memory grows, and it is pages of files: mapped ones in the processes' RSS, or page cache in the cgroup's figure. The kernel
 * drops them when memory is needed. A notice, so that nobody hunts for a leak; only where anonymous memory does not grow with it.
 */
#include "profiler/model/findings.h"
#include "profiler/model/growth.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

enum { WINDOWS = 6, LOOKS = 36 }; /* at so many moments of the run */

/* Anonymous memory grew by this part of it at most. */
#define ANONYMOUS_PART 0.5

struct files {
	double mapped, cache, anonymous, whole; /* at one moment */
};

struct file_growth {
	struct growth files;
	struct files first, last, most; /* most: where mapped and cache together are most */
	int64_t most_at_ns;
};

/* The cgroup's figures are known all along: one that others shared for a while has pages that were read before. */
static int cache_is_known(const struct model *m, const struct growth_stretch *run)
{
	const struct tables *t = &m->priv->tables;
	int known = t->systems.count > 0;

	for (size_t i = 0; i < t->systems.count && known; i++)
		known = t->systems.items[i].t_ns < run->start_ns ||
			t->systems.items[i].file_bytes != SESSION_NULL;
	return known;
}

static struct files files_at(const struct model *m, int64_t t_ns, int with_cache)
{
	const struct system_row *system = tables_system_at(&m->priv->tables, t_ns);
	size_t alive = figures_at(m, t_ns);
	struct files f = {0};

	for (size_t i = 0; i < alive; i++) {
		const struct figures *p = &m->priv->figures[m->priv->alive[i]];

		f.mapped += (double)p->file_bytes;
		f.anonymous += (double)p->anon_bytes;
		f.whole += (double)series_proportional(p);
	}
	if (with_cache && system && system->file_bytes != SESSION_NULL &&
	    (double)system->file_bytes > f.mapped)
		f.cache = (double)system->file_bytes - f.mapped;
	f.whole += f.cache;
	return f;
}

/* The first batch: libraries are loaded by then. Without loaders the whole run, whose first window is left out anyway. */
static int64_t begin_of(const struct model *m)
{
	int64_t begin_ns = MODEL_NONE;

	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].first_batch_ns != MODEL_NONE &&
		    (begin_ns == MODEL_NONE || m->pools[i].first_batch_ns < begin_ns))
			begin_ns = m->pools[i].first_batch_ns;
	return begin_ns == MODEL_NONE ? 0 : begin_ns;
}

static void measure(const struct model *m, const struct growth_stretch *run,
		    struct file_growth *out)
{
	int with_cache = cache_is_known(m, run);

	growth_begin(&out->files, run, 1, WINDOWS);
	for (int i = 0; i < LOOKS; i++) {
		int64_t t_ns = run->start_ns + (run->end_ns - run->start_ns) / LOOKS * i;
		int round = model_round_at(m, t_ns);
		struct files f;

		if (round < 0 || m->rounds[round].incomplete || !m->rounds[round].processes)
			continue;
		f = files_at(m, m->rounds[round].t_ns, with_cache);
		growth_add(&out->files, t_ns, f.mapped + f.cache);
		if (!out->first.whole)
			out->first = f;
		out->last = f;
		if (f.mapped + f.cache <= out->most.mapped + out->most.cache)
			continue;
		out->most = f;
		out->most_at_ns = m->rounds[round].t_ns;
	}
}

static void report(struct finding_sink *sink, const struct file_growth *g)
{
	double rise = g->most.mapped + g->most.cache - g->first.mapped - g->first.cache;
	const struct model_evidence facts[] = {
		{"file_growth_bytes", "more pages of files", MODEL_BYTES, rise, NULL, 1},
		{"mapped_file_bytes", "files mapped by processes then", MODEL_BYTES, g->most.mapped,
		 NULL, 0},
		{"page_cache_bytes", "other page cache of the cgroup then", MODEL_BYTES,
		 g->most.cache, NULL, 0},
		{"anonymous_growth_bytes", "more anonymous memory meanwhile", MODEL_BYTES,
		 g->last.anonymous > g->first.anonymous ? g->last.anonymous - g->first.anonymous
							: 0,
		 NULL, 1},
	};
	struct model_finding f = {
		.id = "file-cache-not-leak",
		.severity = MODEL_NOTICE,
		.title = "Memory grows by pages of files, which is no leak",
		.text = "They are read from files and stay as long as nobody needs the memory; then the kernel "
			"drops them. Anonymous memory, which a leak would be, did not grow with them.",
		.brief = "more pages of files: no leak",
		.brief_bytes = (int64_t)rise,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &g->most_at_ns,
		.moment_count = 1,
	};

	finding_report(sink, &f);
}

void find_file_cache_not_leak(const struct model *m, struct finding_sink *sink)
{
	const struct growth_stretch run = {begin_of(m), m->last_ns};
	struct file_growth g = {0};
	double rise;

	if (run.end_ns - run.start_ns < LOOKS)
		return;
	measure(m, &run, &g);
	rise = growth_rise(&g.files);
	if (growth_shape(&g.files, (double)threshold_bytes(THRESHOLD_FILES, (int64_t)g.most.whole,
							   1)) == GROWTH_NONE ||
	    g.last.anonymous - g.first.anonymous > ANONYMOUS_PART * rise)
		return;
	report(sink, &g);
}
