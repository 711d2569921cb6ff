/*
 * worker-growth: the workers of a pool take more and more memory while they deliver. It is told how it ends: a cache that levels off, what is
 * freed with the pool, what goes on when the pool is used again. Only the last is surely no cache; the others are told as a notice, and where they
 * are small only when they go straight to the pool's end: small caches are what memory is for.
 */
#include <stdlib.h>

#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/process_growth.h"
#include "profiler/model/thresholds.h"

enum { WINDOWS = 8, LEAST_USES = 3, LEAVING_SHARE = 50 };

/* Of what is asked for in all, the floors show this part: they begin with the second window. */
#define FLOORS_SHOW 0.6

enum ending { ENDS_LEVEL, ENDS_WITH_POOL, ENDS_NEVER, ENDS_UNKNOWN };

static const struct {
	const char *class, *text;
} endings[] = {
	[ENDS_LEVEL] = {"levels off", "It levels off: each worker fills a cache of its own."},
	[ENDS_WITH_POOL] =
		{"freed with the pool",
		 "It is freed when the pool ends, and its stage has more of them: a cache of each "
		 "worker, or something that it keeps with every item."},
	[ENDS_NEVER] =
		{"goes on when re-used",
		 "It goes on each time the pool is used again: something is kept with every item."},
	[ENDS_UNKNOWN] =
		{"goes on with each item",
		 "It goes on to the end of the pool: a cache that is not full yet, or something that is "
		 "kept with every item."},
};

struct grown {
	int64_t bytes, from_ns,
		at_ns; /* of all workers; from the first batch to the end of their work */
	int workers, pool;
	int straight; /* to the end, and seen well enough to say so */
	enum ending ending;
};

/* When the pool delivered; freed by the caller. 0 = nothing, or no memory. */
static size_t working_time(const struct model_pool *pool, struct growth_stretch **out)
{
	size_t count = 0;

	*out = malloc((pool->span_count + 1) * sizeof(**out));
	for (size_t i = 0; *out && i < pool->span_count; i++)
		if (pool->spans[i].state == MODEL_DELIVERING)
			(*out)[count++] = (struct growth_stretch){pool->spans[i].start_ns,
								  pool->spans[i].end_ns};
	return count;
}

/* The growth of all of its workers that grew; how many they are. */
static int sum_workers(const struct model *m, const struct model_pool *pool, struct growth *sum,
		       const struct growth_stretch *stretches, size_t count)
{
	int workers = 0;

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct track *track = &m->priv->tables.tracks.items[pool->members[i]];
		struct growth g;

		growth_begin(&g, stretches, count, WINDOWS);
		process_growth_add(&g, track);
		if (growth_shape(&g, 1) == GROWTH_NONE ||
		    !process_growth_is_live(track, stretches[0].start_ns,
					    stretches[count - 1].end_ns))
			continue;
		if (workers++)
			growth_sum(sum, &g);
		else
			*sum = g;
	}
	return workers;
}

/* It has ended, and another one of its stage came before or after. */
static int is_one_of_many(const struct model *m, const struct model_pool *pool)
{
	int others = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		others += m->pools[i].stage == pool->stage && m->pools[i].owner == pool->owner;
	return pool->over && others > 1;
}

static enum ending ending_of(const struct model *m, int pool, enum growth_shape shape)
{
	if (shape == GROWTH_LEVELS)
		return ENDS_LEVEL;
	if (1 + pool_reuses(m, (size_t)pool) >= LEAST_USES)
		return ENDS_NEVER;
	return is_one_of_many(m, &m->pools[pool]) ? ENDS_WITH_POOL : ENDS_UNKNOWN;
}

static double least_bytes(const struct model *m, const struct grown *g)
{
	int64_t peak = m->totals.peak_bytes;
	int64_t least = g->ending == ENDS_NEVER
				? threshold_bytes(THRESHOLD_WORKER_ENDLESS, peak, g->workers)
				: threshold_bytes(THRESHOLD_WORKER_ANY, peak, 1);
	int64_t straight = threshold_bytes(THRESHOLD_WORKER_STRAIGHT, peak, g->workers);

	return (double)(g->straight && straight < least ? straight : least);
}

/* Processes that serve no loader keep what they please until they end. */
static int is_straight(const struct model_pool *pool, const struct growth *sum)
{
	return !pool->grouped && growth_is_dense(sum) && growth_shape(sum, 1) == GROWTH_STEADY;
}

/* bytes 0 = it does not grow, or not enough to be told. */
static struct grown growth_of(const struct model *m, int index)
{
	const struct model_pool *pool = &m->pools[index];
	struct growth_stretch *stretches;
	size_t count = working_time(pool, &stretches);
	struct growth sum;
	struct grown g = {.pool = index};

	if (count)
		g.workers = sum_workers(m, pool, &sum, stretches, count);
	if (g.workers) {
		g.ending = ending_of(m, index, growth_shape(&sum, 1));
		g.straight = is_straight(pool, &sum);
		g.from_ns = stretches[0].start_ns;
		g.at_ns = stretches[count - 1].end_ns;
		if (growth_shape(&sum, FLOORS_SHOW * least_bytes(m, &g)) != GROWTH_NONE &&
		    sum.last - sum.first >= least_bytes(m, &g))
			g.bytes = (int64_t)(sum.last - sum.first);
	}
	free(stretches);
	return g;
}

/* What ends is told, not scolded; where the end is not known only when it brings the job near its limit. */
static enum model_severity severity_of(const struct model *m, const struct grown *g)
{
	const struct model_pool *pool = &m->pools[g->pool];
	enum model_severity severity = finding_severity(m, g->bytes, g->at_ns - pool->begin_ns,
							m->totals.peak_bytes - g->bytes);

	if (g->ending == ENDS_NEVER)
		return threshold_severity(THRESHOLD_WORKER_ENDLESS, g->bytes, g->workers, severity);
	return g->ending == ENDS_UNKNOWN && severity == MODEL_ERROR ? severity : MODEL_NOTICE;
}

static void report(const struct model *m, struct finding_sink *sink, const struct grown *g)
{
	const struct model_pool *pool = &m->pools[g->pool];
	double items = pool->batches > 0 && pool->batch_size > 0
			       ? (double)pool->batches * (double)pool->batch_size
			       : 0;
	const struct model_evidence facts[] = {
		{"growth_bytes", "more at the end than at its first batch", MODEL_BYTES,
		 (double)g->bytes, NULL, 0},
		{"growth_bytes_worker", "a worker", MODEL_BYTES, (double)g->bytes / g->workers,
		 NULL, 0},
		{"class", "it", MODEL_TEXT, 0, endings[g->ending].class, 0},
		{"bytes_per_item", "an item", MODEL_BYTES, items > 0 ? (double)g->bytes / items : 0,
		 NULL, 0},
	};
	struct model_finding f = {
		.id = "worker-growth",
		.severity = severity_of(m, g),
		.title = finding_text(sink,
				      "Workers take more and more memory while they deliver (%s)",
				      pool->name),
		.text = endings[g->ending].text,
		.brief = finding_text(sink, "more in the workers of %s at their end: %s",
				      pool->name, endings[g->ending].class),
		.brief_bytes = g->bytes,
		.bytes = g->bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]) - (items <= 0),
		.moments = &g->at_ns,
		.moment_count = 1,
		.pools = &g->pool,
		.pool_count = 1,
	};

	/* a little earlier: at the end itself some have left, and nothing of theirs is live */
	finding_locate(m, &f, g->pool, -1, g->from_ns,
		       g->at_ns - (g->at_ns - g->from_ns) / LEAVING_SHARE);
	finding_advise(m, &f, endings[g->ending].class);
	finding_report(sink, &f);
}

void find_worker_growth(const struct model *m, struct finding_sink *sink)
{
	struct grown worst = {0};

	for (size_t i = 0; i < m->pool_count; i++) {
		struct grown g = growth_of(m, (int)i);

		if (g.bytes > worst.bytes)
			worst = g;
	}
	if (worst.bytes)
		report(m, sink, &worst);
}
