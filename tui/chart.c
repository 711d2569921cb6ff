/* The stacked chart in cells: layers in blocks or braille, the limit, the axes, the phases, the moments on the time axis. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/format.h"
#include "tui/ui.h"

enum { GUTTER = 4, TICK_COLUMNS = 10, BRAILLE = 0x2800 };

/* ---- one column --------------------------------------------------------------------------------------------- */

static void layer_ends(const struct plot_scale *scale, const struct stack_column *column, int *ends)
{
	int64_t bytes[STACK_LAYERS];

	for (int i = 0; i < column->count; i++)
		bytes[i] = column->layers[i].bytes;
	if (column->count)
		plot_stack(scale, bytes, (size_t)column->count, (size_t)column->first_idle, ends);
}

/* With colours a solid layer at the top ends within its row. */
static wchar_t solid_top(const struct plot_scale *scale, const struct stack_column *column, int row)
{
	double sum = 0, eighths;

	for (int i = 0; i < column->count; i++)
		sum += (double)column->layers[i].bytes;
	eighths = (sum / (double)scale->top_bytes * scale->rows - row) * 8;
	return eighths >= 7.5
		       ? GLYPH_OWNER
		       : (wchar_t)(GLYPH_EIGHTH1 + (eighths < 1 ? 0 : (int)(eighths + 0.5) - 1));
}

static void draw_column(struct cells *cells, const struct plot_scale *scale,
			const struct stack_column *column, int x, int bottom)
{
	int ends[STACK_LAYERS], row = 0;

	layer_ends(scale, column, ends);
	for (int i = 0; i < column->count; i++)
		for (; row < ends[i]; row++) {
			struct pen pen = pen_at(cells, bottom - row, x);

			pen.role = column->layers[i].role;
			pen.over = column->layers[i].over;
			pen_char(&pen, column->layers[i].glyph);
		}
	if (column->gap) {
		struct pen pen = pen_at(cells, bottom, x);

		pen_char(&pen, L'?');
	}
}

/* Where a run's memory is the owner's alone its edge is drawn in eighths; there are colours then to tell it from other states. */
static void smooth_top(struct cells *cells, const struct plot_scale *scale,
		       const struct stack_column *column, int x, int bottom)
{
	int ends[STACK_LAYERS], last = column->count - 1;
	struct pen pen;

	if (column->count != 1 || column->layers[last].glyph != GLYPH_OWNER)
		return;
	layer_ends(scale, column, ends);
	if (!ends[last])
		return;
	pen = pen_at(cells, bottom - ends[last] + 1, x);
	pen.role = column->layers[last].role;
	pen_char(&pen, solid_top(scale, column, ends[last] - 1));
}

/* ---- braille: two samples and four steps a cell -------------------------------------------------------------- */

static const unsigned char dots[4][2] = {
	{0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}}; /* from the bottom */

/* Solid for what is used, every other dot on a diagonal for held idle, every other row for parked. */
static int has_dot(wchar_t glyph, int x, int y)
{
	if (glyph == GLYPH_IDLE)
		return (x + y) % 2 == 0;
	return glyph != GLYPH_PARKED || y % 2 == 0;
}

static const struct stack_layer *layer_at(const struct stack_column *column, const int *ends,
					  int row)
{
	for (int i = 0; i < column->count; i++)
		if (row < ends[i])
			return &column->layers[i];
	return NULL;
}

static void draw_braille(struct cells *cells, const struct stack *stack,
			 const struct plot_scale *scale, int bottom)
{
	struct plot_scale fine = *scale;

	fine.rows *= 4;
	for (int half = 0; half < stack->count; half++) {
		const struct stack_column *column = &stack->columns[half];
		int ends[STACK_LAYERS] = {0};

		layer_ends(&fine, column, ends);
		for (int row = 0; row < fine.rows; row++) {
			const struct stack_layer *layer = layer_at(column, ends, row);
			struct cell *cell = cells_at(cells, bottom - row / 4, GUTTER + half / 2);

			if (!layer || !cell || !has_dot(layer->glyph, half, row))
				continue;
			if (cell->ch < BRAILLE || cell->ch > BRAILLE + 0xff)
				cell->ch = BRAILLE;
			cell->ch |= dots[row % 4][half % 2];
			cell->role = layer->role;
			cell->over = layer->over;
		}
	}
}

/* ---- frame: limit and axes -------------------------------------------------------------------------------------- */

/* Drawn where it was at the time of each column, under what is used. */
static void draw_limit(const struct ui *ui, struct cells *cells, const struct plot_scale *scale,
		       int bottom)
{
	int per_cell = ui->stack.count / (cells->width - GUTTER - 1) > 1 ? 2 : 1;

	for (int x = 0; x * per_cell < ui->stack.count; x++) {
		const struct stack_column *column = &ui->stack.columns[x * per_cell];
		int64_t limit = column->limit_bytes == MODEL_NONE ? scale->limit_bytes
								  : column->limit_bytes;
		struct pen pen = pen_at(cells, bottom - plot_row(scale, limit), GUTTER + x);

		if (limit > scale->top_bytes)
			continue;
		pen.role = ROLE_LIMIT;
		if (cells_at(cells, pen.y, pen.x) && cells_at(cells, pen.y, pen.x)->ch == L' ')
			pen_char(&pen, GLYPH_LINE);
	}
}

/* What the label of the limit cannot say in three columns. */
static void say_limit(const struct ui *ui, struct cells *cells, const struct plot_scale *scale,
		      int top)
{
	const struct model_totals *totals = &ui->model->totals;
	struct pen pen = pen_at(cells, top, 0);
	char limit[FORMAT_MAX], text[64];

	if (totals->limit_bytes == MODEL_NONE)
		return;
	format_bytes(limit, totals->limit_bytes);
	if (scale->limit_bytes == MODEL_NONE)
		snprintf(text, sizeof(text), " %s %s above ",
			 strcmp(totals->limit_source, "RAM") ? "limit" : "RAM", limit);
	else if (!strcmp(totals->limit_source, "RAM"))
		snprintf(text, sizeof(text), " RAM %s ", limit);
	else
		return;
	pen.y = scale->limit_bytes == MODEL_NONE
			? top
			: top + scale->rows - 1 - plot_row(scale, scale->limit_bytes);
	pen.role = ROLE_LIMIT;
	pen_text_ending(&pen, cells->width - 2, text);
}

static void draw_value_axis(struct cells *cells, const struct plot_scale *scale, int bottom)
{
	char label[FORMAT_MAX];

	for (int row = 0; row < scale->rows; row++) {
		struct pen pen = pen_at(cells, bottom - row, 0);

		plot_label(scale, row, label);
		pen_text_ending(&pen, GUTTER - 1, label);
		pen.x = GUTTER - 1;
		pen_char(&pen, GLYPH_BAR);
	}
}

/* Writes a label at its column, if nothing stands there; a label that would not fit to the right stands to the left. */
static int put_label(struct cells *cells, int y, int x, const char *mark, const char *text)
{
	int width = text_width(mark) + text_width(text), from = x, edge = cells->width;
	struct pen pen;

	if (x + width > edge)
		from = x - text_width(text);
	for (int at = from - 1; at <= from + width; at++)
		if (at < GUTTER - 1 || (at < edge && cells_at(cells, y, at)->ch != L' '))
			return 0;
	pen = pen_at(cells, y, from);
	pen_text(&pen, from < x ? text : mark);
	pen_text(&pen, from < x ? mark : text);
	return 1;
}

/* A marked moment: with its time if there is room, else the mark alone. */
static void put_moment(struct cells *cells, int y, const struct plot_span *span, int64_t t_ns,
		       const char *mark, const char *word)
{
	char time[FORMAT_MAX], text[64], left[64];
	int column = t_ns == MODEL_NONE ? -1 : plot_column(span, t_ns);

	if (column < 0 || column >= span->columns)
		return;
	format_moment(time, t_ns);
	snprintf(text, sizeof(text), " %s%s%s", time, *word ? " " : "", word);
	snprintf(left, sizeof(left), "%s%s%s ", time, *word ? " " : "", word);
	if (GUTTER + column + text_width(mark) + text_width(text) > cells->width)
		memcpy(text, left, sizeof(text));
	if (!put_label(cells, y, GUTTER + column, mark, text))
		put_label(cells, y, GUTTER + column, mark, "");
}

static void draw_time_axis(const struct ui *ui, struct cells *cells, int y,
			   const struct plot_span *span)
{
	const struct timeline *tl = &ui->time;
	const struct model_totals *totals = &ui->model->totals;
	int64_t tick = plot_tick_ns(span, TICK_COLUMNS), peak = totals->peak_at_ns;
	char label[FORMAT_MAX];

	if (!tl->following)
		put_moment(cells, y, span, tl->cursor_ns, "▲", tl->cursor_ns == peak ? "peak" : "");
	put_moment(cells, y, span, tl->a_ns, "A", "");
	put_moment(cells, y, span, tl->b_ns, "B", "");
	if (totals->peak_bytes > 0 && (tl->following || tl->cursor_ns != peak))
		put_moment(cells, y, span, peak, "P", "");
	for (int64_t t = (span->start_ns + tick - 1) / tick * tick; t < span->end_ns; t += tick)
		if (GUTTER + plot_column(span, t) + text_width(format_moment(label, t)) <
		    cells->width)
			put_label(cells, y, GUTTER + plot_column(span, t), "", label);
}

void band_draw(const struct ui *ui, struct cells *cells, int y, int x, const struct plot_span *span)
{
	wchar_t *band = calloc((size_t)span->columns, sizeof(*band));
	struct pen pen = pen_at(cells, y, x);

	if (!band)
		return;
	plot_band(ui->model, span, ui->owner, band);
	for (int i = 0; i < span->columns; i++)
		pen_char(&pen, band[i]);
	free(band);
}

void chart_legend(const struct ui *ui, struct pen *pen)
{
	static const char *const legends[STACK_KIND_COUNT][2] = {
		[STACK_POOLS] = {"█ owner  ▒ delivering  ░ parked  ╱ held idle",
				 "█ owner ▒ deliver ░ park ╱ idle"},
		[STACK_KINDS] = {"█ live heap  ▒ unshared  ░ allocator  s shm  f files  · other",
				 "█ heap ▒ unsh ░ alloc s shm f file"},
		[STACK_WORKERS] = {"█ all but workers  0-9 workers, by last digit",
				   "█ the rest  0-9 workers"},
	};
	const char *legend = legends[ui->stack_kind][0];

	if (pen->x + text_width(legend) > pen->end)
		legend = legends[ui->stack_kind][1];
	pen_text(pen, legend);
	if (ui->measure != MEASURE_MEMORY && ui->stack_kind != STACK_KINDS)
		pen_print(pen, "   %s", stack_measure_name(ui->measure));
	if (ui->owner >= 0)
		pen_print(pen, "   owner %lld", (long long)ui->model->processes[ui->owner].pid);
}

void chart_draw(struct ui *ui, struct cells *cells, const struct chart_place *place)
{
	const struct model_totals *totals = &ui->model->totals;
	int columns = cells->width - GUTTER - 1, bottom = place->y + place->rows - 1;
	struct plot_span span = timeline_span(&ui->time, ui->model, columns), fine = span;
	struct plot_scale scale = plot_scale(totals->peak_bytes, totals->limit_bytes, place->rows);
	int braille = ui->glyphs == GLYPHS_BRAILLE;

	if (columns < 1 || place->rows < 1)
		return;
	fine.columns = braille ? 2 * columns : columns;
	if (stack_update(&ui->stack, ui->model, &fine, ui->stack_kind, ui->measure, ui->owner))
		return;
	draw_value_axis(cells, &scale, bottom);
	if (braille)
		draw_braille(cells, &ui->stack, &scale, bottom);
	for (int i = 0; i < columns && !braille; i++) {
		draw_column(cells, &scale, &ui->stack.columns[i], GUTTER + i, bottom);
		if (ui->colours)
			smooth_top(cells, &scale, &ui->stack.columns[i], GUTTER + i, bottom);
	}
	if (scale.limit_bytes != MODEL_NONE)
		draw_limit(ui, cells, &scale, bottom);
	say_limit(ui, cells, &scale, place->y);
	if (place->band)
		band_draw(ui, cells, place->y + place->rows, GUTTER, &span);
	if (place->axis)
		draw_time_axis(ui, cells, place->y + place->rows + place->band, &span);
	ui_hit(ui, (struct hit){HIT_CHART, place->y, GUTTER,
				place->rows + place->band + place->axis, columns, 0});
}
