/* The result as text: see the header. */
#include "profiler/gate/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/explain.h"
#include "profiler/gate/quantity.h"
#include "profiler/view/escape.h"
#include "profiler/view/format.h"

enum { COLUMNS = 100, VERDICT_COLUMN = 2, KEY_COLUMN = 15, KEY_MOST = 48, CAUSES = 2 };

#define BLANKS "               " /* KEY_COLUMN of them */

/* One line, foreign text in it made harmless. */
static void __attribute__((format(printf, 2, 3))) put(FILE *out, const char *format, ...)
{
	va_list arguments;
	char *line = NULL;

	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	escape_text(out, line ? line : "out of memory");
	fputc('\n', out);
	free(line);
}

/* How many bytes of `text` fill a line of `room` columns: up to the end of a clause, so that no number is parted from its unit; else up
 * to a blank; a whole word at least. */
static size_t line_length(const char *text, int room)
{
	size_t clause = 0, word = 0, at = 0;
	int columns = 0;

	for (; text[at]; at++) {
		if (columns >= room && word && text[at] != ' ')
			return clause ? clause : word;
		if (text[at] == ' ' && columns <= room && at) {
			word = at;
			clause = strchr(",;:", text[at - 1]) ? at : clause;
		}
		columns += ((unsigned char)text[at] & 0xC0) != 0x80;
	}
	return at;
}

/* Words after `lead`, in lines of at most COLUMNS, the later ones indented by its width. */
static void put_wrapped(FILE *out, const char *lead, const char *text)
{
	int indent = (int)strlen(lead);

	do {
		size_t length = line_length(text, COLUMNS - indent);

		put(out, "%s%.*s", lead, (int)length, text);
		text += length + strspn(text + length, " ");
		lead = &BLANKS[sizeof(BLANKS) - 1 - (size_t)indent];
	} while (*text);
}

/* ---- the first line ------------------------------------------------------------------------------------------- */

static size_t count_processes(const struct run *run)
{
	size_t processes = 0;

	for (size_t i = 0; i < run->model_count; i++)
		processes += run->models[i]->process_count;
	return processes;
}

static void print_base(FILE *out, const struct baseline *b)
{
	const struct baseline_run *newest;

	if (!b->runs.count)
		return;
	newest = &b->runs.items[b->runs.count - 1];
	fprintf(out, "baseline %s%s%zu run%s; ", newest->name, newest->name[0] ? ", " : "",
		b->runs.count, b->runs.count == 1 ? "" : "s");
}

char *text_scope(const struct result *result)
{
	const struct run *first = &result->runs[0];
	size_t processes = count_processes(first);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	print_base(out, result->baseline);
	if (result->run_count == 1 && first->model_count > 1)
		fprintf(out, "head 1 job of %zu ranks; ", first->model_count);
	else
		fprintf(out, "head %zu run%s; ", result->run_count,
			result->run_count == 1 ? "" : "s");
	fprintf(out, "%zu process%s", processes, processes == 1 ? "" : "es");
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Rules that led to an answer. */
static size_t count_judged(const struct result *result)
{
	return result->rows.count - result->counts[VERDICT_NO_BASELINE] -
	       result->counts[VERDICT_INCOMPARABLE] - result->counts[VERDICT_SKIPPED] -
	       result->counts[VERDICT_UNMEASURED];
}

static void put_verdict(FILE *out, const struct result *result)
{
	char peak[FORMAT_MAX], idle[FORMAT_MAX], word[32], *scope = text_scope(result);
	const struct model_totals *t = &result->runs[0].totals;
	size_t i = 0;

	for (const char *w = result_word(result); w[i] && i + 1 < sizeof(word); i++)
		word[i] = (char)toupper((unsigned char)w[i]);
	word[i] = '\0';
	if (result->failing)
		put(out, "loopmem check: %s  %zu of %zu rules  (%s)", word, result->failing,
		    result->rows.count, scope ? scope : "");
	else if (result->exit_code || result->run_count > 1)
		put(out, "loopmem check: %s  %zu of %zu rules judged  (%s)", word,
		    count_judged(result), result->rows.count, scope ? scope : "");
	else
		put(out, "loopmem check: %s  %zu of %zu rules judged: peak %s, held idle %s  (%s)",
		    word, count_judged(result), result->rows.count,
		    format_bytes(peak, t->peak_bytes), format_bytes(idle, t->idle_max_bytes),
		    scope ? scope : "");
	free(scope);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static int is_near(const struct row *row)
{
	return row->verdict == VERDICT_WITHIN && row->limit > 0 && row->value >= 0.9 * row->limit;
}

static int is_quiet(const struct row *row)
{
	return (row->verdict == VERDICT_WITHIN && !is_near(row)) ||
	       row->verdict == VERDICT_UNCHANGED;
}

static int is_shown(const struct row *row, const struct text_options *options)
{
	return options->verbose || options->explain || !is_quiet(row);
}

static int key_width(const struct result *result, const struct text_options *options)
{
	int width = 0;

	for (size_t i = 0; i < result->rows.count; i++) {
		int length = (int)strlen(result->rows.items[i].key);

		if (is_shown(&result->rows.items[i], options) && length > width)
			width = length;
	}
	return width < KEY_MOST ? width : KEY_MOST;
}

static void put_row(FILE *out, const struct row *row, int width, const struct text_options *options)
{
	char *figures = explain_figures(row), *place = explain_place(row->rule),
	     *why = explain_why(row);
	int warns = verdict_effect(row->verdict) == EFFECT_FAILS &&
		    row->rule->action == BUDGET_WARN;

	put(out, "%*s%-*s%-*s  %s%s%s%s", VERDICT_COLUMN, "", KEY_COLUMN - VERDICT_COLUMN,
	    verdict_word(row->verdict), width, row->key, figures ? figures : "",
	    warns ? " (only warns)" : "", explain_wants_why(row) ? "    " : "",
	    explain_wants_why(row) && place ? place : "");
	if (explain_wants_why(row) && why && why[0])
		put_wrapped(out, BLANKS, why);
	if (options->explain)
		put(out, "%*sdecided by %s: %s", KEY_COLUMN, "", place ? place : "",
		    row->rule->source);
	free(figures);
	free(place);
	free(why);
}

/* The rows from one on up to another. */
static void put_rows(FILE *out, const struct result *result, size_t from, size_t to,
		     const struct text_options *options)
{
	int width = key_width(result, options);
	size_t quiet = 0, alike;

	for (size_t i = from; i < to; i += alike) {
		const struct row *row = &result->rows.items[i];

		alike = options->verbose || options->explain ? 1 : result_alike(result, i);
		if (!is_shown(row, options))
			quiet++;
		else if (alike > 1)
			put(out, "%*s%-*s%zu keys: %s", VERDICT_COLUMN, "",
			    KEY_COLUMN - VERDICT_COLUMN, verdict_word(row->verdict), alike,
			    row->reason);
		else
			put_row(out, row, width, options);
	}
	if (quiet && quiet < result->rows.count)
		put(out, "%*s%zu within or unchanged  (--verbose lists them)", VERDICT_COLUMN, "",
		    quiet);
}

/* ---- cause, remedy, notices ------------------------------------------------------------------------------------- */

static void put_cause(FILE *out, const struct model_finding *f, const struct model *m)
{
	char *brief = explain_finding(f), *fix = explain_fix(f, m), *effect = explain_effect(f, m),
	     *cause;

	if (asprintf(&cause, "%s: %s%s%s", f->id, f->title, brief && brief[0] ? ": " : "",
		     brief ? brief : "") < 0)
		cause = NULL;
	put_wrapped(out, "  Cause  ", cause ? cause : f->id);
	if (fix && fix[0])
		put(out, "  Fix    %s%s%s", fix, effect && effect[0] ? "      " : "",
		    effect ? effect : "");
	free(cause);
	free(brief);
	free(fix);
	free(effect);
}

/* Each finding that explains a failing row, once; then where the whole story is. */
static void put_causes(FILE *out, const struct result *result)
{
	const struct model_finding *told[CAUSES];
	const struct model *m, *failing = NULL;
	size_t count = 0;

	for (size_t i = 0; i < result->failing && count < CAUSES; i++) {
		const struct row *row = &result->rows.items[i];
		const struct model_finding *cause = explain_cause(row, &m);
		int known = !cause;

		failing = failing ? failing : m;
		for (size_t k = 0; k < count && !known; k++)
			known = !strcmp(told[k]->id, cause->id);
		if (known)
			continue;
		put_cause(out, cause, m);
		told[count++] = cause;
	}
	if (failing)
		put(out, "  See    loopmem report %s", failing->file);
}

static void put_notices(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->new_findings.count; i++)
		put(out, "  new finding since the baseline: %s", result->new_findings.items[i]);
	for (size_t i = 0; i < result->notices.count; i++)
		put_wrapped(out, "  note: ", result->notices.items[i]);
}

/* What fails, why, and what to do stand together; the rest follows. */
void text_result(FILE *out, const struct result *result, const struct text_options *options)
{
	put_verdict(out, result);
	put_rows(out, result, 0, result->failing, options);
	put_causes(out, result);
	put_rows(out, result, result->failing, result->rows.count, options);
	put_notices(out, result);
}

/* ---- budgets and keys ----------------------------------------------------------------------------------------------- */

static void put_mark(FILE *out, const struct budget_complaint *c)
{
	put(out, "  %s", c->source);
	fprintf(out, "  %*s^", (int)c->column - 1, "");
	for (unsigned i = 1; i < c->width; i++)
		fputc('~', out);
	fputc('\n', out);
}

void text_complaints(FILE *out, const struct budget *budget)
{
	size_t kept = budget->complaint_count < BUDGET_COMPLAINTS ? budget->complaint_count
								  : BUDGET_COMPLAINTS;

	for (size_t i = 0; i < kept; i++) {
		const struct budget_complaint *c = &budget->complaints[i];

		put(out, "loopmem: %s:%u:%u: %s", c->file, c->line, c->column, c->text);
		if (c->source && c->source[0])
			put_mark(out, c);
	}
	if (kept < budget->complaint_count)
		put(out, "loopmem: %zu more mistakes", budget->complaint_count - kept);
}

void text_keys(FILE *out)
{
	for (size_t i = 0; i < model_metric_count; i++) {
		const struct model_metric *metric = &model_metrics[i];
		int one = metric->scope == MODEL_SCOPE_TOTAL ||
			  metric->scope == MODEL_SCOPE_OVERHEAD ||
			  metric->scope == MODEL_SCOPE_LOSS;
		char key[80];

		snprintf(key, sizeof(key), "%s%s.%s", model_scope_word(metric->scope),
			 one ? "" : "(*)", metric->name);
		put(out, "%-42s %-9s %s", key, quantity_example(metric->unit), metric->help);
	}
}
