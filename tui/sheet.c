/* Rows of typed values: building, filtering, sorting, selecting. Drawing is in sheet_draw.c. */
#include "tui/sheet.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "profiler/model/model.h"

#define LEFT    COLUMN_LEFT
#define FLEX    COLUMN_FLEX
#define PATH    COLUMN_PATH
#define NAME    COLUMN_NAME
#define ALWAYS  COLUMN_ALWAYS
#define FOLLOWS COLUMN_FOLLOWS
#define COLUMN(sheet, name, heading, width, from, flags) \
	{SHEET_##sheet, heading, width, from, flags},

const struct column all_columns[COLUMNS_ALL] = {
#include "tui/columns.def"
};

struct text_block {
	struct text_block *next;
	char text[];
};

void sheet_init(struct sheet *sheet, enum sheet_kind kind)
{
	memset(sheet, 0, sizeof(*sheet));
	sheet->kind = kind;
	sheet->decimals = 1;
	for (int i = 0; i < COLUMNS_ALL; i++) {
		if (all_columns[i].sheet != kind)
			continue;
		if (!sheet->columns)
			sheet->columns = &all_columns[i];
		sheet->column_count++;
	}
}

void sheet_release(struct sheet *sheet)
{
	while (sheet->texts) {
		struct text_block *next = sheet->texts->next;

		free(sheet->texts);
		sheet->texts = next;
	}
	free(sheet->rows);
	memset(sheet, 0, sizeof(*sheet));
}

void sheet_view_init(struct sheet_view *view)
{
	memset(view, 0, sizeof(*view));
	view->sort = -1;
}

void sheet_view_release(struct sheet_view *view)
{
	free(view->order);
	sheet_view_init(view);
}

struct sheet_row *sheet_add(struct sheet *sheet, enum sheet_row_kind kind, int64_t id)
{
	struct sheet_row *row;

	if (sheet->row_count == sheet->capacity) {
		int capacity = sheet->capacity ? 2 * sheet->capacity : 16;
		struct sheet_row *rows = reallocarray(sheet->rows, (size_t)capacity, sizeof(*rows));

		if (!rows)
			return NULL;
		sheet->rows = rows;
		sheet->capacity = capacity;
	}
	row = &sheet->rows[sheet->row_count++];
	memset(row, 0, sizeof(*row));
	row->kind = kind;
	row->id = id;
	return row;
}

struct value *sheet_value(const struct sheet *sheet, struct sheet_row *row, int column)
{
	return &row->value[&all_columns[column] - sheet->columns];
}

const char *sheet_text(struct sheet *sheet, const char *format, ...)
{
	struct text_block *block;
	va_list args, again;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	block = length < 0 ? NULL : malloc(sizeof(*block) + (size_t)length + 1);
	if (block) {
		vsnprintf(block->text, (size_t)length + 1, format, again);
		block->next = sheet->texts;
		sheet->texts = block;
	}
	va_end(again);
	return block ? block->text : "";
}

void value_text(struct value *value, const char *text)
{
	value->kind = text && *text ? VALUE_TEXT : VALUE_NONE;
	value->text = text;
}

void value_number(struct value *value, enum value_kind kind, int64_t number)
{
	value->kind = number == MODEL_NONE ? VALUE_NONE : kind;
	value->number = number;
}

/* ---- filter and search ------------------------------------------------------------------------------------- */

static int row_holds(const struct sheet *sheet, const struct sheet_row *row, const char *text)
{
	for (int i = 0; i < sheet->column_count; i++)
		if (row->value[i].kind == VALUE_TEXT && strcasestr(row->value[i].text, text))
			return 1;
	return 0;
}

/* A note goes with the row above it. */
int sheet_filter(struct sheet *sheet, const char *filter)
{
	int all = 0, kept = 0, keep = 0;

	if (!*filter)
		return sheet->row_count;
	for (int i = 0; i < sheet->row_count; i++) {
		struct sheet_row *row = &sheet->rows[i];

		all += row->kind == ROW_PLAIN;
		if (row->kind == ROW_PLAIN)
			keep = row_holds(sheet, row, filter);
		if (keep || row->kind == ROW_TOTAL)
			sheet->rows[kept++] = *row;
		else
			sheet->hidden_rows += row->kind == ROW_PLAIN;
	}
	sheet->row_count = kept;
	return all;
}

int sheet_search(const struct sheet *sheet, struct sheet_view *view, const char *text,
		 int direction)
{
	int at = sheet_selected(sheet, view);

	for (int i = 1; i <= sheet->row_count; i++) {
		int row = (at + direction * i + sheet->row_count * 2) % sheet->row_count;

		if (sheet->rows[row].kind == ROW_PLAIN && row_holds(sheet, &sheet->rows[row], text))
			return row;
	}
	return -1;
}

/* ---- sorting ------------------------------------------------------------------------------------------------ */

struct sort_key {
	int column, descending;
};

static int compare_values(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_TEXT && b->kind == VALUE_TEXT)
		return strcasecmp(a->text, b->text);
	if (a->kind <= VALUE_EMPTY || b->kind <= VALUE_EMPTY)
		return (a->kind > VALUE_EMPTY) - (b->kind > VALUE_EMPTY);
	return (a->number > b->number) - (a->number < b->number);
}

static int compare_rows(const void *left, const void *right, void *arg)
{
	const struct sheet_row *a = left, *b = right;
	const struct sort_key *key = arg;
	int order;

	if ((a->kind == ROW_TOTAL) != (b->kind == ROW_TOTAL))
		return a->kind == ROW_TOTAL ? 1 : -1;
	order = compare_values(&a->value[key->column], &b->value[key->column]);
	if (order)
		return key->descending ? -order : order;
	return (a->id > b->id) - (a->id < b->id);
}

struct known_order {
	const int64_t *ids;
	int count;
};

static int position(const struct known_order *order, int64_t id)
{
	for (int i = 0; i < order->count; i++)
		if (order->ids[i] == id)
			return i;
	return INT_MAX;
}

static int compare_known(const void *left, const void *right, void *arg)
{
	const struct sheet_row *a = left, *b = right;
	int at_a = a->kind == ROW_TOTAL ? INT_MAX : position(arg, a->id);
	int at_b = b->kind == ROW_TOTAL ? INT_MAX : position(arg, b->id);

	if (at_a != at_b)
		return at_a < at_b ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void remember_order(const struct sheet *sheet, struct sheet_view *view)
{
	int64_t *order = reallocarray(view->order, (size_t)sheet->row_count + 1, sizeof(*order));

	if (!order)
		return;
	view->order = order;
	view->order_count = 0;
	for (int i = 0; i < sheet->row_count; i++)
		if (sheet->rows[i].kind == ROW_PLAIN)
			order[view->order_count++] = sheet->rows[i].id;
}

void sheet_sort(struct sheet *sheet, struct sheet_view *view, int64_t now_ns, int64_t every_ns)
{
	struct sort_key key = {view->sort, 0};
	struct known_order known = {view->order, view->order_count};
	size_t count = (size_t)sheet->row_count, size = sizeof(*sheet->rows);

	if (view->sort < 0 || view->sort >= sheet->column_count || !count || sheet->sorted_already)
		return;
	key.descending = !(sheet->columns[view->sort].flags & COLUMN_LEFT) ^ view->reversed;
	if (known.count &&
	    (now_ns < view->frozen_until_ns || now_ns - view->sorted_ns < every_ns)) {
		qsort_r(sheet->rows, count, size, compare_known, &known);
		return;
	}
	qsort_r(sheet->rows, count, size, compare_rows, &key);
	view->sorted_ns = now_ns;
	remember_order(sheet, view);
}

int sheet_next_sort(const struct sheet *sheet, int current, int direction, int width)
{
	int next = current;

	do {
		next += direction;
		if (next < -1)
			next = sheet->column_count - 1;
		if (next >= sheet->column_count)
			next = -1;
	} while (next >= 0 && sheet->columns[next].from > width);
	return next;
}

/* ---- selection ------------------------------------------------------------------------------------------------ */

static int selectable_from(const struct sheet *sheet, int row, int direction)
{
	while (row >= 0 && row < sheet->row_count && sheet->rows[row].kind != ROW_PLAIN)
		row += direction;
	return row >= 0 && row < sheet->row_count ? row : -1;
}

void sheet_select(const struct sheet *sheet, struct sheet_view *view, int row)
{
	if (row < 0 || row >= sheet->row_count || sheet->rows[row].kind != ROW_PLAIN)
		return;
	view->selected = sheet->rows[row].id;
	view->selected_row = row;
	view->has_selected = 1;
}

int sheet_selected(const struct sheet *sheet, struct sheet_view *view)
{
	int row = view->selected_row;

	for (int i = 0; view->has_selected && i < sheet->row_count; i++)
		if (sheet->rows[i].kind == ROW_PLAIN && sheet->rows[i].id == view->selected) {
			view->selected_row = i;
			return i;
		}
	row = row >= sheet->row_count ? sheet->row_count - 1 : row;
	row = selectable_from(sheet, row, 1) >= 0 ? selectable_from(sheet, row, 1)
						  : selectable_from(sheet, row, -1);
	sheet_select(sheet, view, row);
	return row;
}

void sheet_move(const struct sheet *sheet, struct sheet_view *view, int count)
{
	int direction = count < 0 ? -1 : 1, row = sheet_selected(sheet, view);

	if (row < 0)
		return;
	for (; count; count -= direction) {
		int next = selectable_from(sheet, row + direction, direction);

		if (next < 0)
			break;
		row = next;
	}
	sheet_select(sheet, view, row);
}
