/* Screen 4: the lines of code that hold the memory. A session has none until stacks are recorded: then this says so. */
#include <stdio.h>

#include "profiler/view/format.h"
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

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	int end = y + height;

	if (!ui_moments(ui))
		return;
	y = draw_composition(ui, cells, y, end);
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
