/* Layout of tables: which columns are drawn and how wide each is. */
#include "profiler/view/table.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/view/words.h"

enum { INDENT = 2, GAP = 2, COLUMNS_MAX = 32 };

struct layout {
	int widths[COLUMNS_MAX]; /* 0 = not drawn */
	int total, dropped;
};

void table_init(struct table *t, const struct table_column *columns, size_t count)
{
	*t = (struct table){.columns = columns,
			    .column_count = count < COLUMNS_MAX ? count : COLUMNS_MAX};
}

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->row_count * t->column_count; i++)
		free(t->cells[i]);
	free(t->cells);
	*t = (struct table){0};
}

void table_row(struct table *t)
{
	if (t->row_count == t->room) {
		size_t room = t->room ? t->room * 2 : 8;
		char **cells = reallocarray(t->cells, room * t->column_count, sizeof(*cells));

		if (!cells) {
			t->failed = 1;
			return;
		}
		t->cells = cells;
		t->room = room;
	}
	memset(&t->cells[t->row_count++ * t->column_count], 0, t->column_count * sizeof(*t->cells));
}

void table_set(struct table *t, size_t column, const char *text)
{
	char **cell;

	if (!t->row_count || column >= t->column_count)
		return;
	cell = &t->cells[(t->row_count - 1) * t->column_count + column];
	free(*cell);
	*cell = strdup(text);
	t->failed |= !*cell;
}

static const char *cell_text(const struct table *t, size_t row, size_t column)
{
	const char *text = t->cells[row * t->column_count + column];

	return text ? text : "-";
}

static int is_empty(const struct table *t, size_t column)
{
	for (size_t i = 0; i < t->row_count; i++)
		if (strcmp(cell_text(t, i, column), "-"))
			return 0;
	return 1;
}

static int width_of(const struct table *t, size_t column)
{
	int width = words_columns(t->columns[column].title);

	if (width < t->columns[column].width)
		width = t->columns[column].width;
	for (size_t i = 0; i < t->row_count; i++)
		if (words_columns(cell_text(t, i, column)) > width)
			width = words_columns(cell_text(t, i, column));
	return width;
}

static struct layout lay_out(const struct table *t, int width)
{
	struct layout l = {.total = INDENT - GAP};

	for (size_t i = 0; i < t->column_count; i++) {
		l.widths[i] = is_empty(t, i) ? 0 : width_of(t, i);
		l.total += l.widths[i] ? l.widths[i] + GAP : 0;
	}
	while (l.total > width) {
		int worst = -1;

		for (size_t i = 0; i < t->column_count; i++)
			if (l.widths[i] && t->columns[i].rank &&
			    (worst < 0 || t->columns[i].rank >= t->columns[worst].rank))
				worst = (int)i;
		if (worst < 0)
			break;
		l.total -= l.widths[worst] + GAP;
		l.widths[worst] = 0;
		l.dropped++;
	}
	return l;
}

static void print_line(const struct table *t, FILE *out, const struct layout *l, size_t row,
		       int titles)
{
	int pending = INDENT; /* blanks are held back: no line ends in them */

	for (size_t i = 0; i < t->column_count; i++) {
		const char *text = titles ? t->columns[i].title : cell_text(t, row, i);
		int blank = l->widths[i] - words_columns(text);

		if (!l->widths[i])
			continue;
		fprintf(out, "%*s%s", pending + (t->columns[i].left ? 0 : blank), "", text);
		pending = GAP + (t->columns[i].left ? blank : 0);
	}
	fputc('\n', out);
}

int table_print(struct table *t, FILE *out, int width)
{
	struct layout l = lay_out(t, width);

	print_line(t, out, &l, 0, 1);
	for (size_t i = 0; i < t->row_count; i++)
		print_line(t, out, &l, i, 0);
	return l.dropped;
}
