/* One frame: the head, a screen's own part and the last line; tables and paragraphs for all of them. */
#include <stdio.h>
#include <string.h>

#include "tui/ui.h"

#define SECOND INT64_C(1000000000)

enum { SORT_EVERY_S = 2 };

static int shows_difference(const struct ui *ui)
{
	return ui->time.difference &&
	       (ui->screen == SCREEN_OVERVIEW || ui->screen == SCREEN_POOLS ||
		ui->screen == SCREEN_PROCESSES);
}

int ui_sheet(struct ui *ui, struct sheet *sheet)
{
	const struct screen *screen = ui_screen(ui->screen);

	if (!screen->build || (ui->screen < SCREEN_TABS && !ui_moments(ui)))
		return 0;
	if (shows_difference(ui))
		difference_build(ui, sheet, ui->screen == SCREEN_PROCESSES);
	else
		screen->build(ui, sheet);
	sheet_filter(sheet, ui->filter);
	ui->hidden_rows = sheet->hidden_rows;
	sheet_sort(sheet, ui_view(ui), ui->clock_ns,
		   ui->live && ui->time.following ? SORT_EVERY_S * SECOND : 0);
	return 1;
}

static void heading_hit(void *arg, int column, int x, int width)
{
	struct ui *ui = arg;

	/* the line is set by ui_draw_sheet */
	ui_hit(ui, (struct hit){HIT_HEADING, 0, x, 1, width, column});
}

/* Whether nothing stands in the last `width` cells of a line, and in two before them. */
static int is_blank(struct cells *cells, int y, int width)
{
	for (int x = cells->width - width - 2; x < cells->width; x++)
		if (x < 0 || (cells_at(cells, y, x) && cells_at(cells, y, x)->ch != L' '))
			return 0;
	return 1;
}

/* What was left out, at the right end of the last line of the sheet: in as many words as find room there. Beside a row of a list only
 * a sentence is not taken for a part of it. */
static void say_left_out(struct cells *cells, const struct sheet_place *place)
{
	static const char *const endings[] = {" hidden, a wider screen shows", " hidden"};
	struct pen pen = pen_at(cells, place->next_y - 1, 0);
	int hidden = place->hidden_columns;
	char text[128];

	if (!hidden || cells->width >= 112)
		return;
	for (size_t i = 0; i < (place->totals ? 2 : 1); i++) {
		snprintf(text, sizeof(text), "%d column%s%s", hidden, hidden == 1 ? "" : "s",
			 endings[i]);
		if (is_blank(cells, pen.y, text_width(text) + 1)) {
			pen_text_ending(&pen, cells->width - 1, text);
			return;
		}
	}
}

static int has_rows(const struct sheet *sheet)
{
	for (int i = 0; i < sheet->row_count; i++)
		if (sheet->rows[i].kind == ROW_PLAIN)
			return 1;
	return 0;
}

int ui_draw_sheet(struct ui *ui, struct cells *cells, struct sheet *sheet, int y, int height)
{
	struct sheet_place place = {.cells = cells,
				    .y = y,
				    .height = height,
				    .heading_at = heading_hit,
				    .arg = ui,
				    .next_y = y};
	int first_hit = ui->hit_count;

	if (height < 1)
		return y;
	if (sheet->hidden_rows && !has_rows(sheet)) {
		struct pen pen = pen_at(cells, y, 3);

		pen_print(&pen, "0 of %d rows match \"%s\".   Esc clears the filter",
			  sheet->hidden_rows, ui->filter);
		return y + 1;
	}
	sheet_draw(sheet, ui_view(ui), &place);
	for (int i = first_hit; i < ui->hit_count; i++)
		ui->hits[i].y = y;
	for (int i = 0; i < place.rows; i++)
		ui_hit(ui,
		       (struct hit){HIT_ROW, y + 1 + i, 0, 1, cells->width, place.first_row + i});
	say_left_out(cells, &place);
	return place.next_y;
}

int paragraph_draw(struct cells *cells, int y, int end, int indent, const char *text)
{
	int room = cells->width - indent - 1;

	while (*text && y < end && room > 0) {
		struct pen pen = pen_at(cells, y, indent);
		const char *at = text, *fits = text;

		for (;;) { /* word by word; a word wider than the line is cut by the pen */
			const char *word_end = at + strcspn(at, " \n");
			char line[1024];

			snprintf(line, sizeof(line), "%.*s", (int)(word_end - text), text);
			if (text_width(line) > room && fits > text)
				break;
			fits = word_end;
			if (!*word_end || *word_end == '\n')
				break;
			at = word_end + 1;
		}
		pen_print(&pen, "%.*s", (int)(fits - text), text);
		text = *fits ? fits + 1 : fits;
		y++;
	}
	return y;
}

void ui_draw(struct ui *ui, struct cells *cells)
{
	const struct screen *screen = ui_screen(ui->screen);
	int y = 0, bar = cells->height > 3;

	cells->glyphs = ui->glyphs;
	cells_clear(cells);
	ui->hit_count = 0;
	if (ui->screen < SCREEN_TABS)
		y = header_draw(ui, cells);
	if (y < cells->height - bar)
		screen->draw(ui, cells, y, cells->height - bar - y);
	if (ui->screen < SCREEN_TABS && cells->height > 4)
		title_draw(ui, cells);
	if (bar)
		bar_draw(ui, cells);
}
