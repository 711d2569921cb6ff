/* What stands round the columns: values at the left, the limit, the phases, the moments under them, the legend. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/chart.h"
#include "profiler/view/format.h"
#include "profiler/view/words.h"
#include "tui/plot.h"

static void plot_values(const struct plot *plot)
{
	char label[FORMAT_MAX];

	for (int row = 0; row < plot->rows; row++) {
		struct pen pen = pen_at(plot->cells, plot->top + plot->rows - 1 - row, 0);

		chart_label(&plot->scale, plot->rows, row, label);
		pen_text_ending(&pen, plot->left - 1, label);
		pen.x = plot->left - 1;
		pen_char(&pen, GLYPH_BAR);
	}
}

/* ---- the limit ------------------------------------------------------------------------------------------ */

static int limit_line(const struct plot *plot, int64_t limit_bytes)
{
	return plot->top + plot->rows - 1 - chart_row(&plot->scale, plot->rows, limit_bytes);
}

/* Drawn where it was at the time of each column, under what is used. */
static void draw_limit(const struct plot *plot, const struct stack *stack)
{
	int per_cell = stack->count / plot->span.columns;

	for (int x = 0; x < plot->span.columns; x++) {
		int64_t then = stack->columns[x * per_cell].limit_bytes;
		int64_t limit = then == MODEL_NONE ? plot->scale.limit_bytes : then;
		struct pen pen = pen_at(plot->cells, limit_line(plot, limit), plot->left + x);
		const struct cell *cell = cells_at(plot->cells, pen.y, pen.x);

		pen.role = ROLE_LIMIT;
		if (limit <= plot->scale.top_bytes && cell && cell->ch == L' ')
			pen_char(&pen, GLYPH_LINE);
	}
}

/* What the label at the left cannot say: that the limit is far above, or that it is the machine's memory. */
static void plot_limit(const struct plot *plot, const struct ui *ui)
{
	const struct model_totals *totals = &ui->model->totals;
	int far = plot->scale.limit_bytes == MODEL_NONE,
	    ram = totals->limit_source && !strcmp(totals->limit_source, "RAM");
	char limit[FORMAT_MAX], text[64];
	struct pen pen;

	if (totals->limit_bytes == MODEL_NONE)
		return;
	if (!far)
		draw_limit(plot, &ui->stack);
	if (!far && !ram)
		return;
	snprintf(text, sizeof(text), " %s %s%s ", ram ? "RAM" : "limit",
		 format_bytes(limit, totals->limit_bytes), far ? " above" : "");
	pen = pen_at(plot->cells, far ? plot->top : limit_line(plot, plot->scale.limit_bytes), 0);
	pen.role = ROLE_LIMIT;
	pen_text_ending(&pen, plot->cells->width - 2, text);
}

/* ---- time ------------------------------------------------------------------------------------------------- */

/* A label that begins at a column, or ends there when there is no room to the right. 0 = something stands there already. */
static int put_label(const struct plot *plot, int y, int column, const char *before,
		     const char *text)
{
	int width = text_width(text), edge = plot->cells->width, x = plot->left + column, from = x;
	struct pen pen;

	if (x + width > edge) {
		from = x - text_width(before) + 1;
		text = before;
		width = text_width(text);
	}
	for (int at = from - 1; at <= from + width; at++)
		if (at < plot->left - 1 || (at < edge && cells_at(plot->cells, y, at)->ch != L' '))
			return 0;
	pen = pen_at(plot->cells, y, from);
	pen_text(&pen, text);
	return 1;
}

/* A marked moment: with its time if there is room, else the mark alone. */
static void put_moment(const struct plot *plot, int y, int64_t t_ns, const char *mark,
		       const char *word)
{
	char time[FORMAT_MAX], after[80], before[80];
	int column = t_ns == MODEL_NONE ? -1 : chart_column(&plot->span, t_ns);

	if (column < 0 || column >= plot->span.columns)
		return;
	format_moment(time, t_ns);
	snprintf(after, sizeof(after), "%s %s%s%s", mark, time, *word ? " " : "", word);
	snprintf(before, sizeof(before), "%s%s%s %s", time, *word ? " " : "", word, mark);
	if (!put_label(plot, y, column, before, after))
		put_label(plot, y, column, mark, mark);
}

static void plot_times(const struct plot *plot, const struct ui *ui, int y)
{
	const struct timeline *tl = &ui->time;
	const struct chart_span *span = &plot->span;
	int64_t tick = chart_tick_ns(span), peak = ui->model->totals.peak_at_ns;
	char label[FORMAT_MAX];

	if (!tl->following)
		put_moment(plot, y, tl->cursor_ns, "▲", tl->cursor_ns == peak ? "peak" : "");
	put_moment(plot, y, tl->a_ns, "A", "");
	put_moment(plot, y, tl->b_ns, "B", "");
	if (ui->model->totals.peak_bytes > 0 && (tl->following || tl->cursor_ns != peak))
		put_moment(plot, y, peak, "P", "");
	for (int64_t t = (span->start_ns + tick - 1) / tick * tick; t < span->end_ns; t += tick)
		if (plot->left + chart_column(span, t) + text_width(format_moment(label, t)) <
		    plot->cells->width)
			put_label(plot, y, chart_column(span, t), "", label);
}

void ui_draw_band(const struct ui *ui, struct cells *cells, int y, int x,
		  const struct chart_span *span)
{
	struct chart_area area = {.m = ui->model,
				  .glyphs = &chart_utf8,
				  .start_ns = span->start_ns,
				  .end_ns = span->end_ns,
				  .width = span->columns};
	struct pen pen = pen_at(cells, y, x);
	struct chart_grid grid;

	if (chart_grid_init(&grid, span->columns, 1) < 0)
		return;
	chart_phases(&grid, &area, 0, ui->chart.owner);
	for (int i = 0; i < span->columns; i++)
		pen_text(&pen, grid.cells[i].glyph);
	chart_grid_release(&grid);
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

void ui_draw_legend(const struct ui *ui, struct pen *pen)
{
	static const char *const legends[STACK_KIND_COUNT][2] = {
		[STACK_POOLS] = {"█ owner  ▒ delivering  ░ parked  ╱ held idle",
				 "█ owner ▒ deliver ░ park ╱ idle"},
		[STACK_KINDS] = {"█ live heap  ▒ unshared  ░ allocator  s shm  f files  · other",
				 "█ heap ▒ unsh ░ alloc s shm f file"},
		[STACK_WORKERS] = {"█ all but workers  0-9 workers, by last digit",
				   "█ the rest  0-9 workers"},
	};
	const char *legend = legends[ui->chart.kind][0];
	char name[64];

	if (pen->x + text_width(legend) > pen->end)
		legend = legends[ui->chart.kind][1];
	pen_text(pen, legend);
	if (ui->chart.measure != MEASURE_MEMORY && ui->chart.kind != STACK_KINDS)
		pen_print(pen, "   %s", stack_measure_name(ui->chart.measure));
	if (ui->chart.owner >= 0)
		pen_print(pen, "   %s",
			  words_process(name, sizeof(name), ui->model, ui->chart.owner));
}

void ui_draw_chart(struct ui *ui, struct cells *cells, const struct chart_place *place)
{
	const struct model_totals *totals = &ui->model->totals;
	struct plot plot = {
		.cells = cells,
		.scale = chart_scale_for(totals->peak_bytes, totals->limit_bytes),
		.top = place->y,
		.rows = place->rows,
	};
	struct chart_span samples;
	int y = place->y + place->rows, braille = ui->glyphs == GLYPHS_BRAILLE;

	plot.left = chart_label_width(&plot.scale);
	plot.span = samples = timeline_span(&ui->time, ui->model, cells->width - plot.left - 1);
	samples.columns *= braille ? 2 : 1;
	if (place->rows < 1 || cells->width <= plot.left + 1)
		return;
	if (stack_update(&ui->stack, ui->model, &samples, &ui->chart))
		return;
	plot_values(&plot);
	if (braille)
		plot_columns_braille(&plot, &ui->stack);
	else
		plot_columns(&plot, &ui->stack, ui->colours);
	plot_limit(&plot, ui);
	if (place->band)
		ui_draw_band(ui, cells, y++, plot.left, &plot.span);
	if (place->axis)
		plot_times(&plot, ui, y++);
	ui_hit(ui,
	       (struct hit){HIT_CHART, place->y, plot.left, y - place->y, plot.span.columns, 0});
}
