/*
 * sheet.h: a sheet of values: which columns fit, one unit for all bytes, sorting, filtering, searching, drawing. The
 * columns are data (columns.def); a screen fills in rows of typed values and knows nothing of widths.
 *
 * A sheet is made anew for every frame; what a person chose (row, sorting, filter) is in struct sheet_view and stays.
 */
#ifndef TUI_SHEET_H
#define TUI_SHEET_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/view/format.h"
#include "tui/cells.h"

enum sheet_kind {
	SHEET_OVERVIEW,
	SHEET_POOLS,
	SHEET_PROCESSES,
	SHEET_SITES,
	SHEET_FINDINGS,
	SHEET_EVENTS,
	SHEET_DIFFERENCE,
	SHEET_RUNNING,
	SHEETS
};

/* COLUMN_OVERVIEW_POOL …: positions in the rows of that sheet. */
#define COLUMN(sheet, name, ...) COLUMN_##sheet##_##name,
enum columns_all {
#include "tui/columns.def"
	COLUMNS_ALL
};
#undef COLUMN

enum { SHEET_COLUMNS_MAX = 16, VALUE_TEXT_SIZE = 128 };

enum column_flags {
	COLUMN_LEFT = 1 << 0,
	COLUMN_FLEX = 1 << 1,
	COLUMN_PATH = 1 << 2,
	COLUMN_NAME = 1 << 3,
	COLUMN_ALWAYS = 1 << 4,
	COLUMN_FOLLOWS = 1 << 5,
};

struct column {
	enum sheet_kind sheet;
	const char *heading;
	int width, from;
	unsigned flags;
};

extern const struct column all_columns[COLUMNS_ALL];

enum value_kind {
	VALUE_NONE,    /* does not apply: "-" */
	VALUE_UNKNOWN, /* cannot be read: "?" */
	VALUE_EMPTY,   /* nothing is written */
	VALUE_TEXT,
	VALUE_BYTES,          /* in the sheet's unit */
	VALUE_SENTENCE_BYTES, /* with its own unit */
	VALUE_CHANGE,         /* bytes with a sign */
	VALUE_COUNT,
	VALUE_PART,     /* "924/924" */
	VALUE_DURATION, /* "5.0s" */
	VALUE_MOMENT,   /* "1:04" */
	VALUE_TENTHS,   /* "12:33.9" */
};

struct value {
	enum value_kind kind;
	int64_t number, whole;
	const char *text; /* VALUE_TEXT: lives until the sheet is drawn (sheet_text) */
	enum role role;
	unsigned over;
	int stale; /* the last seen value: "~" after it */
};

enum sheet_row_kind {
	ROW_PLAIN,
	ROW_NOTE,  /* cannot be selected, stays with the row above */
	ROW_TOTAL, /* at the end, never sorted or filtered */
};

struct sheet_row {
	enum sheet_row_kind kind;
	int64_t id; /* of the thing: the selection follows it */
	struct value value[SHEET_COLUMNS_MAX];
};

struct sheet {
	enum sheet_kind kind;
	const struct column *columns;
	int column_count;
	struct sheet_row *rows;
	int row_count, capacity;
	int decimals;        /* of GiB and more; MiB have one */
	const char *heading; /* of the first column, when it differs from columns.def */
	struct text_block *texts;
	int hidden_rows;    /* by the filter */
	int sorted_already; /* by who built it: a tree */
};

/* What a person chose in one sheet. */
struct sheet_view {
	int64_t selected;
	int selected_row; /* where it was last: when the thing is gone, the row that took its place */
	int has_selected;
	int top, visible; /* rows scrolled away; rows that fitted when it was last drawn */
	int sort;         /* position of the column, -1 = the sheet's own order */
	int reversed;
	int64_t *order; /* ids as last sorted */
	int order_count;
	int64_t sorted_ns, frozen_until_ns;
};

void sheet_init(struct sheet *sheet, enum sheet_kind kind);
void sheet_release(struct sheet *sheet);
void sheet_view_init(struct sheet_view *view);
void sheet_view_release(struct sheet_view *view);

/* Adds a row of VALUE_NONE. NULL when out of memory: the row is left out. */
struct sheet_row *sheet_add(struct sheet *sheet, enum sheet_row_kind kind, int64_t id);

/* The value of column `column` (enum columns_all) in a row. */
struct value *sheet_value(const struct sheet *sheet, struct sheet_row *row, int column);

/* That of all its bytes, for the caption: by the largest, columns that follow left out. */
enum format_unit sheet_unit(const struct sheet *sheet);

/* A copy of formatted text that lives as long as the sheet; "" when out of memory. */
const char *sheet_text(struct sheet *sheet, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Fill a value. */
void value_text(struct value *value, const char *text);
void value_number(struct value *value, enum value_kind kind, int64_t number); /* MODEL_NONE: "-" */

/* Leaves only the rows in which some text holds `filter` (any case). Returns how many rows there were. */
int sheet_filter(struct sheet *sheet, const char *filter);

/* Sorts by view->sort. While `now_ns` is before view->frozen_until_ns, or less than `every_ns` after the last sorting, the
 * last order is kept, so that rows do not move under a person's eyes. */
void sheet_sort(struct sheet *sheet, struct sheet_view *view, int64_t now_ns, int64_t every_ns);

/* The next sortable column of those shown at `width`, in `direction`; -1 is the sheet's own order. */
int sheet_next_sort(const struct sheet *sheet, int current, int direction, int width);

/* Index of the selected row, moving the selection when its thing is gone; -1 when no row can be selected. */
int sheet_selected(const struct sheet *sheet, struct sheet_view *view);

/* Moves the selection by `count` selectable rows, or to the first or last (INT_MIN, INT_MAX). */
void sheet_move(const struct sheet *sheet, struct sheet_view *view, int count);
void sheet_select(const struct sheet *sheet, struct sheet_view *view, int row);

/* The next row (direction 1 or -1) that holds `text`, from the selected one on, round the end. -1 = none. */
int sheet_search(const struct sheet *sheet, struct sheet_view *view, const char *text,
		 int direction);

/* Where a sheet goes, and what became of it. */
struct sheet_place {
	struct cells *cells;
	int y, height; /* heading, rows and totals */
	/* told where each heading stands, for the mouse; NULL */
	void (*heading_at)(void *arg, int column, int x, int width);
	void *arg;
	/* out */
	int first_row, rows; /* shown; line y + 1 is first_row */
	int totals;          /* lines of totals below them */
	int hidden_columns;  /* too wide for this terminal */
	int next_y;
};

void sheet_draw(const struct sheet *sheet, struct sheet_view *view, struct sheet_place *place);

#endif
