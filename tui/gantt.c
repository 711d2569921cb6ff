/* The life of every pool as a bar in time, and the phases under it. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/format.h"
#include "profiler/view/words.h"
#include "tui/ui.h"

enum { WIDE = 112 };

static wchar_t glyph_of(enum model_state state)
{
	static const wchar_t glyphs[MODEL_STATES] = {
		[MODEL_STARTING] = L'>',
		[MODEL_DELIVERING] = GLYPH_DELIVERING,
		[MODEL_PARKED] = GLYPH_PARKED,
		[MODEL_EXHAUSTED] = GLYPH_IDLE,
	};

	return glyphs[state] ? glyphs[state] : L' ';
}

static void draw_life(const struct ui *ui, struct pen *pen, const struct chart_span *span, int pool)
{
	const struct model_pool *p = &ui->model->pools[pool];

	for (int i = 0; i < span->columns; i++) {
		int64_t from = chart_column_ns(span, i), to = chart_column_ns(span, i + 1);
		enum model_state state = model_pool_state(p, from);

		if (state == MODEL_LATER && p->begin_ns < to)
			state = model_pool_state(p, p->begin_ns);
		if (from > ui->model->last_ns)
			break;
		if (state == MODEL_EXHAUSTED && !words_holds_idle(p))
			state = MODEL_ENDED;
		pen->role = role_of_stage_fill(p->stage);
		pen->over = state == MODEL_EXHAUSTED ? OVER_IDLE : OVER_NONE;
		pen_char(pen, glyph_of(state));
	}
}

/* Writes where nothing stands yet. */
static void put_free(struct cells *cells, int y, int x, int end, const char *text)
{
	struct pen pen = pen_at(cells, y, x);

	for (int at = x - 1; at <= x + text_width(text); at++)
		if (at < end && (!cells_at(cells, y, at) || cells_at(cells, y, at)->ch != L' '))
			return;
	if (x >= 0 && x + text_width(text) <= end)
		pen_text(&pen, text);
}

/* The cursor, then as many round moments as there is room for. */
static void draw_times(const struct ui *ui, struct cells *cells, int y, int x,
		       const struct chart_span *span)
{
	int64_t tick = chart_tick_ns(span);
	int end = x + span->columns;
	char label[FORMAT_MAX];

	if (!ui->time.following)
		put_free(cells, y, x + chart_column(span, ui->time.cursor_ns), end, "▲");
	for (int64_t t = (span->start_ns + tick - 1) / tick * tick; t < span->end_ns; t += tick)
		put_free(cells, y, x + chart_column(span, t), end, format_moment(label, t));
}

/* The pools in view: as many as fit, the selected one among them. */
static int first_pool(struct ui *ui, int rows)
{
	int count = (int)ui->model->pool_count, selected = (int)ui_view(ui)->selected,
	    first = selected - rows + 1;

	if (!ui_view(ui)->has_selected || selected < rows)
		first = 0;
	return first > count - rows ? (count > rows ? count - rows : 0) : first;
}

static void draw_name(const struct ui *ui, struct cells *cells, int y, int pool, int label)
{
	const struct model_pool *p = &ui->model->pools[pool];
	struct pen pen = pen_at(cells, y, 1);
	char name[64];

	pen.end = label;
	pen.role = role_of_stage(p->stage);
	if (label > 6)
		phrase_pool(p, name, sizeof(name));
	else
		snprintf(name, sizeof(name), "#%lld", (long long)p->number);
	pen_text(&pen, name);
	pen = pen_at(cells, y, label);
	pen_char(&pen, GLYPH_BAR);
}

void gantt_draw(struct ui *ui, struct cells *cells, int y, int height, enum format_unit unit)
{
	int label = cells->width >= WIDE ? 12 : 5, columns = cells->width - label - 2;
	struct chart_span span = timeline_span(&ui->time, ui->model, columns);
	int rows = height - 3, first = first_pool(ui, rows), count = (int)ui->model->pool_count;
	struct pen pen;

	if (rows < 1 || columns < 10)
		return;
	draw_times(ui, cells, y, label + 1, &span);
	for (int i = first; i < count && i < first + rows; i++) {
		draw_name(ui, cells, ++y, i, label);
		pen = pen_at(cells, y, label + 1);
		draw_life(ui, &pen, &span, i);
	}
	ui_hit(ui, (struct hit){HIT_CHART, y - rows, label + 1, rows + 1, columns, 0});
	pen = pen_at(cells, ++y, label);
	pen_char(&pen, GLYPH_BAR);
	ui_draw_band(ui, cells, y, label + 1, &span);
	pen = pen_at(cells, ++y, label + 1);
	if (cells->width >= WIDE)
		pen_print(&pen,
			  "> starting   ▒ delivering   ░ parked   ╱ held idle (exhausted, alive)"
			  "     %s; 'all' is one instant",
			  format_unit_name(unit));
	else
		pen_print(
			&pen,
			"> starting ▒ delivering ░ parked ╱ held idle    %s; 'all' is one instant",
			format_unit_name(unit));
}
