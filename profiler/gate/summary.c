/* The step summary: what a person sees of a check. Failures first, then what moved; the rest is folded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/explain.h"
#include "profiler/gate/output.h"
#include "profiler/gate/text.h"
#include "profiler/view/escape.h"

enum { MOVED = 10, FOLDED = 200, CAUSES = 2 };

static int moved(const struct row *row)
{
	return row->verdict != VERDICT_WITHIN && row->verdict != VERDICT_UNCHANGED &&
	       row->verdict != VERDICT_SKIPPED;
}

static void cell(FILE *out, const char *text)
{
	escape_markdown(out, text ? text : "");
	fputs(" | ", out);
}

static void print_row(FILE *out, const struct row *row)
{
	char *figures = explain_figures(row), *why = explain_why(row),
	     *place = explain_place(row->rule);

	fputs("| ", out);
	fprintf(out, row_fails(row) ? "**%s** | " : "%s | ", verdict_word(row->verdict));
	escape_markdown_code(out, row->key);
	fputs(" | ", out);
	cell(out, figures);
	cell(out, moved(row) ? why : "");
	escape_markdown_code(out, place ? place : "");
	fputs(" |\n", out);
	free(figures);
	free(why);
	free(place);
}

static void print_head(FILE *out)
{
	fputs("\n| | figure | | what held it | rule |\n|---|---|---|---|---|\n", out);
}

static void print_moved(FILE *out, const struct result *result)
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < result->rows.count; i++) {
		const struct row *row = &result->rows.items[i];

		if (!moved(row))
			continue;
		if (shown >= MOVED && !row_fails(row)) {
			more++;
			continue;
		}
		if (shown++ >= FOLDED) {
			more++;
			continue;
		}
		if (shown == 1)
			print_head(out);
		print_row(out, row);
	}
	if (more)
		fprintf(out,
			"\n%zu more rows are not shown: `loopmem check --verbose` lists them.\n",
			more);
}

static void print_folded(FILE *out, const struct result *result)
{
	size_t count = 0, shown = 0;

	for (size_t i = 0; i < result->rows.count; i++)
		count += !moved(&result->rows.items[i]);
	if (!count)
		return;
	fprintf(out, "\n<details><summary>%zu within, unchanged or skipped</summary>\n", count);
	print_head(out);
	for (size_t i = 0; i < result->rows.count && shown < FOLDED; i++) {
		if (moved(&result->rows.items[i]))
			continue;
		print_row(out, &result->rows.items[i]);
		shown++;
	}
	if (shown < count)
		fprintf(out, "\n%zu more\n", count - shown);
	fputs("\n</details>\n", out);
}

static void print_cause(FILE *out, const struct model_finding *f, const struct model *m)
{
	char *brief = explain_finding(f), *fix = explain_fix(f, m), *effect = explain_effect(f, m);

	fputs("\n**", out);
	escape_markdown(out, f->id);
	fputs(".** ", out);
	escape_markdown(out, f->title);
	if (brief && brief[0]) {
		fputs(": ", out);
		escape_markdown(out, brief);
	}
	fputs(". ", out);
	escape_markdown(out, f->text);
	if (fix && fix[0]) {
		fputs("\n\n", out);
		if (f->release_helps)
			escape_markdown_code(out, fix);
		else
			escape_markdown(out, fix);
		if (effect && effect[0]) {
			fputs(" (", out);
			escape_markdown(out, effect);
			fputc(')', out);
		}
	}
	fputc('\n', out);
	free(brief);
	free(fix);
	free(effect);
}

static void print_causes(FILE *out, const struct result *result)
{
	const struct model_finding *told[CAUSES];
	size_t count = 0;

	for (size_t i = 0; i < result->failing && count < CAUSES; i++) {
		const struct model *m;
		const struct model_finding *cause = explain_cause(&result->rows.items[i], &m);
		int known = !cause;

		for (size_t k = 0; k < count && !known; k++)
			known = !strcmp(told[k]->id, cause->id);
		if (known)
			continue;
		print_cause(out, cause, m);
		told[count++] = cause;
	}
}

static void print_notices(FILE *out, const struct result *result)
{
	for (size_t i = 0; i < result->new_findings.count; i++) {
		fputs("\nNew since the baseline: **", out);
		escape_markdown(out, result->new_findings.items[i]);
		fputs("**\n", out);
	}
	for (size_t i = 0; i < result->notices.count; i++) {
		fputs("\nNote: ", out);
		escape_markdown(out, result->notices.items[i]);
		fputc('\n', out);
	}
}

static void print_reproduce(FILE *out, const struct result *result)
{
	const struct model *m = result->runs[0].models[0];

	fputs("\nLook closer: ", out);
	fputs("`loopmem report` of ", out);
	escape_markdown_code(out, m->file);
	fprintf(out, "; loopmem took %.1f CPU seconds, dropped %lld events\n",
		m->collector_cpu_seconds, (long long)m->dropped);
}

void github_summary(FILE *out, const struct result *result, int brief)
{
	char *scope = text_scope(result);

	fprintf(out, "### loopmem check: %s", result_word(result));
	if (result->failing)
		fprintf(out, ", %zu of %zu rules", result->failing, result->rows.count);
	fputs("\n\n", out);
	escape_markdown(out, scope);
	fputc('\n', out);
	free(scope);
	if (brief) {
		fputs("\nThe table is left out: the summary of this step is nearly as large as the platform shows.\n",
		      out);
		return;
	}
	print_moved(out, result);
	print_causes(out, result);
	print_notices(out, result);
	print_folded(out, result);
	print_reproduce(out, result);
}
