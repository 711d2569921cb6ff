/* The words of a row: see the header. Who held memory at a moment is in explain_why.c. */
#include "profiler/gate/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/view/format.h"
#include "profiler/view/words.h"

enum { EXPLAIN_FIGURE = 64 };

/* A figure in its unit: "6.12 GiB", "41 s", "0". Fills and returns `out` of EXPLAIN_FIGURE bytes. */
static char *explain_value(char *out, enum model_unit unit, double value)
{
	if (isnan(value)) {
		strcpy(out, "?");
		return out;
	}
	switch (unit) {
	case MODEL_UNIT_BYTES:
		return format_bytes(out, (int64_t)value);
	case MODEL_UNIT_SECONDS:
		return format_duration(out, (int64_t)(value * 1e9));
	case MODEL_UNIT_BYTE_SECONDS:
		return format_byte_hours(out, value, 0);
	case MODEL_UNIT_COUNT:
		break;
	}
	return format_count(out, (int64_t)value);
}

/* With its sign: "+668 MiB", "-0.6 GiB", "+3". */
static char *explain_change(char *out, enum model_unit unit, double value)
{
	char figure[EXPLAIN_FIGURE];

	if (unit == MODEL_UNIT_BYTES)
		return format_difference(out, (int64_t)value);
	snprintf(out, EXPLAIN_FIGURE, "%c%.*s", value < 0 ? '-' : '+', EXPLAIN_FIGURE - 2,
		 explain_value(figure, unit, fabs(value)));
	return out;
}

static char *percent(char *out, double ratio)
{
	snprintf(out, EXPLAIN_FIGURE, "%+.1f%%", ratio * 100);
	return out;
}

/* A tolerance or a noise bound: a share of the baseline, or an amount where that is 0. */
static char *bound(char *out, const struct row *row, double value)
{
	if (row->comparison.base > 0)
		snprintf(out, EXPLAIN_FIGURE, "%.1f%%", 100 * value / row->comparison.base);
	else
		explain_value(out, row->rule->metric->unit, value);
	return out;
}

static void print_comparison(FILE *out, const struct row *row)
{
	const struct comparison *c = &row->comparison;
	enum model_unit unit = row->rule->metric->unit;
	char head[EXPLAIN_FIGURE], change[EXPLAIN_FIGURE], share[EXPLAIN_FIGURE],
		tolerance[EXPLAIN_FIGURE], noise[EXPLAIN_FIGURE];

	explain_value(head, unit, c->head);
	explain_change(change, unit, c->change);
	if (c->base > 0)
		fprintf(out, "%s, %s (%s)", head, percent(share, c->change / c->base), change);
	else
		fprintf(out, "%s, %s from 0", head, change);
	fprintf(out, "; tolerance %s, noise %s%s", bound(tolerance, row, c->tolerance),
		bound(noise, row, c->noise),
		row->base_runs < COMPARE_ENOUGH_RUNS ? " assumed" : "");
}

static void print_limit(FILE *out, const struct row *row)
{
	enum model_unit unit = row->rule->metric->unit;
	char value[EXPLAIN_FIGURE], limit[EXPLAIN_FIGURE], change[EXPLAIN_FIGURE];
	int over = row->value > row->limit;

	fprintf(out, "%s %s %s", explain_value(value, unit, row->value), over ? ">" : "of",
		explain_value(limit, unit, row->limit));
	if (row->rule->bound == BUDGET_OF_LIMIT)
		fprintf(out, " (%g%% of the memory limit)", row->rule->value);
	if (over)
		fprintf(out, ", %s", explain_change(change, unit, row->value - row->limit));
	else if (row->limit > 0)
		fprintf(out, ", %d%% used", (int)(100 * row->value / row->limit));
}

static void print_allowance(FILE *out, const struct budget_rule *rule)
{
	fprintf(out, "until %s: %s", rule->until, rule->because);
}

static void print_finding(FILE *out, const struct row *row)
{
	const struct model_finding *f = row->subject ? row->subject->object : NULL;

	if (row->verdict == VERDICT_ALLOWED) {
		print_allowance(out, row->rule);
		return;
	}
	if (row->verdict == VERDICT_DENIED && f)
		fputs(f->title, out);
	else
		fputs(row->reason[0] ? row->reason : "not found", out);
	if (!row->expired)
		return;
	fputs("; was allowed ", out);
	print_allowance(out, row->expired);
}

char *explain_figures(const struct row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (row->rule->kind == BUDGET_FINDING)
		print_finding(out, row);
	else if (row->base_runs)
		print_comparison(out, row);
	else if (!isnan(row->limit) && !isnan(row->value))
		print_limit(out, row);
	else
		fputs(row->reason, out);
	if (row->reason[0] && (row->base_runs || (!isnan(row->limit) && !isnan(row->value))))
		fprintf(out, "; %s", row->reason);
	if (row->rule->because && row->rule->action != BUDGET_ALLOW)
		fprintf(out, "; because %s", row->rule->because);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

int explain_wants_why(const struct row *row)
{
	return verdict_effect(row->verdict) == EFFECT_FAILS || row->verdict == VERDICT_INCONCLUSIVE;
}

char *explain_source(const struct subject *s, unsigned *line)
{
	const char *origin = s && s->pool >= 0 ? s->model->pools[s->pool].origin : NULL;
	const char *colon = origin ? strrchr(origin, ':') : NULL;
	char *path = NULL;

	if (origin && !strncmp(origin, "./", 2))
		origin += 2;
	if (!colon || colon <= origin || origin[0] == '/' || atoi(colon + 1) <= 0)
		return NULL;
	path = strndup(origin, (size_t)(colon - origin));
	if (path && (strstr(path, "..") || access(path, R_OK))) {
		free(path);
		return NULL;
	}
	*line = (unsigned)atoi(colon + 1);
	return path;
}

char *explain_place(const struct budget_rule *rule)
{
	char *text;
	int failed;

	if (rule->from_file)
		failed = asprintf(&text, "%s:%u", rule->file, rule->line);
	else if (rule->file[0] == '-')
		failed = asprintf(&text, "%s %u", rule->file, rule->line);
	else
		failed = asprintf(&text, "%s", rule->file);
	return failed < 0 ? NULL : text;
}

char *explain_finding(const struct model_finding *f)
{
	char line[WORDS_MAX];

	return strdup(words_finding(line, sizeof(line), f));
}

char *explain_fix(const struct model_finding *f, const struct model *m)
{
	char command[WORDS_MAX];

	return strdup(f->release_helps ? words_release(command, sizeof(command), m, 80)
				       : words_advice(command, sizeof(command), m, f));
}

char *explain_effect(const struct model_finding *f, const struct model *m)
{
	char bytes[FORMAT_MAX], *text;
	int64_t then = m->totals.peak_with_release_bytes;

	if (!f->release_helps || then >= m->totals.peak_bytes)
		return strdup("");
	return asprintf(&text, "peak %s then", format_bytes(bytes, then)) < 0 ? NULL : text;
}

/* ---- causes -------------------------------------------------------------------------------------------------- */

/* Which finding speaks of which figure. */
static const struct {
	const char *in_metric, *finding;
} causes[] = {
	{"idle_retained", "idle-pool-retained"},
	{"overlap", "pool-overlap"},
	{"parked_batch", "parked-batches"},
	{"unshared", "unshared-growth"},
};

static const struct model_finding *find(const struct model *m, const char *id)
{
	for (size_t i = 0; i < m->finding_count; i++)
		if (!strcmp(m->findings[i].id, id))
			return &m->findings[i];
	return NULL;
}

static int speaks_of_pool(const struct model_finding *f, int pool)
{
	for (size_t i = 0; i < f->pool_count; i++)
		if (f->pools[i] == pool)
			return 1;
	return 0;
}

const struct model_finding *explain_cause(const struct row *row, const struct model **model)
{
	const struct model *m = row->subject ? row->subject->model : NULL;
	const struct model_metric *metric = row->rule->metric;

	*model = m;
	if (!m || !m->finding_count)
		return NULL;
	if (row->subject->kind == SELECT_FINDING)
		return row->subject->object;
	if (metric->unit != MODEL_UNIT_BYTES && metric->unit != MODEL_UNIT_BYTE_SECONDS)
		return NULL;
	for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
		if (strstr(metric->name, causes[i].in_metric))
			return find(m, causes[i].finding);
	for (size_t i = 0; i < m->finding_count && row->subject->pool >= 0; i++)
		if (speaks_of_pool(&m->findings[i], row->subject->pool))
			return &m->findings[i];
	return metric->scope == MODEL_SCOPE_TOTAL && m->findings[0].severity > MODEL_NOTICE
		       ? &m->findings[0]
		       : NULL;
}
