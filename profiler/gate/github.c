/* GitHub Actions: annotations, outputs, the step summary. What the platform cuts without a word is cut here, and said. */
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/explain.h"
#include "profiler/gate/output.h"
#include "profiler/gate/text.h"
#include "profiler/view/escape.h"

enum { PER_KIND = 9, MESSAGE_BYTES = 1000 };

/* ---- annotations ----------------------------------------------------------------------------------------------- */

/* Annotations of one kind of a step: those after the tenth vanish. */
struct annotations {
	FILE *out;
	const char *kind; /* "error" */
	size_t count;
};

struct place {
	char *file; /* "" or NULL = none */
	unsigned line;
};

static void print_annotation(struct annotations *a, const struct place *place, const char *title,
			     char *message)
{
	if (a->count++ >= PER_KIND)
		return;
	message[escape_cut(message, MESSAGE_BYTES)] = '\0';
	fprintf(a->out, "::%s ", a->kind);
	if (place->file) {
		fputs("file=", a->out);
		escape_workflow_property(a->out, place->file);
		fprintf(a->out, ",line=%u,", place->line);
	}
	fputs("title=", a->out);
	escape_workflow_property(a->out, title);
	fputs("::", a->out);
	escape_workflow_message(a->out, message);
	fputc('\n', a->out);
}

static void print_rest(const struct annotations *a)
{
	if (a->count > PER_KIND)
		fprintf(a->out,
			"::%s title=loopmem%%3A and %zu more::see the summary of this step\n",
			a->kind, a->count - PER_KIND);
}

/* Annotations belong to files of the repository: a path that leads out of it has no place. */
static int is_inside(const char *file)
{
	return file[0] != '/' && !strstr(file, "..");
}

/* A finding points at the line where its pool was made, a rule at its own. */
static struct place place_of(const struct row *row)
{
	struct place place = {NULL, 0};

	if (row->rule->kind == BUDGET_FINDING)
		place.file = explain_source(row->subject, &place.line);
	if (!place.file && row->rule->from_file && is_inside(row->rule->file))
		place = (struct place){strdup(row->rule->file), row->rule->line};
	return place;
}

static void annotate_row(struct annotations *a, const struct row *row)
{
	struct place place = place_of(row);
	const struct model *m;
	const struct model_finding *cause = explain_wants_why(row) ? explain_cause(row, &m) : NULL;
	char *figures = explain_figures(row),
	     *why = explain_wants_why(row) ? explain_why(row) : NULL;
	char *fix = cause ? explain_fix(cause, m) : NULL, *title = NULL, *message = NULL;

	if (asprintf(&title, "loopmem: %s %s", row->key, verdict_word(row->verdict)) < 0)
		title = NULL;
	if (asprintf(&message, "%s%s%s%s%s", figures ? figures : "", why && why[0] ? "\n" : "",
		     why ? why : "", fix && fix[0] ? "\n" : "", fix ? fix : "") < 0)
		message = NULL;
	if (title && message)
		print_annotation(a, &place, title, message);
	free(place.file);
	free(figures);
	free(why);
	free(fix);
	free(title);
	free(message);
}

static const char *kind_of(const struct row *row)
{
	if (row_fails(row) || row->verdict == VERDICT_UNMEASURED)
		return "error";
	if (verdict_effect(row->verdict) == EFFECT_FAILS)
		return "warning";
	if (row->verdict == VERDICT_ALLOWED || row->verdict == VERDICT_INCONCLUSIVE ||
	    verdict_effect(row->verdict) == EFFECT_ABSENT)
		return "notice";
	return NULL;
}

static void annotate(FILE *out, const struct result *result, const char *kind)
{
	static const struct place nowhere;
	struct annotations a = {.out = out, .kind = kind};

	for (size_t i = 0; i < result->rows.count; i += result_alike(result, i)) {
		const char *own = kind_of(&result->rows.items[i]);

		if (own && !strcmp(own, kind))
			annotate_row(&a, &result->rows.items[i]);
	}
	for (size_t i = 0; i < result->notices.count && !strcmp(kind, "notice"); i++) {
		char *message = strdup(result->notices.items[i]);

		if (message)
			print_annotation(&a, &nowhere, "loopmem", message);
		free(message);
	}
	print_rest(&a);
}

void github_annotations(FILE *out, const struct result *result)
{
	annotate(out, result, "error");
	annotate(out, result, "warning");
	annotate(out, result, "notice");
}

void github_error(FILE *out, const struct error *e)
{
	static const struct place nowhere;
	struct annotations a = {.out = out, .kind = "error"};
	char message[sizeof(e->text)];

	snprintf(message, sizeof(message), "%s", e->text);
	print_annotation(&a, &nowhere, "loopmem: cannot check", message);
}

/* ---- outputs ------------------------------------------------------------------------------------------------------ */

void github_outputs(FILE *out, const struct result *result)
{
	const struct baseline *b = result->baseline;
	const struct model_totals *t = &result->runs[0].totals;
	const char *commit = b->runs.count ? b->runs.items[b->runs.count - 1].commit : "";

	fprintf(out, "verdict=%s\nexit_code=%d\n", result_word(result), result->exit_code);
	fprintf(out, "peak_pss_bytes=%lld\nidle_retained_bytes_max=%lld\n",
		(long long)t->peak_bytes, (long long)t->idle_max_bytes);
	fprintf(out, "over=%zu\nregressed=%zu\n", result->counts[VERDICT_OVER],
		result->counts[VERDICT_REGRESSED]);
	fputs("commit_baseline=", out);
	escape_text(out, commit); /* one line: it cannot make another output */
	fputc('\n', out);
}
