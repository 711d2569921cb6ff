/* Which sessions are the ranks of one job, and which are repeats of a run. */
#include <string.h>

#include "profiler/gate/run.h"

static int ran_together(const struct model *a, const struct model *b)
{
	return a->started_unix_ns <= b->started_unix_ns + b->last_ns &&
	       b->started_unix_ns <= a->started_unix_ns + a->last_ns;
}

static int64_t some_rank(const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].rank != MODEL_NONE)
			return m->processes[i].rank;
	return MODEL_NONE;
}

static int has_rank(const struct model *m, int64_t rank)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].rank == rank)
			return 1;
	return 0;
}

static int are_ranks(const struct model *a, const struct model *b)
{
	return a->job[0] && !strcmp(a->job, b->job) && some_rank(a) != MODEL_NONE &&
	       some_rank(b) != MODEL_NONE && ran_together(a, b);
}

/* Moves models[from] to `to`; those between move up. */
static void move_up(struct model **models, size_t from, size_t to)
{
	struct model *m = models[from];

	memmove(&models[to + 1], &models[to], (from - to) * sizeof(struct model *));
	models[to] = m;
}

/* Brings the ranks of the job of models[start] behind it; returns the index after the last. */
static size_t gather(struct model **models, size_t count, size_t start)
{
	size_t end = start + 1;

	for (size_t i = start; i < end; i++)
		for (size_t k = end; k < count; k++)
			if (are_ranks(models[i], models[k]))
				move_up(models, k, end++);
	return end;
}

static int check_ranks(struct model **models, size_t count, struct error *e)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (!has_rank(models[k], some_rank(models[i])))
				continue;
			error_set(e, ERROR_USAGE,
				  "%s and %s are both rank %lld of job %s, at the same time",
				  models[k]->file, models[i]->file, (long long)some_rank(models[i]),
				  models[i]->job);
			error_hint(
				e,
				"ranks of one job have a session each; repeats run one after the other");
			return ERROR_USAGE;
		}
	}
	return 0;
}

int runs_group(struct model **models, size_t count, size_t *ends, size_t *jobs, struct error *e)
{
	*jobs = 0;
	for (size_t start = 0; start < count; start = ends[(*jobs)++]) {
		ends[*jobs] = gather(models, count, start);
		if (check_ranks(models + start, ends[*jobs] - start, e))
			return e->kind;
	}
	return 0;
}
