/* The verdict for the step summary: failures first, then what moved; the rest is folded. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/explain.h"
#include "profiler/gate/output.h"
#include "profiler/gate/text.h"
#include "profiler/view/escape.h"

enum { MOVED = 10, FOLDED = 200 };

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
	print_notices(out, result);
	print_folded(out, result);
}
