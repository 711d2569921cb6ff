/* The figures of two runs side by side; see difference.h. */
#include "profiler/model/difference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/model/difference_pairs.h"

/* Whole-run figures and those of the pools of a stage. */
enum { STAGE_FIGURES = 3 };

struct run_figure {
	const char *key, *name;
	enum difference_unit unit;
	double (*value)(const struct model *m);
};

struct pool_figure {
	const char *key, *name;
	enum difference_unit unit;
	double (*value)(const struct model_pool *pool);
};

static double peak(const struct model *m)
{
	return (double)m->totals.peak_bytes;
}

static double peak_without_idle(const struct model *m)
{
	return (double)m->totals.peak_without_idle_bytes;
}

static double held_idle(const struct model *m)
{
	return (double)m->totals.idle_max_bytes;
}

static double overlap(const struct model *m)
{
	return (double)m->totals.overlap_max_bytes;
}

static double parked(const struct model *m)
{
	return (double)m->totals.parked_batch_max_bytes;
}

static double stall(const struct model *m)
{
	int64_t ns = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		ns += m->pools[i].stall_ns;
	return (double)ns / 1e9;
}

static double duration(const struct model *m)
{
	return (double)m->totals.duration_ns / 1e9;
}

static const struct run_figure run_figures[] = {
	{"peak_pss_bytes", "peak", DIFFERENCE_BYTES, peak},
	{"peak_pss_bytes_without_idle", "peak, without held idle", DIFFERENCE_BYTES,
	 peak_without_idle},
	{"idle_retained_bytes_max", "held idle", DIFFERENCE_BYTES, held_idle},
	{"overlap_bytes_max", "overlap", DIFFERENCE_BYTES, overlap},
	{"parked_batch_bytes_max", "parked batches", DIFFERENCE_BYTES, parked},
	{"stall_s", "wait for batches (stall)", DIFFERENCE_SECONDS, stall},
	{"duration_s", "time", DIFFERENCE_SECONDS, duration},
};
enum { RUN_FIGURES = sizeof(run_figures) / sizeof(run_figures[0]) };

static double pool_memory(const struct model_pool *pool)
{
	return (double)pool->memory_max;
}

static double pool_private(const struct model_pool *pool)
{
	return (double)pool->private_max;
}

static double pool_start(const struct model_pool *pool)
{
	return pool->start_ns == MODEL_NONE ? NAN : (double)pool->start_ns / 1e9;
}

static const struct pool_figure pool_figures[STAGE_FIGURES] = {
	{"memory_bytes", "pools, memory", DIFFERENCE_BYTES, pool_memory},
	{"private_bytes", "pools, private", DIFFERENCE_BYTES, pool_private},
	{"start_s", "pools, start", DIFFERENCE_SECONDS, pool_start},
};

/* Middle and half spread of a figure over the pools of a stage; NaN when no pool has it. */
struct spread {
	double median, half;
};

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int spread_of(struct spread *s, const struct model *m, enum model_stage stage,
		     double (*value)(const struct model_pool *))
{
	double *values = malloc((m->pool_count + 1) * sizeof(double));
	size_t n = 0;

	*s = (struct spread){NAN, NAN};
	if (!values)
		return ERROR_SYSTEM;
	for (size_t i = 0; i < m->pool_count; i++) {
		double v = m->pools[i].stage == stage ? value(&m->pools[i]) : NAN;

		if (!isnan(v))
			values[n++] = v;
	}
	if (n) {
		qsort(values, n, sizeof(double), ascending);
		s->median = (values[(n - 1) / 2] + values[n / 2]) / 2;
		s->half = n > 1 ? (values[n - 1] - values[0]) / 2 : NAN;
	}
	free(values);
	return 0;
}

/* ---- what counts ------------------------------------------------------------------------------------- */

/* Below this nobody would act on a change: of bytes a part of the whole run's peak, as that is what must fit. */
static double least_change(const struct difference *d, const struct difference_figure *f)
{
	if (f->unit == DIFFERENCE_SECONDS)
		return fmax(0.02 * fmax(f->base, f->head), 0.25);
	return fmax(0.02 * fmax(peak(d->base), peak(d->head)), DIFFERENCE_FLOOR_BYTES);
}

static void judge(struct difference *d, struct difference_figure *f)
{
	double change = f->head - f->base;
	double least = least_change(d, f);

	if (!isnan(f->noise) && f->noise > least)
		least = f->noise;
	f->counted = fabs(change) > least; /* false for NaN */
	if (f->counted && !f->time) {
		d->down += change < 0;
		d->up += change > 0;
	}
}

/* A whole-run figure in bytes moves with its largest phases: the noise of the stage that is largest. */
static double noise_of_run(const struct difference *d)
{
	double noise = NAN;

	for (size_t i = 0; i < d->figure_count; i++)
		if (d->figures[i].unit == DIFFERENCE_BYTES)
			noise = fmax(noise, d->figures[i].noise);
	return noise;
}

static int add_stage(struct difference *d, enum model_stage stage)
{
	for (int i = 0; i < STAGE_FIGURES; i++) {
		const struct pool_figure *p = &pool_figures[i];
		struct difference_figure *f = &d->figures[d->figure_count];
		struct spread a, b;

		if (spread_of(&a, d->base, stage, p->value) ||
		    spread_of(&b, d->head, stage, p->value))
			return ERROR_SYSTEM;
		if (isnan(a.median) && isnan(b.median))
			continue;
		snprintf(f->key, sizeof(f->key), "%s.%s", model_stage_name(stage), p->key);
		snprintf(f->name, sizeof(f->name), "%s %s", model_stage_name(stage), p->name);
		f->unit = p->unit;
		f->base = a.median;
		f->head = b.median;
		f->noise = fmax(a.half, b.half);
		d->figure_count++;
	}
	return 0;
}

static void add_run(struct difference *d, double noise)
{
	for (int i = 0; i < RUN_FIGURES; i++) {
		const struct run_figure *r = &run_figures[i];
		struct difference_figure *f = &d->figures[d->figure_count++];

		snprintf(f->key, sizeof(f->key), "%s", r->key);
		snprintf(f->name, sizeof(f->name), "%s", r->name);
		f->unit = r->unit;
		f->base = r->value(d->base);
		f->head = r->value(d->head);
		f->noise = r->unit == DIFFERENCE_BYTES ? noise : NAN;
		f->time = r->value == duration;
	}
}

/* Stages first, as the run's noise is theirs; then the run's figures are moved to the front. */
static int make_figures(struct difference *d)
{
	size_t stages;
	struct difference_figure *ordered;

	d->figures = calloc(RUN_FIGURES + MODEL_STAGES * STAGE_FIGURES, sizeof(*d->figures));
	ordered = calloc(RUN_FIGURES + MODEL_STAGES * STAGE_FIGURES, sizeof(*ordered));
	for (int i = 0; d->figures && ordered && i < MODEL_STAGES; i++)
		if (add_stage(d, (enum model_stage)i))
			break;
	if (!d->figures || !ordered) {
		free(ordered);
		return ERROR_SYSTEM;
	}
	stages = d->figure_count;
	add_run(d, noise_of_run(d));
	memcpy(ordered, d->figures + stages, RUN_FIGURES * sizeof(*ordered));
	memcpy(ordered + RUN_FIGURES, d->figures, stages * sizeof(*ordered));
	free(d->figures);
	d->figures = ordered;
	for (size_t i = 0; i < d->figure_count; i++)
		judge(d, &d->figures[i]);
	return 0;
}

/* ---- are the runs alike ------------------------------------------------------------------------------ */

static char *next_reason(struct difference *d)
{
	return d->reasons[d->reason_count < DIFFERENCE_REASONS ? d->reason_count++
							       : DIFFERENCE_REASONS - 1];
}

int64_t difference_workers(const struct model *m, enum model_stage stage)
{
	int64_t most = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].stage == stage && m->pools[i].workers > most)
			most = m->pools[i].workers;
	return most;
}

static void compare_workers(struct difference *d)
{
	for (int i = 0; i < MODEL_STAGES; i++) {
		int64_t a = difference_workers(d->base, (enum model_stage)i),
			b = difference_workers(d->head, (enum model_stage)i);

		if (a == b || !a || !b)
			continue;
		snprintf(next_reason(d), sizeof(d->reasons[0]), "%lld against %lld %s workers",
			 (long long)a, (long long)b, model_stage_name((enum model_stage)i));
	}
	d->grave = d->reason_count;
}

static int same_words(const struct model *a, const struct model *b)
{
	if (a->argc != b->argc)
		return 0;
	for (size_t i = 0; i < a->argc; i++)
		if (strcmp(a->argv[i], b->argv[i]))
			return 0;
	return 1;
}

static void compare_setting(struct difference *d)
{
	if (!same_words(d->base, d->head))
		snprintf(next_reason(d), sizeof(d->reasons[0]), "different command lines");
	if (d->base->totals.limit_bytes != d->head->totals.limit_bytes)
		snprintf(next_reason(d), sizeof(d->reasons[0]), "different limits");
	if (d->base->host && d->head->host && strcmp(d->base->host, d->head->host))
		snprintf(next_reason(d), sizeof(d->reasons[0]), "different machines");
}

static enum difference_verdict verdict_of(const struct difference *d)
{
	if (d->grave)
		return DIFFERENCE_INCOMPARABLE;
	if (d->down && d->up)
		return DIFFERENCE_MIXED;
	if (d->down)
		return DIFFERENCE_BETTER;
	return d->up ? DIFFERENCE_WORSE : DIFFERENCE_SAME;
}

/* ---- the whole --------------------------------------------------------------------------------------- */

int difference_make(struct difference *d, const struct model *base, const struct model *head)
{
	*d = (struct difference){.base = base, .head = head};
	if (make_figures(d) || difference_pair_pools(d)) {
		difference_release(d);
		return ERROR_SYSTEM;
	}
	compare_workers(d);
	compare_setting(d);
	d->verdict = verdict_of(d);
	return 0;
}

void difference_release(struct difference *d)
{
	free(d->figures);
	free(d->pairs);
	*d = (struct difference){0};
}

const char *difference_verdict_name(enum difference_verdict verdict)
{
	static const char *const names[] = {
		[DIFFERENCE_SAME] = "the same",
		[DIFFERENCE_BETTER] = "better",
		[DIFFERENCE_WORSE] = "worse",
		[DIFFERENCE_MIXED] = "mixed",
		[DIFFERENCE_INCOMPARABLE] = "not comparable",
	};

	return names[verdict];
}

const struct difference_figure *difference_find(const struct difference *d, const char *key)
{
	for (size_t i = 0; i < d->figure_count; i++)
		if (!strcmp(d->figures[i].key, key))
			return &d->figures[i];
	return NULL;
}

int difference_has_finding(const struct model *m, const char *id)
{
	for (size_t i = 0; i < m->finding_count; i++)
		if (!strcmp(m->findings[i].id, id))
			return 1;
	return 0;
}
