/* Comparison with the baseline: which of its runs can be compared, and the verdict. The arithmetic is compare.h's. */
#include <math.h>
#include <stdlib.h>

#include "profiler/gate/judge_parts.h"

/* ---- what there is to compare with -------------------------------------------------------------------------- */

static int is_comparable(const struct baseline_run *run, const struct model_metric *metric,
			 const struct judge_options *options)
{
	int differs = run->hard || (run->sampling && metric->needs == MODEL_NEEDS_HEAP);

	return !differs || options->ignore_environment;
}

/* The baseline's figures of a key into `values`; counts the runs that have it but are not comparable too. */
static size_t base_values(const struct baseline *b, const char *key,
			  const struct model_metric *metric, const struct judge_options *options,
			  double *values, size_t *incomparable)
{
	size_t count = 0;

	*incomparable = 0;
	for (size_t i = 0; i < b->runs.count; i++) {
		double value = baseline_value(&b->runs.items[i], key);

		if (isnan(value))
			continue;
		if (is_comparable(&b->runs.items[i], metric, options))
			values[count++] = value;
		else
			++*incomparable;
	}
	return count;
}

static const char *why_absent(struct result *result)
{
	const struct baseline *b = result->baseline;

	if (!b->wanted)
		return "no --baseline was given";
	if (!b->runs.count && b->missing.count)
		return strings_format(&result->strings, "%s does not exist", b->missing.items[0]);
	return b->runs.count ? "the baseline has no such figure" : "the baseline holds no run";
}

/* "page size 4096 in the baseline, 65536 now" */
static const char *why_incomparable(struct result *result)
{
	const struct baseline *b = result->baseline;

	for (size_t i = 0; i < b->differences.count; i++) {
		const struct baseline_difference *d = &b->differences.items[i];

		if (d->weight != MODEL_SOFT)
			return strings_format(&result->strings, "%s: %s in the baseline, %s now",
					      d->words, d->base, d->head);
	}
	return "";
}

/* ---- verdicts ---------------------------------------------------------------------------------------------------- */

static int lost_data(const struct run *run)
{
	for (size_t i = 0; i < run->model_count; i++)
		if (run->models[i]->dropped)
			return 1;
	return 0;
}

static enum verdict verdict_of(const struct comparison *c)
{
	switch (c->verdict) {
	case COMPARE_REGRESSED:
		return VERDICT_REGRESSED;
	case COMPARE_IMPROVED:
		return VERDICT_IMPROVED;
	case COMPARE_INCONCLUSIVE:
		return VERDICT_INCONCLUSIVE;
	case COMPARE_UNCHANGED:
		break;
	}
	return VERDICT_UNCHANGED;
}

static void compare_row(struct row *row, const double *base, size_t n, const double *head)
{
	const struct budget_rule *rule = row->rule;

	row->base_runs = n;
	compare(&row->comparison, rule->metric->unit, base, n, head, row->head_runs, rule->percent,
		rule->floor);
	row->verdict = verdict_of(&row->comparison);
	if (rule->metric->needs == MODEL_NEEDS_NOTHING || !lost_data(row->run))
		return;
	if (row->verdict == VERDICT_REGRESSED || row->verdict == VERDICT_IMPROVED) {
		row->verdict = VERDICT_INCONCLUSIVE;
		row->reason = "data lost";
	}
}

static void judge_cell(struct result *result, const struct cell *cell,
		       const struct judge_options *options, double *head, double *base)
{
	const struct model_metric *metric = cell->rule->metric;
	const char *key = strings_format(&result->strings, "%s.%s", cell->name, metric->name);
	struct row *row = result_row(result, cell->rule, VERDICT_NO_BASELINE, key);
	size_t n, incomparable;

	if (!row)
		return;
	judge_median(result, cell, row, head);
	if (row->verdict == VERDICT_UNMEASURED)
		return;
	n = base_values(result->baseline, key, metric, options, base, &incomparable);
	if (n) {
		compare_row(row, base, n, head);
	} else if (incomparable) {
		row->verdict = VERDICT_INCOMPARABLE;
		row->reason = why_incomparable(result);
	} else {
		row->reason = why_absent(result);
	}
}

/* ---- what is said once -------------------------------------------------------------------------------------------- */

static void note_few_runs(struct result *result)
{
	size_t fewest = COMPARE_ENOUGH_RUNS;

	for (size_t i = 0; i < result->rows.count; i++)
		if (result->rows.items[i].base_runs && result->rows.items[i].base_runs < fewest)
			fewest = result->rows.items[i].base_runs;
	if (fewest < COMPARE_ENOUGH_RUNS)
		result_notice(result,
			      "noise is assumed, %zu baseline run%s not tell it: keep %d or more",
			      fewest, fewest == 1 ? " does" : "s do", COMPARE_ENOUGH_RUNS);
}

static void note_environment(struct result *result, const struct judge_options *options)
{
	for (size_t i = 0; i < result->baseline->differences.count; i++) {
		const struct baseline_difference *d = &result->baseline->differences.items[i];

		if (d->weight == MODEL_SOFT || options->ignore_environment)
			result_notice(result, "%s: %s in the baseline, %s now", d->words, d->base,
				      d->head);
	}
}

/* Where nothing at all is there to compare with, the rows say so. */
static void note_missing(struct result *result)
{
	for (size_t i = 0; i < result->baseline->missing.count && result->baseline->runs.count; i++)
		result_notice(result, "no baseline: %s does not exist",
			      result->baseline->missing.items[i]);
}

int judge_baselines(struct result *result, const struct budget *budget,
		    const struct judge_options *options)
{
	struct judge_cells cells;
	double *head = calloc(result->run_count, sizeof(*head));
	double *base = calloc(result->baseline->runs.count + 1, sizeof(*base));
	int failed = judge_cells_fill(&cells, budget, result->runs, result->run_count,
				      BUDGET_BASELINE, BUDGET_ABSOLUTE);

	for (size_t i = 0; head && base && !failed && i < cells.list.count; i++)
		judge_cell(result, &cells.list.items[i], options, head, base);
	note_missing(result);
	note_environment(result, options);
	note_few_runs(result);
	failed |= !head || !base;
	judge_cells_release(&cells);
	free(head);
	free(base);
	return failed ? -1 : 0;
}
