/* Where in the code: the icicle with its search, and the sites as a table, which says all of it in words. */
#include <stdlib.h>

#include "profiler/view/html.h"
#include "profiler/view/site_words.h"

enum { TABLE_ROWS = 40, CALLERS_MOST = 12, TEXT = 256 };

static void controls(const struct html *h)
{
	fputs("<p class=\"script find\"><input type=\"search\" id=\"find\" placeholder=\"Search calls\" aria-label=\"Search calls\" "
	      "aria-describedby=\"found\"> <button type=\"button\" id=\"out\">Whole</button> "
	      "<label><input type=\"checkbox\" id=\"flame\">Callers below</label> <span id=\"found\" role=\"status\"></span></p>\n",
	      h->out);
}

static void hint(const struct html *h)
{
	fputs("<p class=\"said\" id=\"call\">Width is memory, below each call what it called; hatched calls are native code.</p>\n"
	      "<p class=\"script hint\">Click a call to see it alone, again to leave it. Keys: ↓ ↑ into and out of a call, ← → beside it, "
	      "Enter alone, Esc all, / search.</p>\n",
	      h->out);
}

/* The callers of a site's line, the next one first. */
static void callers(const struct html *h, const struct model_site_row *row)
{
	const struct model *m = h->m;
	int stack = m->sites[row->site].stack, told = 0;
	char text[TEXT];

	for (stack = stack < 0 ? -1 : m->stacks[stack].parent; stack >= 0 && told < CALLERS_MOST;
	     stack = m->stacks[stack].parent) {
		size_t first = m->stacks[stack].first_line;

		if (!m->stacks[stack].line_count || (int)first == row->line)
			continue;
		fputs(told++ ? "<br>" : "<details><summary>stack</summary>", h->out);
		html_text(h, site_words(text, sizeof(text), m, (int)first, 1));
	}
	fputs(told ? "</details>" : "", h->out);
}

static void table_row(const struct html *h, const struct model_site_row *row)
{
	char text[TEXT];

	fputs("<tr><th scope=\"row\">", h->out);
	html_text(h, site_row_words(text, sizeof(text), h->m, row, 1));
	callers(h, row);
	fputs("</th><td data-label=\"of\">", h->out);
	html_text(h, site_owner(text, sizeof(text), h->m, row, 1));
	fputs("</td>", h->out);
	html_bytes_cell(h, "live", row->live_bytes);
	html_bytes_cell(h, "allocated", row->alloc_bytes);
	html_cell(h, "blocks", format_count(text, row->live_blocks));
	fputs("</tr>\n", h->out);
}

static int table(const struct html *h)
{
	const struct model_site_filter peak = {.t_ns = MODEL_NONE, .stage = -1, .pool = -1};
	struct model_site_row *rows;
	size_t count, shown = 0;

	if (model_sites_rank(h->m, &peak, &rows, &count) < 0)
		return -1;
	fprintf(h->out,
		"<div class=\"wide\"><table class=\"stack sites\"><caption>%s, live at the moment; from samples</caption>\n"
		"<thead><tr><th scope=\"col\">site, innermost of your code</th><th scope=\"col\">of</th>"
		"<th scope=\"col\" class=\"n\">live</th><th scope=\"col\" class=\"n\">allocated</th>"
		"<th scope=\"col\" class=\"n\">blocks</th></tr></thead><tbody>\n",
		format_unit_name(h->unit));
	for (; shown < count && shown < TABLE_ROWS && rows[shown].live_bytes > 0; shown++)
		table_row(h, &rows[shown]);
	fputs("</tbody></table></div>\n", h->out);
	while (count > shown && rows[count - 1].live_bytes <= 0) /* they stand last */
		count--;
	if (shown < count)
		fprintf(h->out, "<p>%zu more: loopmem sites --full lists all.</p>\n",
			count - shown);
	free(rows);
	return 0;
}

int html_sites(const struct html *h)
{
	const struct model_site_filter peak = {.t_ns = MODEL_NONE, .stage = -1, .pool = -1};
	char at[FORMAT_MAX], rate[FORMAT_MAX];

	if (!h->m->site_count) {
		fputs("<p>No call site was sampled.</p>\n", h->out);
		return 0;
	}
	fprintf(h->out, "<p>What lived at %s, by the calls that allocated it",
		format_moment(at, model_sites_moment(h->m, &peak)));
	if (h->m->sample_bytes > 1)
		fprintf(h->out, ": estimates, from one sample in %s",
			format_bytes_range(rate, h->m->sample_bytes, h->m->sample_bytes_most));
	fputs(".</p>\n", h->out);
	controls(h);
	if (html_icicle(h) < 0)
		return -1;
	hint(h);
	return table(h);
}
