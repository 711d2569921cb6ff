/* JUnit XML: see output.h. Attributes and elements are those that every reader knows; docs/ci.md lists them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profiler/gate/explain.h"
#include "profiler/gate/output.h"
#include "profiler/view/escape.h"

static void attribute(FILE *out, const char *name, const char *value)
{
	fprintf(out, " %s=\"", name);
	escape_xml_attribute(out, value);
	fputc('"', out);
}

static void seconds(FILE *out, double value)
{
	fprintf(out, " time=\"%.3f\"", value);
}

/* ---- which case is what ------------------------------------------------------------------------------------- */

enum outcome { PASSED, FAILED, BROKEN, SKIPPED };

static enum outcome outcome_of(const struct row *row)
{
	if (row_fails(row))
		return FAILED;
	switch (row->verdict) {
	case VERDICT_UNMEASURED:
		return row->rule->action == BUDGET_WARN ? SKIPPED : BROKEN;
	case VERDICT_ALLOWED:
	case VERDICT_NO_BASELINE:
	case VERDICT_INCOMPARABLE:
	case VERDICT_INCONCLUSIVE:
	case VERDICT_SKIPPED:
		return SKIPPED;
	default:
		return PASSED;
	}
}

static size_t count(const struct result *result, enum outcome outcome)
{
	size_t n = 0;

	for (size_t i = 0; i < result->rows.count; i++)
		n += outcome_of(&result->rows.items[i]) == outcome;
	return n;
}

static const char *group_of(const struct row *row)
{
	switch (row->rule->kind) {
	case BUDGET_FINDING:
		return "finding";
	case BUDGET_BASELINE:
		return "baseline";
	case BUDGET_LIMIT:
		break;
	}
	return model_scope_word(row->rule->metric->scope);
}

/* A share of the limit is a rule of its own beside a size. */
static void case_name(FILE *out, const struct row *row)
{
	fputs(" name=\"", out);
	escape_xml_attribute(out, row->key);
	if (row->rule->kind == BUDGET_LIMIT && row->rule->bound == BUDGET_OF_LIMIT)
		fputs(" of limit", out);
	fputc('"', out);
}

/* ---- cases ----------------------------------------------------------------------------------------------------- */

/* Who held it, the rule's place, the remedy: shown as the text of a failure. */
static void print_details(FILE *out, const struct row *row)
{
	const struct model *m;
	const struct model_finding *cause = explain_cause(row, &m);
	char *why = explain_why(row), *place = explain_place(row->rule);
	char *fix = cause ? explain_fix(cause, m) : NULL;

	if (why && why[0]) {
		escape_xml(out, why);
		fputc('\n', out);
	}
	fputs("rule: ", out);
	escape_xml(out, place ? place : "");
	fputs(": ", out);
	escape_xml(out, row->rule->source);
	if (cause) {
		fputs("\ncause: ", out);
		escape_xml(out, cause->id);
		fputs(": ", out);
		escape_xml(out, cause->title);
	}
	if (fix && fix[0]) {
		fputs("\nfix: ", out);
		escape_xml(out, fix);
	}
	free(why);
	free(place);
	free(fix);
}

static void print_failure(FILE *out, const struct row *row, const char *element)
{
	char *figures = explain_figures(row);

	fprintf(out, "<%s", element);
	attribute(out, "type", verdict_word(row->verdict));
	attribute(out, "message", figures ? figures : "");
	fputc('>', out);
	print_details(out, row);
	fprintf(out, "</%s>", element);
	free(figures);
}

static void print_skipped(FILE *out, const struct row *row)
{
	char *figures = explain_figures(row);

	fputs("<skipped", out);
	attribute(out, "message", verdict_word(row->verdict));
	fputc('>', out);
	escape_xml(out, verdict_word(row->verdict));
	if (figures && figures[0]) {
		fputs(": ", out);
		escape_xml(out, figures);
	}
	fputs("</skipped>", out);
	free(figures);
}

static void print_case(FILE *out, const struct row *row)
{
	enum outcome outcome = outcome_of(row);

	fprintf(out, "  <testcase classname=\"loopmem.%s\"", group_of(row));
	case_name(out, row);
	seconds(out, 0);
	if (outcome == PASSED) {
		fputs("/>\n", out);
		return;
	}
	fputc('>', out);
	if (outcome == SKIPPED)
		print_skipped(out, row);
	else
		print_failure(out, row, outcome == FAILED ? "failure" : "error");
	fputs("</testcase>\n", out);
}

/* ---- the suite --------------------------------------------------------------------------------------------------- */

static void print_counts(FILE *out, size_t tests, size_t failures, size_t errors)
{
	fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", tests, failures, errors);
}

static void open_suite(FILE *out, const struct result *result)
{
	const struct model *m = result->runs[0].models[0];
	size_t failures = count(result, FAILED), errors = count(result, BROKEN);
	double duration = (double)result->runs[0].totals.duration_ns / 1e9;
	time_t started = (time_t)(m->started_unix_ns / 1000000000);
	char timestamp[32] = "";
	struct tm utc;

	if (gmtime_r(&started, &utc))
		strftime(timestamp, sizeof(timestamp), "%Y-%m-%dT%H:%M:%S", &utc);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"loopmem\"", out);
	print_counts(out, result->rows.count, failures, errors);
	seconds(out, duration);
	fputs(">\n <testsuite name=\"loopmem check\"", out);
	print_counts(out, result->rows.count, failures, errors);
	fprintf(out, " skipped=\"%zu\"", count(result, SKIPPED));
	seconds(out, duration);
	attribute(out, "timestamp", timestamp);
	attribute(out, "hostname", m->host);
	fputs(" id=\"0\" package=\"loopmem\">\n", out);
}

static void property(FILE *out, const char *name, const char *value)
{
	fputs("   <property", out);
	attribute(out, "name", name);
	attribute(out, "value", value);
	fputs("/>\n", out);
}

/* The sessions, and every figure of the job: readers keep them beside the suite. */
static void print_properties(FILE *out, const struct result *result)
{
	fputs("  <properties>\n", out);
	for (size_t r = 0; r < result->run_count; r++)
		for (size_t i = 0; i < result->runs[r].model_count; i++)
			property(out, "session", result->runs[r].models[i]->file);
	for (size_t i = 0; i < model_metric_count; i++) {
		char name[64], value[64];
		double figure;

		if (model_metrics[i].scope != MODEL_SCOPE_TOTAL)
			continue;
		figure = model_metrics[i].value(&result->runs[0].totals);
		snprintf(name, sizeof(name), "total.%s", model_metrics[i].name);
		snprintf(value, sizeof(value),
			 model_metrics[i].unit == MODEL_UNIT_BYTES ? "%.0f" : "%.3f", figure);
		if (!isnan(figure))
			property(out, name, value);
	}
	fputs("  </properties>\n", out);
}

/* What warns does not fail: it is told here. */
static void print_warnings(FILE *out, const struct result *result)
{
	size_t warnings = 0;

	for (size_t i = 0; i < result->rows.count; i++) {
		const struct row *row = &result->rows.items[i];
		char *figures;

		if (verdict_effect(row->verdict) != EFFECT_FAILS || row_fails(row))
			continue;
		figures = explain_figures(row);
		fputs(warnings++ ? "\n" : "  <system-out>", out);
		fprintf(out, "warning: %s: ", verdict_word(row->verdict));
		escape_xml(out, row->key);
		fputs(": ", out);
		escape_xml(out, figures ? figures : "");
		free(figures);
	}
	fputs(warnings ? "</system-out>\n" : "  <system-out/>\n", out);
}

int junit_result(FILE *out, const struct result *result)
{
	open_suite(out, result);
	print_properties(out, result);
	for (size_t i = 0; i < result->rows.count; i++)
		print_case(out, &result->rows.items[i]);
	print_warnings(out, result);
	fputs("  <system-err/>\n </testsuite>\n</testsuites>\n", out);
	return 0;
}

void junit_error(FILE *out, const struct error *e)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"loopmem\"", out);
	print_counts(out, 1, 0, 1);
	fputs(" time=\"0.000\">\n <testsuite name=\"loopmem check\"", out);
	print_counts(out, 1, 0, 1);
	fputs(" skipped=\"0\" time=\"0.000\" id=\"0\" package=\"loopmem\">\n  <properties/>\n"
	      "  <testcase classname=\"loopmem.session\" name=\"session\" time=\"0.000\"><error type=\"unreadable\"",
	      out);
	attribute(out, "message", e->text);
	fputc('>', out);
	escape_xml(out, e->hint);
	fputs("</error></testcase>\n  <system-out/>\n  <system-err/>\n </testsuite>\n</testsuites>\n",
	      out);
}
