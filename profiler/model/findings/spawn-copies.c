/*
 * spawn-copies: the dataset was pickled into every worker that was spawned (or came from a fork server), so that each has a copy of what forked
 * ones would share. Known by the call stacks of the memory: allocated under multiprocessing's spawn._main while it unpickles, not while it
 * imports modules or runs the worker. Without Python stacks nothing is known, and nothing reported.
 */
#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

#include <string.h>

struct copies {
	int64_t bytes;        /* all workers of the pool together */
	int64_t worker_bytes; /* the one with the most */
	int workers;          /* that have a copy */
};

static int is_in(const struct model_line *line, const char *function, const char *file)
{
	size_t length = line->file ? strlen(line->file) : 0, n = strlen(file);

	return line->function && !strcmp(line->function, function) && length >= n &&
	       !strcmp(line->file + length - n, file);
}

/* Imports, the preparation of the main module and the work itself also run under spawn._main. */
static int is_other_work(const struct model_line *line)
{
	return (line->file && strstr(line->file, "importlib")) ||
	       is_in(line, "prepare", "multiprocessing/spawn.py") ||
	       is_in(line, "_bootstrap", "multiprocessing/process.py");
}

static int is_unpickling(const struct model *m, int stack)
{
	for (; stack >= 0; stack = m->stacks[stack].parent) {
		const struct model_stack *s = &m->stacks[stack];

		for (size_t i = 0; i < s->line_count; i++) {
			const struct model_line *line = &m->lines[s->first_line + i];

			if (line->native)
				continue;
			if (is_in(line, "_main", "multiprocessing/spawn.py"))
				return 1;
			if (is_other_work(line))
				return 0;
		}
	}
	return 0;
}

/* The most that a site stood for at any reading. */
static int64_t live_max(const struct model *m, size_t site)
{
	const struct site_store *store = &m->priv->sites.stores.items[site];
	int64_t most = 0;

	for (size_t i = 0; i < store->points.count; i++)
		if (store->points.items[i].amount.live_bytes > most)
			most = store->points.items[i].amount.live_bytes;
	return most;
}

static int64_t copied_into(const struct model *m, int process)
{
	int64_t sum = 0;

	for (size_t i = 0; i < m->site_count; i++)
		if (m->sites[i].process == process && is_unpickling(m, m->sites[i].stack))
			sum += live_max(m, i);
	return sum;
}

static int is_spawned(const struct model_pool *pool)
{
	return !strcmp(pool->start_method, "spawn") || !strcmp(pool->start_method, "forkserver");
}

static struct copies measure(const struct model *m, const struct model_pool *pool)
{
	struct copies c = {0};

	for (size_t i = 0; is_spawned(pool) && i < pool->member_count; i++) {
		int64_t bytes = copied_into(m, pool->members[i]);

		if (bytes < threshold_bytes(THRESHOLD_SPAWN, m->totals.peak_bytes, 1))
			continue;
		c.workers++;
		c.bytes += bytes;
		c.worker_bytes = bytes > c.worker_bytes ? bytes : c.worker_bytes;
	}
	return c;
}

static void report(const struct model *m, struct finding_sink *sink, int index,
		   const struct copies *c)
{
	const struct model_pool *pool = &m->pools[index];
	const struct model_evidence facts[] = {
		{"copied_bytes_worker_max", "a worker", MODEL_BYTES, (double)c->worker_bytes, NULL,
		 0},
		{"copied_bytes", "a pool", MODEL_BYTES, (double)c->bytes, NULL, 0},
		{"workers", "workers with a copy", MODEL_COUNT, c->workers, NULL, 0},
	};
	int64_t life_ns =
		pool->span_count ? pool->spans[pool->span_count - 1].end_ns - pool->begin_ns : 0;
	int at_peak = model_pool_state(pool, m->totals.peak_at_ns) != MODEL_LATER &&
		      model_pool_state(pool, m->totals.peak_at_ns) != MODEL_ENDED;
	const struct model_finding f = {
		.id = "spawn-copies",
		.severity = threshold_severity(
			THRESHOLD_SPAWN, c->worker_bytes, 1,
			finding_severity(m, c->bytes, life_ns,
					 m->totals.peak_bytes - (at_peak ? c->bytes : 0))),
		.title = finding_text(sink,
				      "Every worker has a copy of what was pickled into it (%s)",
				      pool->name),
		.text = finding_text(
			sink,
			"The start method is %s: %s is sent to each worker and unpickled there.",
			pool->start_method, pool->dataset[0] ? pool->dataset : "the dataset"),
		.brief = finding_text(sink, "pickled into %d workers of %s, a copy each",
				      c->workers, pool->name),
		.bytes = c->bytes,
		.brief_bytes = c->bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &pool->first_batch_ns,
		.moment_count = pool->first_batch_ns != MODEL_NONE,
		.pools = &index,
		.pool_count = 1,
	};

	finding_report(sink, &f);
}

void find_spawn_copies(const struct model *m, struct finding_sink *sink)
{
	struct copies most = {0};
	int worst = -1;

	for (size_t i = 0; i < m->pool_count; i++) {
		struct copies c = measure(m, &m->pools[i]);

		if (c.bytes > most.bytes) {
			most = c;
			worst = (int)i;
		}
	}
	if (worst >= 0)
		report(m, sink, worst, &most);
}
