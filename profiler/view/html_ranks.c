/*
 * Several sessions that are the ranks of one job: for each machine the sum at one instant (peaks of ranks lie apart and do not add up), then a row
 * and a small picture of each rank, all on one scale of time and bytes. The rest of the page tells one of them.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/node.h"
#include "profiler/view/html.h"
#include "profiler/view/page.h"

enum { WIDTH = 300, HEIGHT = 40, BUCKETS = 150 };

struct ranks {
	const struct html *h;
	struct model **here; /* those of one machine */
	int64_t *numbers;    /* their ranks */
	size_t count;
	int64_t top_bytes; /* of all pictures */
	struct node node;
};

static void sentence(const struct ranks *r)
{
	const struct node *n = &r->node;
	FILE *out = r->h->out;
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];

	fprintf(out, "<p><b>%s</b>", format_bytes(a, n->peak_bytes));
	if (n->limit_bytes != MODEL_NONE)
		fprintf(out, " of %s%s (%s)", format_bytes(a, n->limit_bytes),
			strcmp(n->limit_source, "RAM") ? "" : " RAM",
			format_percent(b, n->peak_bytes, n->limit_bytes));
	fprintf(out, " at %s: %zu rank%s on ", format_moment(a, n->peak_at_ns), r->count,
		r->count == 1 ? "" : "s");
	html_text(r->h, n->host[0] ? n->host : "one machine");
	fputs(", summed at one instant. ", out);
	if (n->idle_max_bytes)
		fprintf(out,
			"Held idle: %s at most, %s on average; without it the peak is %s.</p>\n",
			format_bytes(a, n->idle_max_bytes), format_bytes(b, n->idle_average_bytes),
			format_bytes(c, n->peak_without_idle_bytes));
	else
		fputs("Nothing is held idle.</p>\n", out);
}

/* The curves that areas lie between. */
enum curve { GROUND, WITHOUT_IDLE, ALL };

static int64_t height_of(const struct model_round *round, enum curve curve)
{
	return curve == GROUND ? 0 : round->total_bytes - (curve == ALL ? 0 : round->idle_bytes);
}

static void area(const struct ranks *r, const struct model_round *rounds, const double *x,
		 const char *kind, const enum curve curves[2])
{
	double scale = (double)HEIGHT / (double)r->top_bytes;

	fprintf(r->h->out, "<path class=\"%s\" d=\"", kind);
	for (int i = 0; i < BUCKETS; i++)
		if (rounds[i].t_ns != MODEL_NONE)
			fprintf(r->h->out, "M%.1f %.1fV%.1fH%.1fV%.1fZ", x[i],
				HEIGHT - scale * (double)height_of(&rounds[i], curves[0]),
				HEIGHT - scale * (double)height_of(&rounds[i], curves[1]), x[i + 1],
				HEIGHT - scale * (double)height_of(&rounds[i], curves[0]));
	fputs("\"/>", r->h->out);
}

static int picture(const struct ranks *r, const struct model *m)
{
	struct model_round *rounds = calloc(BUCKETS, sizeof(*rounds));
	double x[BUCKETS + 1];
	int64_t offset_ns = m->started_unix_ns - r->node.start_unix_ns;

	if (!rounds)
		return -1;
	model_reduce(m, 0, m->last_ns + 1, BUCKETS, rounds);
	for (int i = 0; i <= BUCKETS; i++)
		x[i] = ((double)offset_ns + (double)m->last_ns * i / BUCKETS) * WIDTH /
		       (double)(r->node.duration_ns > 0 ? r->node.duration_ns : 1);
	fprintf(r->h->out,
		"<td class=\"rank\"><svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
		WIDTH, HEIGHT);
	area(r, rounds, x, "used", (const enum curve[]){GROUND, WITHOUT_IDLE});
	area(r, rounds, x, "idled", (const enum curve[]){WITHOUT_IDLE, ALL});
	fputs("</svg></td>", r->h->out);
	free(rounds);
	return 0;
}

static int row(const struct ranks *r, size_t i)
{
	const struct model_totals *t = &r->here[i]->totals;
	char text[FORMAT_MAX];

	fprintf(r->h->out, "<tr%s><th scope=\"row\">rank %lld</th>",
		r->here[i] == r->h->m ? " class=\"chosen\"" : "", (long long)r->numbers[i]);
	html_bytes_cell(r->h, "peak", t->peak_bytes);
	html_cell(r->h, "at", format_moment(text, t->peak_at_ns));
	html_bytes_cell(r->h, "in the sum", r->node.rank_bytes[i]);
	html_bytes_cell(r->h, "held idle", t->idle_max_bytes);
	html_bytes_cell(r->h, "without", t->peak_without_idle_bytes);
	if (picture(r, r->here[i]) < 0)
		return -1;
	fputs("<td class=\"origin\">", r->h->out);
	html_text(r->h, r->here[i]->file);
	fputs("</td></tr>\n", r->h->out);
	return 0;
}

static int machine(struct ranks *r)
{
	int failed = 0;

	if (node_sum(&r->node, r->here, r->count) < 0)
		return -1;
	sentence(r);
	fprintf(r->h->out,
		"<div class=\"wide\"><table class=\"stack ranks\"><caption>%s; pictures on one scale, pale what pools without work hold</caption>\n"
		"<thead><tr><th scope=\"col\">rank</th><th scope=\"col\" class=\"n\">peak</th>"
		"<th scope=\"col\" class=\"n\">at</th><th scope=\"col\" class=\"n\">in the sum</th>"
		"<th scope=\"col\" class=\"n\">held idle</th><th scope=\"col\" class=\"n\">without</th>"
		"<th scope=\"col\">over time</th><th scope=\"col\">file</th></tr></thead><tbody>\n",
		format_unit_name(r->h->unit));
	for (size_t i = 0; i < r->count && !failed; i++)
		failed = row(r, i);
	fputs("</tbody></table></div>\n", r->h->out);
	node_release(&r->node);
	return failed;
}

/* Those of the machine of rank `first`; none when its machine had its turn. */
static void gather(struct ranks *r, size_t first)
{
	struct model *const *models = r->h->models;

	r->count = 0;
	for (size_t i = 0; i < first; i++)
		if (!strcmp(models[i]->host, models[first]->host))
			return;
	for (size_t i = first; i < r->h->model_count; i++)
		if (!strcmp(models[i]->host, models[first]->host)) {
			r->numbers[r->count] = page_rank_of(models[i], i);
			r->here[r->count++] = models[i];
		}
}

static void told_below(const struct html *h)
{
	size_t place = 0;

	while (h->models[place] != h->m)
		place++;
	fprintf(h->out,
		"<p>All that follows is of rank %lld, which has the highest peak. Of another: loopmem report -f html and its file.</p>\n",
		(long long)page_rank_of(h->m, place));
}

int html_ranks(const struct html *h)
{
	struct ranks r = {
		.h = h,
		.here = calloc(h->model_count, sizeof(*r.here)),
		.numbers = calloc(h->model_count, sizeof(*r.numbers)),
		.top_bytes = h->m->totals.peak_bytes > 0 ? h->m->totals.peak_bytes : 1,
	};
	int failed = !r.here || !r.numbers;

	for (size_t i = 0; i < h->model_count && !failed; i++) {
		gather(&r, i);
		if (r.count)
			failed = machine(&r);
	}
	if (!failed)
		told_below(h);
	free(r.here);
	free(r.numbers);
	return failed ? -1 : 0;
}
