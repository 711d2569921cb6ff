/* The findings: one sentence with a figure and a moment, the parts of it, the remedy. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/page.h"
#include "profiler/view/site_words.h"
#include "profiler/view/words.h"

enum { SHOWN = 5, INDENT = 24, NARROW = 70, NARROW_INDENT = 6 };

/* Where the sentences begin: beside the id, or under it where that leaves no room. */
static int indent_of(const struct page *p)
{
	return p->options.width < NARROW ? NARROW_INDENT : INDENT;
}

static const char severity_letters[] = {
	[MODEL_NOTICE] = 'N', [MODEL_WARNING] = 'W', [MODEL_ERROR] = 'E'};

static void paragraph(const struct page *p, const char *text)
{
	fprintf(p->out, "%*s", indent_of(p), "");
	page_wrap(p, text, indent_of(p), indent_of(p));
}

/* "train during validation 10.2, validate during training 6.2, sanity 3.1." */
static void list_parts(const struct page *p, const struct model_finding *f)
{
	char text[2 * WORDS_MAX] = "", cell[FORMAT_MAX];
	size_t at = 0;

	for (size_t i = 0; i < f->evidence_count; i++) {
		const struct model_evidence *e = &f->evidence[i];

		if (!e->listed || e->kind != MODEL_BYTES || at + 1 >= sizeof(text))
			continue;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s%c%s", at ? ", " : "",
				       e->label, PAGE_HOLD, page_cell(p, cell, (int64_t)e->value));
	}
	if (!at)
		return;
	strncat(text, ".", sizeof(text) - strlen(text) - 1);
	paragraph(p, text);
}

static int has_parts(const struct model_finding *f)
{
	for (size_t i = 0; i < f->evidence_count; i++)
		if (f->evidence[i].listed)
			return 1;
	return 0;
}

/* The sentence with its figure and its moment. */
static void headline(const struct page *p, const struct model_finding *f)
{
	char text[2 * WORDS_MAX], amount[WORDS_MAX];

	snprintf(text, sizeof(text), "%s%s%s", words_amount(amount, sizeof(amount), f), f->title,
		 has_parts(f) ? ":" : ".");
	if (indent_of(p) == INDENT && strlen(f->id) < INDENT - 4) {
		fprintf(p->out, "  %c %-*s", severity_letters[f->severity], INDENT - 4, f->id);
		page_wrap(p, text, INDENT, INDENT);
	} else {
		fprintf(p->out, "  %c %s\n", severity_letters[f->severity], f->id);
		paragraph(p, text);
	}
}

/* A line that begins with ">". */
static void to_do(const struct page *p, const char *text)
{
	fprintf(p->out, "%*s> ", indent_of(p), "");
	page_wrap(p, text, indent_of(p) + 2, indent_of(p) + 2);
}

static void command(const struct page *p)
{
	char safe[WORDS_MAX], text[WORDS_MAX];

	words_release(text, sizeof(text), p->m, p->options.width - indent_of(p) - 2);
	words_safe(safe, sizeof(safe), text, p->options.utf8);
	to_do(p, page_hold(safe)); /* it is copied: it stays on one line */
	if (words_release_peak(text, sizeof(text), p->m)[0])
		paragraph(p, text);
}

/* The command; what to change where there is none, or where it is a switch of the framework that does it without us. */
static void remedy(const struct page *p, const struct model_finding *f)
{
	char safe[WORDS_MAX], text[WORDS_MAX + 4];

	if (f->release_helps)
		command(p);
	if (!f->advice[0] || (f->release_helps && !f->framework[0]))
		return;
	words_safe(safe, sizeof(safe), words_advice(text, sizeof(text), p->m, f), p->options.utf8);
	snprintf(text, sizeof(text), "%s%s", f->release_helps ? "or " : "", safe);
	to_do(p, text);
}

static void print_finding(const struct page *p, const struct model_finding *f)
{
	char safe[WORDS_MAX], place[2 * WORDS_MAX];

	headline(p, f);
	list_parts(p, f);
	if (f->text[0])
		paragraph(p, words_safe(safe, sizeof(safe), f->text, p->options.utf8));
	if (site_of_finding(place, sizeof(place), p->m, f, p->options.utf8)[0])
		paragraph(p, place);
	remedy(p, f);
}

void page_findings(const struct page *p)
{
	const struct model *m = p->m;
	size_t shown = m->finding_count <= SHOWN || p->options.full ? m->finding_count : SHOWN;

	if (!m->finding_count)
		return;
	fprintf(p->out, "\nFindings\n");
	for (size_t i = 0; i < shown; i++)
		print_finding(p, &m->findings[i]);
	if (shown < m->finding_count)
		fprintf(p->out, "  %zu more: --full shows them\n", m->finding_count - shown);
}
