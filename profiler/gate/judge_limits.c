/* Limits: the median over the runs against a size, or against a share of the memory limit. */
#include <math.h>
#include <stdlib.h>

#include "profiler/gate/judge_parts.h"

/* Why a figure is missing. */
static const char *reason_of(struct result *result, const struct subject *s,
			     const struct model_metric *metric)
{
	const char *why = "the session does not tell";

	if (metric->needs == MODEL_NEEDS_POOLS && s->lacks_pools)
		why = "its pools are guesses (attach)";
	else if (metric->needs == MODEL_NEEDS_HEAP && s->lacks_heap)
		why = "the shim was not in every process of it";
	return strings_format(&result->strings, "cannot check: %s", why);
}

/* The n-th run that has the figure. */
static size_t nth_run(const struct cell *cell, size_t n)
{
	size_t r = 0;

	for (;; r++)
		if (cell->seen[r].worst && n-- == 0)
			return r;
}

void judge_median(struct result *result, const struct cell *cell, struct row *row, double *values)
{
	const struct subject *unmeasured = NULL;
	size_t middle;

	for (size_t r = 0; r < result->run_count; r++) {
		if (cell->seen[r].unmeasured)
			unmeasured = cell->seen[r].unmeasured;
		if (cell->seen[r].worst)
			values[row->head_runs++] = cell->seen[r].value;
	}
	if (row->head_runs) {
		row->value = median(values, row->head_runs, &middle);
		middle = nth_run(cell, middle);
		row->run = &result->runs[middle];
		row->subject = cell->seen[middle].worst;
	}
	if (unmeasured) {
		row->verdict = VERDICT_UNMEASURED;
		row->subject = row->subject ? row->subject : unmeasured;
		row->reason = reason_of(result, unmeasured, cell->rule->metric);
	}
}

static void judge_limit(struct result *result, const struct cell *cell, double *values)
{
	const struct budget_rule *rule = cell->rule;
	struct row *row = result_row(result, rule, VERDICT_WITHIN,
				     strings_format(&result->strings, "%s.%s", cell->name,
						    rule->metric->name));

	if (!row)
		return;
	judge_median(result, cell, row, values);
	row->limit = rule->value;
	if (rule->bound == BUDGET_OF_LIMIT)
		row->limit = row->subject ? rule->value / 100 * row->subject->limit_bytes : NAN;
	if (row->value > row->limit)
		row->verdict = VERDICT_OVER; /* whatever else is unknown */
	else if (isnan(row->limit) && row->verdict == VERDICT_WITHIN) {
		row->verdict = VERDICT_SKIPPED;
		row->reason = "no memory limit is set";
	}
}

int judge_limits(struct result *result, const struct budget *budget, enum budget_bound bound)
{
	struct judge_cells cells;
	double *values = calloc(result->run_count, sizeof(*values));
	int failed = judge_cells_fill(&cells, budget, result->runs, result->run_count, BUDGET_LIMIT,
				      bound);

	for (size_t i = 0; values && !failed && i < cells.list.count; i++)
		judge_limit(result, &cells.list.items[i], values);
	judge_cells_release(&cells);
	free(values);
	return failed || !values ? -1 : 0;
}
