/* The limits and what they were held against as OpenMetrics, so that a monitoring system can draw both. */
#include <math.h>

#include "profiler/gate/output.h"
#include "profiler/view/openmetrics.h"

static double limit_of(const struct row *row)
{
	return row->limit;
}

static double value_of(const struct row *row)
{
	return row->value;
}

static double is_over(const struct row *row)
{
	return row->verdict == VERDICT_OVER;
}

static const struct family {
	const char *name, *unit, *help; /* unit "" = none, and of any unit */
	double (*value)(const struct row *row);
} families[] = {
	{"loopmem_budget_limit_bytes", "bytes", "Limit of a budget.", limit_of},
	{"loopmem_budget_value_bytes", "bytes", "What the limit was held against.", value_of},
	{"loopmem_budget_over", "", "1 = over its limit.", is_over},
};

/* Limits that were held against a figure; of bytes where the family is. */
static int belongs(const struct family *family, const struct row *row)
{
	return row->rule->kind == BUDGET_LIMIT && !isnan(row->limit) && !isnan(row->value) &&
	       (!*family->unit || row->rule->metric->unit == MODEL_UNIT_BYTES);
}

static void print_family(FILE *out, const struct family *family, const struct result *result)
{
	fprintf(out, "# TYPE %s gauge\n", family->name);
	if (*family->unit)
		fprintf(out, "# UNIT %s %s\n", family->name, family->unit);
	fprintf(out, "# HELP %s %s\n", family->name, family->help);
	for (size_t i = 0; i < result->rows.count; i++) {
		const struct row *row = &result->rows.items[i];

		if (!belongs(family, row))
			continue;
		fprintf(out, "%s{key=\"", family->name);
		openmetrics_escape(out, row->key);
		/* a share of the limit is a rule of its own beside a size */
		fputs(row->rule->bound == BUDGET_OF_LIMIT ? " of limit" : "", out);
		fprintf(out, "\"} %.0f\n", family->value(row));
	}
}

int openmetrics_result(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		print_family(out, &families[i], result);
	fputs("# EOF\n", out);
	return 0;
}
