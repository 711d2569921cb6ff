/* Screen 4: the lines of code that hold the memory. A session without stacks says so. */
#include <stdio.h>
#include <stdlib.h>

#include "profiler/view/format.h"
#include "profiler/view/site_words.h"
#include "tui/ui.h"

static int any_shim(const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].instrumented)
			return 1;
	return 0;
}

/* What is known of the heap without call sites: how much of the moment it is, and what the rest is. */
static int draw_composition(const struct ui *ui, struct cells *cells, int y, int end)
{
	const struct model_composition *c = &ui->now.composition;
	const struct {
		const char *name;
		int64_t bytes;
	} parts[] = {{"unshared", c->unshared},     {"files", c->files},
		     {"allocator", c->allocator},   {"shm", c->shm},
		     {"parked batches", c->parked}, {"other", c->other}};
	char text[512], a[FORMAT_MAX], b[FORMAT_MAX];
	enum format_unit unit = format_unit_for(c->total);
	int at, written = 0;

	at = snprintf(text, sizeof(text), "Live heap %s of %s at the cursor. The rest: ",
		      format_cell(a, c->live_heap, unit, 1), format_bytes(b, c->total));
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].bytes > 0)
			at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s %s",
				       written++ ? ", " : "", parts[i].name,
				       format_cell(a, parts[i].bytes, unit, 1));
	return paragraph_draw(cells, y, end, 1, text);
}

/* The largest at the cursor, a line each; paragraph_draw cuts nothing, so names are short. */
static void draw_list(const struct ui *ui, struct cells *cells, int y, int end)
{
	const struct model_site_filter filter = {ui->now.t_ns, -1, -1, 0};
	char text[512], bytes[FORMAT_MAX], owner[64], site[192];
	struct model_site_row *rows;
	size_t count;

	if (model_sites_rank(ui->model, &filter, &rows, &count))
		return;
	for (size_t i = 0; i < count && y < end && rows[i].live_bytes > 0; i++) {
		snprintf(text, sizeof(text), "%10s  %-16s  %s",
			 format_bytes(bytes, rows[i].live_bytes),
			 site_owner(owner, sizeof(owner), ui->model, &rows[i], 0),
			 site_row_words(site, sizeof(site), ui->model, &rows[i], 0));
		y = paragraph_draw(cells, y, end, 1, text);
	}
	free(rows);
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	int end = y + height;

	if (!ui_moments(ui))
		return;
	y = draw_composition(ui, cells, y, end);
	if (ui->model->site_count) {
		draw_list(ui, cells, y + 1, end);
		return;
	}
	y = paragraph_draw(cells, y + 1, end, 3, "No call sites in this session.");
	if (any_shim(ui->model))
		paragraph_draw(
			cells, y + 1, end, 3,
			"It counts every allocation exactly, but holds no stacks that say where they came from. "
			"Pools and Processes show whose they are.");
	else
		paragraph_draw(cells, y + 1, end, 3,
			       "This needs the shim: start the program with loopmem run.");
}

const struct screen screen_sites = {
	.name = "Sites",
	.draw = draw,
};
