/*
 * The pools over time and as a table. The gantt is made of boxes that CSS places by their seconds, so the scripts move its window by two
 * numbers, and without scripts it shows the whole run.
 */
#include "profiler/view/html.h"
#include "profiler/view/words.h"

enum { GANTT_ROWS = 120, TABLE_ROWS = 400 };

static int is_idle(const struct model_span *span)
{
	return span->state == MODEL_EXHAUSTED;
}

static void span_box(const struct html *h, const struct model_pool *pool,
		     const struct model_span *span)
{
	char start[FORMAT_MAX], end[FORMAT_MAX];

	if (span->end_ns <= span->start_ns || (is_idle(span) && !words_holds_idle(pool)))
		return;
	fprintf(h->out,
		"<i class=\"span %s %s\" style=\"--s:%.3f;--e:%.3f\" title=\"%s %s–%s%s\"></i>",
		model_stage_name(pool->stage),
		is_idle(span) ? "idle" : model_state_name(span->state),
		html_seconds(span->start_ns), html_seconds(span->end_ns),
		is_idle(span) ? "held idle" : model_state_name(span->state),
		format_moment(start, span->start_ns), format_moment(end, span->end_ns),
		span->hindsight ? ", in hindsight" : "");
}

static void gantt_row(const struct html *h, const struct model_pool *pool)
{
	char bytes[FORMAT_MAX], clock[FORMAT_MAX], name[WORDS_MAX];

	fprintf(h->out, "<div class=\"row\" data-pool=\"%lld\"><span class=\"name\">",
		(long long)pool->number);
	html_text(h, words_pool(name, sizeof(name), pool));
	fputs("</span><span class=\"track\">", h->out);
	for (size_t i = 0; i < pool->span_count; i++)
		span_box(h, pool, &pool->spans[i]);
	fputs("</span><span class=\"figure\">", h->out);
	if (pool->idle_max_bytes)
		fprintf(h->out, "%s · %s", format_bytes(bytes, pool->idle_max_bytes),
			format_duration(clock, pool->idle_ns));
	fputs("</span></div>\n", h->out);
}

/* How many pools held more idle than this one: its place, when not all are drawn. */
static size_t place_of(const struct model *m, size_t index)
{
	size_t place = 0;

	for (size_t i = 0; i < m->pool_count; i++)
		place +=
			m->pools[i].idle_max_bytes > m->pools[index].idle_max_bytes ||
			(m->pools[i].idle_max_bytes == m->pools[index].idle_max_bytes && i < index);
	return place;
}

static void gantt(const struct html *h)
{
	const struct model *m = h->m;

	fprintf(h->out,
		"<div class=\"gantt\" style=\"--from:0;--to:%.3f\" role=\"group\" aria-label=\"Life of each pool\">\n",
		html_seconds(m->totals.duration_ns));
	fputs("<div class=\"row head\"><span class=\"name\">pool</span><span class=\"track\">life</span>"
	      "<span class=\"figure\">held idle</span></div>\n",
	      h->out);
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pool_count <= GANTT_ROWS || place_of(m, i) < GANTT_ROWS)
			gantt_row(h, &m->pools[i]);
	fputs("</div>\n<ul class=\"legend\"><li><i class=\"swatch train starting\"></i>starting</li>"
	      "<li><i class=\"swatch train delivering\"></i>delivering</li><li><i class=\"swatch train parked\"></i>parked</li>"
	      "<li><i class=\"swatch train idle\"></i>held idle</li></ul>\n",
	      h->out);
	if (m->pool_count > GANTT_ROWS)
		fprintf(h->out,
			"<p>The %d pools that held most idle; %zu others are not drawn.</p>\n",
			GANTT_ROWS, m->pool_count - GANTT_ROWS);
}

static void table_row(const struct html *h, const struct model_pool *pool, int in_owner)
{
	char text[FORMAT_MAX], name[WORDS_MAX];

	fprintf(h->out,
		"<tr data-pool=\"%lld\"><th scope=\"row\"><i class=\"swatch %s delivering\"></i>",
		(long long)pool->number, model_stage_name(pool->stage));
	html_text(h, words_pool(name, sizeof(name), pool));
	fputs("</th>", h->out);
	snprintf(text, sizeof(text), "%zu", pool->member_count);
	html_cell(h, "workers", text);
	html_bytes_cell(h, "memory", pool->memory_max);
	if (in_owner)
		html_bytes_cell(h, "in the owner", pool->in_owner_max);
	html_bytes_cell(h, "private", pool->private_max);
	html_bytes_cell(h, "heap", pool->live_heap_max);
	html_bytes_cell(h, "unshared", pool->unshared_max);
	html_bytes_cell(h, "held idle", pool->idle_max_bytes);
	html_cell(h, "for", pool->idle_max_bytes ? format_duration_cell(text, pool->idle_ns) : "-");
	html_cell(h, "start",
		  pool->start_ns == MODEL_NONE ? "-" : format_duration_cell(text, pool->start_ns));
	html_cell(h, "stall",
		  pool->stall_ns > 0 ? format_duration_cell(text, pool->stall_ns) : "-");
	fputs("<td class=\"origin\">", h->out);
	html_text(h, pool->dataset);
	fputs(pool->dataset[0] && pool->origin[0] ? " · " : "", h->out);
	html_text(h, pool->origin);
	if (pool->kept)
		fprintf(h->out, "<br>not released: %s", words_kept(pool->kept));
	fputs("</td></tr>\n", h->out);
}

static void table(const struct html *h)
{
	const struct model *m = h->m;
	size_t shown = m->pool_count < TABLE_ROWS ? m->pool_count : TABLE_ROWS;
	int in_owner = words_any_in_owner(m);

	fprintf(h->out,
		"<div class=\"wide\"><table class=\"stack\"><caption>%s, each the most of its life</caption>\n"
		"<thead><tr><th scope=\"col\">pool</th><th scope=\"col\" class=\"n\">workers</th>"
		"<th scope=\"col\" class=\"n\">memory</th>%s<th scope=\"col\" class=\"n\">private</th>"
		"<th scope=\"col\" class=\"n\">heap</th><th scope=\"col\" class=\"n\">unshared</th>"
		"<th scope=\"col\" class=\"n\">held idle</th><th scope=\"col\" class=\"n\">for</th>"
		"<th scope=\"col\" class=\"n\">start</th><th scope=\"col\" class=\"n\">stall</th>"
		"<th scope=\"col\">data set</th></tr></thead><tbody>\n",
		format_unit_name(h->unit),
		in_owner ? "<th scope=\"col\" class=\"n\">in the owner</th>" : "");
	for (size_t i = 0; i < m->pool_count; i++)
		if (place_of(m, i) < shown)
			table_row(h, &m->pools[i], in_owner);
	fputs("</tbody></table></div>\n", h->out);
	if (shown < m->pool_count)
		fprintf(h->out,
			"<p>%zu more, which held less: loopmem export -f csv lists all.</p>\n",
			m->pool_count - shown);
}

int html_pools(const struct html *h)
{
	if (!h->m->pool_count) {
		fputs("<p>No data loader was seen.</p>\n", h->out);
		return 0;
	}
	gantt(h);
	table(h);
	return 0;
}
