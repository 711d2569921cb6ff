/* Drawing of a sheet: which columns fit and how wide they are, one unit for all bytes, the rows in view. */
#include "tui/sheet.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/model/model.h"
#include "profiler/view/format.h"

struct layout {
	int width[SHEET_COLUMNS_MAX]; /* 0 = not shown */
	int hidden;
	enum format_unit unit;
};

enum format_unit sheet_unit(const struct sheet *sheet)
{
	int64_t largest = 0;

	for (int i = 0; i < sheet->row_count; i++)
		for (int c = 0; c < sheet->column_count; c++) {
			const struct value *value = &sheet->rows[i].value[c];

			if ((value->kind == VALUE_BYTES || value->kind == VALUE_CHANGE) &&
			    !(sheet->columns[c].flags & COLUMN_FOLLOWS) &&
			    llabs(value->number) > largest)
				largest = llabs(value->number);
		}
	return format_unit_for(largest);
}

static void print_number(const struct value *value, enum format_unit unit, int decimals, char *out)
{
	switch (value->kind) {
	case VALUE_BYTES:
		format_cell(out, value->number, unit, decimals);
		break;
	case VALUE_SENTENCE_BYTES:
		format_bytes(out, value->number);
		break;
	case VALUE_CHANGE:
		format_difference_cell(out, value->number, unit, decimals);
		break;
	case VALUE_DURATION:
		format_duration_cell(out, value->number);
		break;
	case VALUE_MOMENT:
		format_moment(out, value->number);
		break;
	case VALUE_TENTHS:
		format_moment_tenths(out, value->number);
		break;
	case VALUE_PART:
		snprintf(out, FORMAT_MAX, "%lld/%lld", (long long)value->number,
			 (long long)value->whole);
		break;
	default:
		snprintf(out, FORMAT_MAX, "%lld", (long long)value->number);
	}
}

/* The cell's text, in `buffer` (VALUE_TEXT_SIZE) or the value's own. */
static const char *print_value(const struct sheet *sheet, const struct value *value,
			       enum format_unit unit, char *buffer)
{
	switch (value->kind) {
	case VALUE_NONE:
		return "-";
	case VALUE_UNKNOWN:
		return "?";
	case VALUE_EMPTY:
		return "";
	case VALUE_TEXT:
		return value->text;
	default:
		print_number(value, unit,
			     unit <= FORMAT_MIB && sheet->decimals > 1 ? 1 : sheet->decimals,
			     buffer);
		if (value->stale)
			strcat(buffer, "~");
		return buffer;
	}
}

/* The widest cell of a column. */
static int widest_cell(const struct sheet *sheet, int column, enum format_unit unit)
{
	int most = 0;
	char buffer[VALUE_TEXT_SIZE];

	for (int i = 0; i < sheet->row_count; i++) {
		const struct value *value = &sheet->rows[i].value[column];
		int width;

		if (sheet->rows[i].kind != ROW_PLAIN &&
		    (sheet->rows[i].kind != ROW_TOTAL ||
		     sheet->columns[column].flags & COLUMN_LEFT))
			continue;
		width = text_width(print_value(sheet, value, unit, buffer));
		most = width > most ? width : most;
	}
	return most;
}

/* The widest cell or heading, with the gap before it. */
static int needed_width(const struct sheet *sheet, int column, enum format_unit unit)
{
	int heading = text_width(sheet->columns[column].heading),
	    cell = widest_cell(sheet, column, unit);

	return (heading > cell ? heading : cell) + 1 +
	       (sheet->columns[column].flags & COLUMN_LEFT && column ? 1 : 0);
}

static int all_none(const struct sheet *sheet, int column)
{
	for (int i = 0; i < sheet->row_count; i++)
		if (sheet->rows[i].value[column].kind != VALUE_NONE &&
		    sheet->rows[i].value[column].kind != VALUE_EMPTY)
			return 0;
	return 1;
}

static int total_width(const struct sheet *sheet, const struct layout *layout)
{
	int sum = 1; /* the place of the selection's mark */

	for (int c = 0; c < sheet->column_count; c++)
		sum += layout->width[c];
	return sum;
}

/* Numbers are never cut, and never touch those of the column before. */
static void widen(const struct sheet *sheet, struct layout *layout)
{
	for (int c = 0; c < sheet->column_count; c++) {
		int needed = layout->width[c] ? widest_cell(sheet, c, layout->unit) + 1 : 0;

		if (!(sheet->columns[c].flags & COLUMN_LEFT) && needed > layout->width[c])
			layout->width[c] = needed;
	}
}

/* Too wide: first to what the cells need, then names are cut. */
static void shrink(const struct sheet *sheet, struct layout *layout, int width)
{
	for (int c = 0; c < sheet->column_count; c++) {
		int needed = layout->width[c] ? needed_width(sheet, c, layout->unit) : 0;

		if (needed < layout->width[c] && total_width(sheet, layout) > width)
			layout->width[c] = needed;
	}
	for (int c = 0; c < sheet->column_count; c++) {
		int over = total_width(sheet, layout) - width, least = 8;

		if (over <= 0 || !(sheet->columns[c].flags & COLUMN_LEFT) ||
		    layout->width[c] <= least)
			continue;
		layout->width[c] = layout->width[c] - over > least ? layout->width[c] - over
								   : least;
	}
}

/* Room is left: to the flexible column, or to names that are cut. */
static void grow(const struct sheet *sheet, struct layout *layout, int width)
{
	for (int c = 0; c < sheet->column_count; c++) {
		int room = width - total_width(sheet, layout), needed;

		if (!layout->width[c] || room <= 0)
			continue;
		needed = needed_width(sheet, c, layout->unit) - layout->width[c];
		if (sheet->columns[c].flags & COLUMN_FLEX)
			layout->width[c] += room;
		else if (sheet->columns[c].flags & (COLUMN_NAME | COLUMN_PATH) && needed > 0)
			layout->width[c] += needed < room ? needed : room;
	}
}

static void lay_out(const struct sheet *sheet, int width, struct layout *layout)
{
	*layout = (struct layout){.unit = sheet_unit(sheet)};
	for (int c = 0; c < sheet->column_count; c++) {
		const struct column *column = &sheet->columns[c];

		if (!(column->flags & COLUMN_ALWAYS) && sheet->row_count && all_none(sheet, c))
			continue;
		if (column->from > width)
			layout->hidden++;
		else
			layout->width[c] = column->width;
	}
	widen(sheet, layout);
	if (total_width(sheet, layout) > width)
		shrink(sheet, layout, width);
	else
		grow(sheet, layout, width);
}

/* Text that follows a number begins two cells further right. */
static int indent(const struct sheet *sheet, const struct layout *layout, int column)
{
	int before = column - 1;

	while (before >= 0 && !layout->width[before])
		before--;
	return (sheet->columns[column].flags & COLUMN_LEFT) && before >= 0 &&
			       !(sheet->columns[before].flags & COLUMN_LEFT)
		       ? 2
		       : 0;
}

/* A text may run on over the cells after it that are meant to be empty, and the last column needs no gap. */
static int room_of(const struct layout *layout, const struct sheet *sheet,
		   const struct sheet_row *row, int column)
{
	int room = layout->width[column] - indent(sheet, layout, column), next = column + 1,
	    last = 1;

	for (; next < sheet->column_count && row->value[next].kind == VALUE_EMPTY; next++)
		room += layout->width[next];
	for (int c = column + 1; c < sheet->column_count; c++)
		last &= !layout->width[c];
	return room - !last;
}

static enum text_cut cut_of(const struct column *column)
{
	return column->flags & COLUMN_NAME   ? CUT_MIDDLE
	       : column->flags & COLUMN_PATH ? CUT_START
					     : CUT_END;
}

/* Numbers are never cut. */
static void draw_cell(const struct sheet *sheet, const struct layout *layout,
		      const struct sheet_row *row, int column, struct pen *pen)
{
	const struct value *value = &row->value[column];
	int left = sheet->columns[column].flags & COLUMN_LEFT, end = pen->x + layout->width[column];
	char buffer[VALUE_TEXT_SIZE], cut[VALUE_TEXT_SIZE * 4];
	const char *text = print_value(sheet, value, layout->unit, buffer);

	pen->role = value->role;
	pen->over = value->over;
	if (!left) {
		pen_text_ending(pen, end + (value->stale ? 1 : 0), text);
		return;
	}
	text_cut(cut, sizeof(cut), text, room_of(layout, sheet, row, column),
		 cut_of(&sheet->columns[column]));
	pen->x += indent(sheet, layout, column);
	pen_text(pen, cut);
}

/* Text columns begin at their first cell, numbers end at their last; the gap is after a text, before a number. */
static void draw_row(const struct sheet *sheet, const struct layout *layout, struct cells *cells,
		     int y, const struct sheet_row *row)
{
	int x = 1;

	for (int c = 0; c < sheet->column_count; c++) {
		struct pen pen = pen_at(cells, y, x);

		if (layout->width[c] && row->value[c].kind != VALUE_EMPTY)
			draw_cell(sheet, layout, row, c, &pen);
		x += layout->width[c];
	}
}

static const char *heading_text(const struct sheet *sheet, int column)
{
	return !column && sheet->heading ? sheet->heading : sheet->columns[column].heading;
}

static void draw_headings(const struct sheet *sheet, const struct sheet_view *view,
			  const struct layout *layout, struct sheet_place *place)
{
	int x = 1;

	for (int c = 0; c < sheet->column_count; c++) {
		int width = layout->width[c], left = sheet->columns[c].flags & COLUMN_LEFT,
		    sorted = c == view->sort;
		struct pen pen = pen_at(place->cells, place->y, x);
		char text[64];

		if (!width)
			continue;
		snprintf(text, sizeof(text), "%s%s", heading_text(sheet, c),
			 sorted ? view->reversed ? "^" : "v" : "");
		if (left) {
			pen.x += indent(sheet, layout, c);
			pen_text(&pen, text);
		} else {
			pen_text_ending(&pen, x + width, text);
		}
		cells_over(place->cells, place->y, pen.x - text_width(text), text_width(text),
			   sorted ? OVER_SORTED : 0);
		if (place->heading_at)
			place->heading_at(place->arg, c, x, width);
		x += width;
	}
	for (x = 0; x < place->cells->width; x++)
		cells_at(place->cells, place->y, x)->role = ROLE_BAR;
}

static int count_totals(const struct sheet *sheet)
{
	int totals = 0;

	while (totals < sheet->row_count &&
	       sheet->rows[sheet->row_count - 1 - totals].kind == ROW_TOTAL)
		totals++;
	return totals;
}

/* Scrolls so that the selected row is in view and no line is wasted. */
static void scroll(struct sheet_view *view, int selected, int rows, int visible)
{
	view->visible = visible;
	if (selected >= 0 && selected < view->top)
		view->top = selected;
	if (selected >= view->top + visible)
		view->top = selected - visible + 1;
	if (view->top > rows - visible)
		view->top = rows - visible;
	if (view->top < 0)
		view->top = 0;
}

void sheet_draw(const struct sheet *sheet, struct sheet_view *view, struct sheet_place *place)
{
	int totals = count_totals(sheet), rows = sheet->row_count - totals,
	    selected = sheet_selected(sheet, view);
	struct layout layout;
	int y = place->y + 1, room = place->height - 1 - totals;

	if (place->height < 1)
		return;
	if (room < 1) { /* a row is worth more than the sum */
		totals = 0;
		room = place->height - 1;
	}
	lay_out(sheet, place->cells->width, &layout);
	draw_headings(sheet, view, &layout, place);
	scroll(view, selected, rows, room);
	place->first_row = view->top;
	place->rows = rows - view->top < room ? rows - view->top : room;
	place->totals = totals;
	place->hidden_columns = layout.hidden;
	for (int i = view->top; i < view->top + place->rows; i++, y++) {
		draw_row(sheet, &layout, place->cells, y, &sheet->rows[i]);
		if (i == selected)
			cells_select(place->cells, y);
	}
	for (int i = 0; i < totals; i++, y++)
		draw_row(sheet, &layout, place->cells, y, &sheet->rows[rows + i]);
	place->next_y = y;
}
