/* The processes at the peak, as a tree. The scripts fill the same table for any other moment. */
#include <stdlib.h>

#include "profiler/view/html.h"

struct tree {
	const struct html *h;
	const struct model_moment *at;
	int64_t most_bytes; /* the longest bar */
};

static void name(const struct tree *t, const struct model_process *p)
{
	const struct model *m = t->h->m;

	if (p->role == MODEL_ROLE_WORKER && p->pool >= 0) {
		fprintf(t->h->out, "<i class=\"swatch %s delivering\"></i>",
			model_stage_name(m->pools[p->pool].stage));
		html_text(t->h, m->pools[p->pool].name);
		if (p->worker_id != MODEL_NONE)
			fprintf(t->h->out, " worker %lld", (long long)p->worker_id);
		return;
	}
	fputs("<i class=\"swatch s-owner owner\"></i>", t->h->out);
	html_text(t->h, p->role_text ? p->role_text : "process");
}

static void row(const struct tree *t, size_t index, int level)
{
	const struct html *h = t->h;
	const struct model_process *p = &h->m->processes[index];
	const struct model_process_moment *at = &t->at->processes[index];
	enum format_unit unit = h->unit;
	char text[FORMAT_MAX];
	double share = t->most_bytes ? (double)at->proportional / (double)t->most_bytes : 0;

	fprintf(h->out,
		"<tr role=\"row\" aria-level=\"%d\" style=\"--level:%d;--bar:%.3f\"><th scope=\"row\">",
		level + 1, level, share);
	name(t, p);
	fputs("</th>", h->out);
	snprintf(text, sizeof(text), "%lld", (long long)p->pid);
	html_cell(h, "pid", text);
	html_cell(h, "state", at->state[0] ? at->state : "-");
	fputs("<td class=\"n bar\" data-label=\"memory\">", h->out);
	html_text(h, format_cell(text, at->proportional, unit, unit >= FORMAT_GIB ? 2 : 0));
	fputs("</td>", h->out);
	html_cell(h, "private",
		  format_cell(text, at->private_bytes, unit, unit >= FORMAT_GIB ? 2 : 0));
	fputs("</tr>\n", h->out);
}

/* Those alive, under their parents; processes whose parent is gone stand at the top. */
static void rows_under(const struct tree *t, int parent, int level)
{
	const struct model *m = t->h->m;

	for (size_t i = 0; i < m->process_count; i++) {
		int above = m->processes[i].parent;

		if (above >= 0 && !t->at->processes[above].alive)
			above = -1;
		if (!t->at->processes[i].alive || above != parent || level > 32)
			continue;
		row(t, i, level);
		rows_under(t, (int)i, level + 1);
	}
}

int html_processes(const struct html *h)
{
	struct model_moment at;
	struct tree t = {h, &at, 0};
	char when[FORMAT_MAX];

	if (h->m->totals.peak_at_ns == MODEL_NONE)
		return 0;
	if (model_at(h->m, h->m->totals.peak_at_ns, &at) < 0)
		return -1;
	for (size_t i = 0; i < h->m->process_count; i++)
		if (at.processes[i].proportional > t.most_bytes)
			t.most_bytes = at.processes[i].proportional;
	fprintf(h->out,
		"<p id=\"when\">At the peak, %s.<span class=\"script\"> Choose another moment in the timeline.</span></p>\n"
		"<div class=\"wide\"><table class=\"stack tree\" role=\"treegrid\" aria-labelledby=\"when\"><caption>%s</caption>\n"
		"<thead><tr role=\"row\"><th scope=\"col\">process</th><th scope=\"col\" class=\"n\">pid</th>"
		"<th scope=\"col\" class=\"n\">state</th><th scope=\"col\" class=\"n\">memory</th>"
		"<th scope=\"col\" class=\"n\">private</th></tr></thead><tbody id=\"tree\">\n",
		format_moment(when, h->m->totals.peak_at_ns), format_unit_name(h->unit));
	rows_under(&t, -1, 0);
	fputs("</tbody></table></div>\n", h->out);
	model_moment_release(&at);
	return 0;
}
