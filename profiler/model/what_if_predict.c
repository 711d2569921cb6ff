/* Answers a what-if from the rounds and pools of a run: the formulas are in what_if.h. */
#include <math.h>
#include <stdlib.h>

#include "profiler/model/private.h"
#include "profiler/model/stall.h"
#include "profiler/model/what_if.h"

#define NS_PER_SECOND 1e9

/* Below these a pool's memory is taken as settled: it grew by less, or by less than a quarter in the second half of its deliveries. */
#define GROWTH_BYTES (INT64_C(1) << 20)
#define GROWTH_SHARE 0.1
#define GROWTH_LATE  0.25

/* torch's own, where a loader did not tell. */
enum { PREFETCH_USUAL = 2, WORKERS_TRUSTED = 1 << 20 };

/* One pool, as it was and as it would be. */
struct scaling {
	int64_t workers, prefetch;         /* as declared */
	int64_t new_workers, new_prefetch; /* as asked */
	double by_workers, by_batches;     /* factors */
	double shared_base;                /* private bytes that follow the workers in any case */
};

/* Of all pools. */
struct stall_sum {
	double change_s;
	double bound_s; /* predicted of pools whose owner never waited */
};

/* Of one round. */
struct needed {
	double total, shared_out, idle;
};

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static int64_t asked_or(int64_t asked, int64_t is)
{
	return asked == MODEL_NONE ? is : asked;
}

static int is_asked_about(const struct model_pool *pool)
{
	return pool->workers > 0 && pool->workers <= WORKERS_TRUSTED;
}

static double private_at(const struct model *m, size_t pool, int64_t t_ns)
{
	int round = model_round_at(m, t_ns);
	const struct pool_point *point = round < 0 ? NULL : pool_point_at(m, pool, (size_t)round);

	return point ? (double)point->private_bytes : 0;
}

/* What a pool had at its first batch, if its workers grew to the end; else all that it had. */
static double shared_base(const struct model *m, size_t index)
{
	const struct model_pool *pool = &m->pools[index];
	int64_t first_ns = pool->first_batch_ns,
		last_ns = m->priv->tables.pools.items[index].last_batch_ns;
	double first, middle, last;

	if (first_ns == MODEL_NONE || last_ns == MODEL_NONE || last_ns <= first_ns)
		return INFINITY;
	first = private_at(m, index, first_ns);
	middle = private_at(m, index, first_ns + (last_ns - first_ns) / 2);
	last = private_at(m, index, last_ns);
	if (last - first < (double)GROWTH_BYTES || last - first < GROWTH_SHARE * last ||
	    last - middle < GROWTH_LATE * (last - first))
		return INFINITY;
	return first;
}

static double in_flight(const struct model_pool *pool, int64_t workers, int64_t prefetch)
{
	double most = (double)workers * (double)prefetch;

	return pool->batches > 0 ? smaller(most, (double)pool->batches) : most;
}

static void scale(const struct model *m, size_t index, const struct what_if *w, struct scaling *s)
{
	const struct model_pool *pool = &m->pools[index];

	s->workers = pool->workers;
	s->prefetch = pool->prefetch > 0 && pool->prefetch <= WORKERS_TRUSTED ? pool->prefetch
									      : PREFETCH_USUAL;
	s->new_workers = asked_or(w->workers[pool->stage], s->workers);
	s->new_prefetch = asked_or(w->prefetch[pool->stage], s->prefetch);
	s->by_workers = (double)s->new_workers / (double)s->workers;
	s->by_batches = in_flight(pool, s->new_workers, s->new_prefetch) /
			in_flight(pool, s->workers, s->prefetch);
	s->shared_base = shared_base(m, index);
}

static void scale_rounds(const struct model *m, size_t index, const struct scaling *s,
			 struct needed *rounds)
{
	const struct pool_store *store = &m->priv->stores.items[index];
	const struct model_pool *pool = &m->pools[index];

	for (size_t i = 0; i < store->points.count; i++) {
		const struct pool_point *point = &store->points.items[i];
		size_t round = store->first_round + i;
		const struct model_span *span = pool_span_at(pool, m->rounds[round].t_ns);
		double private_bytes = (double)point->private_bytes, shm = (double)point->shm;
		double batches = shm * (s->by_batches - 1);

		rounds[round].total += private_bytes * (s->by_workers - 1) + batches;
		rounds[round].shared_out +=
			smaller(private_bytes, s->shared_base) * (s->by_workers - 1) + batches;
		if (pool->releasable && span && !span->hindsight &&
		    model_pool_state(pool, m->rounds[round].t_ns) == MODEL_EXHAUSTED)
			rounds[round].idle += private_bytes * s->by_workers +
					      (double)point->parked * s->by_batches;
	}
}

/* ---- the stall ------------------------------------------------------------------------------------------- */

static int owners(const struct model *m)
{
	int count = 0;

	for (size_t i = 0; i < m->process_count; i++)
		count += m->processes[i].role == MODEL_ROLE_OWNER;
	return count;
}

static void add_stall(const struct model *m, size_t index, const struct scaling *s,
		      struct stall_sum *sum, struct what_if_result *out)
{
	const struct stall_question q = {s->workers, s->prefetch, s->new_workers, s->new_prefetch};
	const struct model_pool *pool = &m->pools[index];
	struct stall_change change;

	if (pool->batches == MODEL_NONE)
		out->stall_before_ns = MODEL_NONE;
	if (out->stall_before_ns == MODEL_NONE)
		return;
	out->stall_before_ns += pool->stall_ns;
	stall_predict(m, index, &q, &change);
	sum->change_s += change.seconds;
	sum->bound_s += change.bound_s;
	out->cpus_known |= change.cpu_s >= 0;
	out->computing |= change.is_computing;
	out->crowded |= change.is_crowded;
	if (change.is_limited && change.cpu_s > out->limited_cpu_s) {
		out->limited_cpu_s = change.cpu_s;
		out->limited_workers = change.workers_most;
	}
}

static void settle_stall(const struct model *m, const struct stall_sum *sum,
			 struct what_if_result *out)
{
	int64_t change_ns = (int64_t)(sum->change_s * NS_PER_SECOND);

	out->stall_ns = out->duration_ns = MODEL_NONE;
	if (out->stall_before_ns == MODEL_NONE)
		return;
	out->stall_ns = out->stall_before_ns + change_ns;
	if (out->stall_ns < 0)
		out->stall_ns = 0;
	out->stall_at_most = sum->bound_s * NS_PER_SECOND >
			     STALL_NONE_SHARE * (double)out->stall_ns;
	if (owners(m) == 1 && m->end != MODEL_RUNNING)
		out->duration_ns = m->totals.duration_ns + out->stall_ns - out->stall_before_ns;
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static int64_t larger(int64_t a, double b)
{
	return (double)a > b ? a : (int64_t)b;
}

/* Rounds that do not count for the measured peak (model.h) do not count here. */
static void find_peaks(const struct model *m, const struct needed *rounds,
		       struct what_if_result *out)
{
	size_t complete = 0;

	for (size_t i = 0; i < m->round_count; i++)
		complete += !m->rounds[i].incomplete;
	for (size_t i = 0; i < m->round_count; i++) {
		double total = (double)m->rounds[i].total_bytes;

		if (complete && m->rounds[i].incomplete)
			continue;
		if (total + rounds[i].total > (double)out->peak_bytes)
			out->peak_at_ns = m->rounds[i].t_ns;
		out->peak_bytes = larger(out->peak_bytes, total + rounds[i].total);
		out->peak_shared_out_bytes =
			larger(out->peak_shared_out_bytes, total + rounds[i].shared_out);
		out->peak_with_release_bytes = larger(out->peak_with_release_bytes,
						      total + rounds[i].total - rounds[i].idle);
	}
}

/* A question about the pools of a stage that the run has not. */
static int check_stages(const struct model *m, const struct what_if *w, struct error *e)
{
	int has[MODEL_STAGES] = {0}, any = 0, all = 1;

	for (size_t i = 0; i < m->pool_count; i++)
		has[m->pools[i].stage] |= is_asked_about(&m->pools[i]);
	for (int i = 0; i < MODEL_STAGES; i++) {
		any |= has[i];
		all &= w->workers[i] != MODEL_NONE || w->prefetch[i] != MODEL_NONE;
	}
	if (!any)
		return error_set(e, ERROR_USAGE,
				 "--what-if: %s has no pool with workers to ask about", m->file);
	for (int i = 0; i < MODEL_STAGES && !all; i++) {
		if ((w->workers[i] == MODEL_NONE && w->prefetch[i] == MODEL_NONE) || has[i])
			continue;
		error_set(e, ERROR_USAGE, "--what-if: %s has no %s pool with workers", m->file,
			  model_stage_name((enum model_stage)i));
		error_hint(e, "leave (%s) out to ask about all pools",
			   model_stage_name((enum model_stage)i));
		return e->kind;
	}
	return 0;
}

int what_if_predict(const struct model *m, const struct what_if *w, struct what_if_result *out,
		    struct error *e)
{
	struct needed *rounds = calloc(m->round_count + 1, sizeof(*rounds));
	struct stall_sum sum = {0};

	*out = (struct what_if_result){.peak_at_ns = MODEL_NONE};
	if (!rounds)
		return error_set(e, ERROR_SYSTEM, "cannot answer --what-if: out of memory");
	if (check_stages(m, w, e)) {
		free(rounds);
		return e->kind;
	}
	for (size_t i = 0; i < m->pool_count; i++) {
		struct scaling s;

		if (!is_asked_about(&m->pools[i]))
			continue;
		scale(m, i, w, &s);
		scale_rounds(m, i, &s, rounds);
		add_stall(m, i, &s, &sum, out);
		if (s.new_workers > out->workers_most)
			out->workers_most = s.new_workers;
	}
	settle_stall(m, &sum, out);
	find_peaks(m, rounds, out);
	free(rounds);
	return 0;
}
