/* The chart of the text report, its legend, and what the peak is made of. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/chart.h"
#include "profiler/view/page.h"
#include "profiler/view/words.h"

enum { ROWS = 7, MARGIN = 6, LEAST_WIDTH = 20 };

/* Appends "  █ owner". */
static void add_layer(char *text, size_t size, const char *glyph, const char *name)
{
	size_t at = strlen(text);

	snprintf(text + at, size - at, "  %s%c", glyph, PAGE_HOLD);
	at = strlen(text);
	snprintf(text + at, size - at, "%s", name);
	page_hold(text + at);
}

/* The layers that the chart has. */
static void print_legend(const struct page *p, const struct chart_glyphs *glyphs,
			 const struct chart_scale *scale, int indent)
{
	const struct model *m = p->m;
	int64_t delivering = 0, parked = 0, idle = 0;
	char text[WORDS_MAX], limit[64], bytes[FORMAT_MAX];

	for (size_t i = 0; i < m->round_count; i++) {
		delivering |= m->rounds[i].delivering_bytes;
		parked |= m->rounds[i].parked_bytes;
		idle |= m->rounds[i].idle_bytes;
	}
	snprintf(text, sizeof(text), "%s, proportional, all processes  ",
		 format_unit_name(scale->unit));
	add_layer(text, sizeof(text), glyphs->inks[CHART_OWNER], "owner");
	if (delivering)
		add_layer(text, sizeof(text), glyphs->inks[CHART_DELIVERING], "delivering");
	if (parked)
		add_layer(text, sizeof(text), glyphs->inks[CHART_PARKED], "parked");
	if (idle)
		add_layer(text, sizeof(text), glyphs->inks[CHART_IDLE], "held idle");
	if (scale->limit_bytes != MODEL_NONE) {
		snprintf(limit, sizeof(limit), "limit (%.40s)", m->totals.limit_source);
		add_layer(text, sizeof(text), glyphs->inks[CHART_LIMIT], limit);
	} else if (m->totals.limit_bytes != MODEL_NONE) {
		snprintf(limit, sizeof(limit), "%s above",
			 format_bytes(bytes, m->totals.limit_bytes));
		add_layer(text, sizeof(text), "limit", limit);
	}
	fprintf(p->out, "%*s", indent, "");
	page_wrap(p, text, indent, indent);
}

int page_chart(const struct page *p)
{
	const struct model *m = p->m;
	struct chart_scale scale = chart_scale_for(m->totals.peak_bytes, m->totals.limit_bytes);
	int labels = chart_label_width(&scale);
	int width = (p->options.width > 100 ? 100 : p->options.width) - labels - MARGIN;
	struct chart_grid grid;
	struct chart_area area = {
		.m = m,
		.glyphs = p->options.utf8 ? &chart_utf8 : &chart_ascii,
		.end_ns = m->totals.duration_ns,
		.left = labels,
		.width = width,
		.rows = ROWS,
	};
	int failed;

	if (width < LEAST_WIDTH || m->round_count < 2)
		return 0;
	if (chart_grid_init(&grid, labels + width, ROWS + 2) < 0)
		return -1;
	failed = chart_plot(&grid, &area, &scale);
	chart_labels(&grid, &area, &scale);
	chart_phases(&grid, &area, ROWS, -1);
	chart_times(&grid, &area, ROWS + 1);
	fputc('\n', p->out);
	chart_print(&grid, p->out);
	print_legend(p, area.glyphs, &scale, labels);
	chart_grid_release(&grid);
	return failed;
}

/* Appends "name figure" to a list, if there is anything. */
static size_t append(const struct page *p, char *out, size_t size, size_t at, const char *name,
		     int64_t bytes, const char *state)
{
	char cell[FORMAT_MAX];

	page_cell(p, cell, bytes);
	/* what rounds to nothing is nothing to read */
	if (bytes <= 0 || at + 1 >= size || (at && cell[0] == '<'))
		return at;
	/* an entry is read as one: its blanks hold */
	at += (size_t)snprintf(out + at, size - at, "%s", at ? ", " : "");
	if (at < size) {
		snprintf(out + at, size - at, "%s %s%s%s%s", name, cell, state ? " (" : "",
			 state ? state : "", state ? ")" : "");
		page_hold(out + at);
		at += strlen(out + at);
	}
	return at < size ? at : size - 1;
}

enum { NAMED_POOLS = 6 };

/* A list of pools: as many by name as the page has room for, of the others a sum. */
struct holders {
	char text[4 * WORDS_MAX];
	size_t end;
	int named, more;
	int64_t rest;
};

static void add_holder(const struct page *p, struct holders *h, const struct model_pool *pool,
		       int64_t bytes, const char *doing)
{
	char name[128];

	if (h->named == NAMED_POOLS && !p->options.full) {
		h->more++;
		h->rest += bytes;
		return;
	}
	h->named++;
	words_safe(name, sizeof(name), pool->short_name, p->options.utf8);
	h->end = append(p, h->text, sizeof(h->text), h->end, name, bytes, doing);
}

static void list_holders(const struct page *p, const struct model_moment *at)
{
	struct holders h = {.text = ""};
	char name[32];

	h.end = append(p, h.text, sizeof(h.text), 0, "owner", at->round.owner_bytes, NULL);
	for (size_t i = 0; i < p->m->pool_count; i++) {
		const struct model_pool_moment *pool = &at->pools[i];

		if (pool->state != MODEL_LATER && pool->state != MODEL_ENDED && pool->memory)
			add_holder(p, &h, &p->m->pools[i], pool->memory,
				   words_doing(&p->m->pools[i], pool->state));
	}
	for (size_t i = 0; i < p->m->pool_count; i++)
		if (at->pools[i].in_owner > 0)
			add_holder(p, &h, &p->m->pools[i], at->pools[i].in_owner, "in the owner");
	if (h.more) {
		snprintf(name, sizeof(name), "%d more pools", h.more);
		append(p, h.text, sizeof(h.text), h.end, name, h.rest, NULL);
	}
	fprintf(p->out, "\nAt the peak   ");
	page_wrap(p, h.text, 14, 14);
}

static void list_kinds(const struct page *p)
{
	const struct model_composition *c = &p->m->peak;
	char text[WORDS_MAX] = "";
	const struct {
		const char *name;
		int64_t bytes;
	} kinds[] = {
		{"live heap", c->live_heap},   {"unshared", c->unshared},
		{"allocator", c->allocator},   {"files", c->files},
		{"parked batches", c->parked}, {"shared memory", c->shm},
		{"other", c->other},
	};
	size_t end = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		end = append(p, text, sizeof(text), end, kinds[i].name, kinds[i].bytes, NULL);
	fprintf(p->out, "              ");
	page_wrap(p, text, 14, 14);
}

static void list_workers(const struct page *p)
{
	char text[WORDS_MAX];

	if (!*words_capacity(text, sizeof(text), p->m))
		return;
	fprintf(p->out, "Workers       ");
	page_wrap(p, text, 14, 14);
}

int page_peak(const struct page *p)
{
	struct model_moment at;

	if (p->m->totals.peak_at_ns == MODEL_NONE)
		return 0;
	if (model_at(p->m, p->m->totals.peak_at_ns, &at) < 0)
		return -1;
	list_holders(p, &at);
	list_kinds(p);
	list_workers(p);
	model_moment_release(&at);
	return 0;
}
