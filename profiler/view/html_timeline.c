/* The timeline: the switch, the picture (scripts put the live chart in its place), the panel of a moment, the legend, the same as a table. */
#include <stdlib.h>
#include <string.h>

#include "profiler/view/html.h"
#include "profiler/view/words.h"

enum { TABLE_ROWS = 60 };

/* What the picture shows, for who does not see it. */
static void sentence(const struct html *h)
{
	const struct model_totals *t = &h->m->totals;
	char peak[FORMAT_MAX], at[FORMAT_MAX], idle[FORMAT_MAX], when[FORMAT_MAX],
		without[FORMAT_MAX];

	fprintf(h->out, "<p id=\"said\" class=\"said\">Memory of all processes rises to %s at %s",
		format_bytes(peak, t->peak_bytes), format_moment(at, t->peak_at_ns));
	if (t->idle_max_bytes)
		fprintf(h->out,
			"; at most %s of it, at %s, is held idle by workers that handed out their last batch. "
			"Without that the peak is %s",
			format_bytes(idle, t->idle_max_bytes),
			format_moment(when, t->idle_max_at_ns),
			format_bytes(without, t->peak_without_idle_bytes));
	fputs(".</p>\n", h->out);
}

static void switch_of_idle(const struct html *h)
{
	char with[FORMAT_MAX], without[FORMAT_MAX];

	if (!h->m->totals.idle_max_bytes)
		return;
	fprintf(h->out,
		"<p class=\"toggle\"><input type=\"checkbox\" id=\"hide\" role=\"switch\"><label for=\"hide\">Hide held "
		"idle<small>peak %s → %s</small></label></p>\n",
		format_bytes(with, h->m->totals.peak_bytes),
		format_bytes(without, h->m->totals.peak_without_idle_bytes));
}

/* A box of the legend rules all columns of its stage and state. */
static void legend_item(const struct html *h, const struct html_column *c)
{
	const char *stage = c->kind == HTML_OWNER ? "s-owner" : model_stage_name(c->stage);
	const char *kind = html_kind_name(c->kind);

	fprintf(h->out,
		"<label><input type=\"checkbox\" class=\"script\" checked data-stage=\"%s\" "
		"data-kind=\"%s\"><i class=\"swatch %s %s\"></i>",
		stage, kind, stage, kind);
	if (c->kind == HTML_OWNER)
		fputs("owner and others</label>\n", h->out);
	else
		fprintf(h->out, "%s, %s</label>\n", model_stage_name(c->stage),
			c->kind == HTML_IDLE ? "held idle" : kind);
}

static void legend(const struct html *h)
{
	const struct html_series *s = &h->series;

	fputs("<fieldset class=\"legend\"><legend>Shown, from top to bottom</legend>\n", h->out);
	for (size_t i = 0; i < s->column_count; i++) {
		size_t earlier = 0;

		while (earlier < i && (s->columns[earlier].kind != s->columns[i].kind ||
				       s->columns[earlier].stage != s->columns[i].stage))
			earlier++;
		if (earlier == i)
			legend_item(h, &s->columns[i]);
	}
	fputs("</fieldset>\n", h->out);
}

static int as_table(const struct html *h)
{
	const struct model *m = h->m;
	struct model_round *rounds = calloc(TABLE_ROWS, sizeof(*rounds));
	char at[FORMAT_MAX], when[WORDS_MAX];

	if (!rounds)
		return -1;
	model_reduce(m, 0, m->last_ns + 1, TABLE_ROWS, rounds);
	fprintf(h->out,
		"<details class=\"table\"><summary>Show as table</summary><div class=\"wide\"><table>\n"
		"<caption>%s; the highest moment of each stretch</caption>\n<thead><tr>"
		"<th scope=\"col\">time</th><th scope=\"col\" class=\"n\">all</th><th scope=\"col\" class=\"n\">owner</th>"
		"<th scope=\"col\" class=\"n\">delivering</th><th scope=\"col\" class=\"n\">parked</th>"
		"<th scope=\"col\" class=\"n\">idle</th><th scope=\"col\">phase</th></tr></thead><tbody>\n",
		format_unit_name(h->unit));
	for (int i = 0; i < TABLE_ROWS; i++) {
		const struct model_round *r = &rounds[i];

		if (r->t_ns == MODEL_NONE || (i && r->t_ns == rounds[i - 1].t_ns))
			continue;
		fprintf(h->out, "<tr><th scope=\"row\">%s</th>", format_moment(at, r->t_ns));
		html_bytes_cell(h, "all", r->total_bytes);
		html_bytes_cell(h, "owner", r->owner_bytes);
		html_bytes_cell(h, "delivering", r->delivering_bytes);
		html_bytes_cell(h, "parked", r->parked_bytes);
		html_bytes_cell(h, "idle", r->idle_bytes);
		fputs("<td>", h->out);
		html_text(h, words_when(when, sizeof(when), m, r->t_ns));
		fputs("</td></tr>\n", h->out);
	}
	fputs("</tbody></table></div></details>\n", h->out);
	free(rounds);
	return 0;
}

int html_timeline(const struct html *h)
{
	if (h->series.rows.count < 2) {
		fputs("<p>Too few samples for a picture.</p>\n", h->out);
		return 0;
	}
	switch_of_idle(h);
	fputs("<div class=\"chart\"><div class=\"stage\">\n", h->out);
	html_picture(h);
	fputs("<div id=\"live\" class=\"script\" tabindex=\"0\" role=\"img\" aria-label=\"Memory over time\" "
	      "aria-describedby=\"said\" hidden></div>\n"
	      "<p id=\"flight-said\" class=\"script said\" hidden>Finished batches that wait in shared memory; behind them the share of each phase that the owner "
	      "waited for a batch</p>\n<div id=\"flight\" class=\"script\" aria-hidden=\"true\" hidden></div>\n</div>\n<aside id=\"panel\" class=\"panel script\" hidden></aside>\n"
	      "</div>\n<p class=\"script hint\" id=\"hint\" hidden>Move over the chart for a moment's figures, click to keep it. "
	      "Drag to zoom, double click for all. Keys: ← → moment, Shift ten, [ ] phase, p peak, i most held idle, "
	      "+ − = zoom, Enter keep.</p>\n"
	      "<p id=\"announce\" class=\"unseen\" aria-live=\"polite\"></p>\n",
	      h->out);
	legend(h);
	sentence(h);
	return as_table(h);
}
