/* The findings as cards: the sentence with its figure, the evidence, what to do. */
#include <string.h>

#include "profiler/view/html.h"
#include "profiler/view/site_words.h"
#include "profiler/view/words.h"

static void evidence_value(const struct html *h, const struct model_evidence *e)
{
	char text[FORMAT_MAX];

	switch (e->kind) {
	case MODEL_BYTES:
		fputs(format_bytes(text, (int64_t)e->value), h->out);
		break;
	case MODEL_SECONDS:
		fputs(format_duration(text, (int64_t)(e->value * 1e9)), h->out);
		break;
	case MODEL_COUNT:
		fputs(format_count(text, (int64_t)e->value), h->out);
		break;
	case MODEL_PID:
		fprintf(h->out, "%.0f", e->value);
		break;
	case MODEL_RATIO:
		fputs(format_percent_fine(text, e->value), h->out);
		break;
	case MODEL_TEXT:
		html_text(h, e->text);
		break;
	}
}

static void evidence(const struct html *h, const struct model_finding *f)
{
	fputs("<table class=\"evidence\"><tbody>\n", h->out);
	for (size_t i = 0; i < f->evidence_count; i++) {
		fputs("<tr><th scope=\"row\">", h->out);
		html_text(h, f->evidence[i].label);
		fputs("</th><td class=\"n\">", h->out);
		evidence_value(h, &f->evidence[i]);
		fputs("</td></tr>\n", h->out);
	}
	fputs("</tbody></table>\n", h->out);
}

static void remedy(const struct html *h, const struct model_finding *f)
{
	char text[WORDS_MAX];

	if (f->advice[0]) {
		fputs("<p class=\"advice\">", h->out);
		html_text(h, words_advice(text, sizeof(text), h->m, f));
		fputs("</p>\n", h->out);
	}
	if (!f->release_helps)
		return;
	fputs("<pre class=\"copy\"><code>", h->out);
	html_text(h, words_release(text, sizeof(text), h->m, 0));
	fputs("</code></pre>\n", h->out);
	if (words_release_peak(text, sizeof(text), h->m)[0])
		fprintf(h->out, "<p>%s</p>\n", text);
}

static void card(const struct html *h, const struct model_finding *f)
{
	char amount[WORDS_MAX], place[2 * WORDS_MAX];
	const char *severity = model_severity_name(f->severity);

	fprintf(h->out, "<article class=\"card %s\" id=\"%s\">\n<h3><b class=\"severity\">%s</b> ",
		severity, f->id, severity);
	fputs(words_amount(amount, sizeof(amount), f), h->out);
	html_text(h, f->title);
	fprintf(h->out, ".</h3>\n<p><a class=\"id\" href=\"#%s\">%s</a>", f->id, f->id);
	if (f->moment_count)
		fprintf(h->out,
			" <button type=\"button\" class=\"script show\" data-t=\"%.3f\">Show in the timeline</button>",
			html_seconds(f->moments[0]));
	fputs("</p>\n<div class=\"both\"><div>", h->out);
	if (f->text[0]) {
		fputs("<p>", h->out);
		html_text(h, f->text);
		fputs("</p>\n", h->out);
	}
	if (site_of_finding(place, sizeof(place), h->m, f, 1)[0]) {
		fputs("<p>", h->out);
		html_text(h, place);
		fputs("</p>\n", h->out);
	}
	remedy(h, f);
	fputs("</div>\n", h->out);
	evidence(h, f);
	fputs("</div></article>\n", h->out);
}

int html_findings(const struct html *h)
{
	if (!h->m->finding_count)
		fputs("<p>No errors, no warnings, no notices.</p>\n", h->out);
	for (size_t i = 0; i < h->m->finding_count; i++)
		card(h, &h->m->findings[i]);
	return 0;
}
