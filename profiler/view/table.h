/*
 * table.h: columns of text that fit a width. A column whose every cell is "-" is not drawn; when the table is too wide the columns of
 * the highest rank go first, rank 0 never. Numbers are right-aligned, so that points line up.
 */
#ifndef PROFILER_VIEW_TABLE_H
#define PROFILER_VIEW_TABLE_H

#include <stddef.h>
#include <stdio.h>

struct table_column {
	const char *title;
	int width; /* at least */
	int rank;
	int left; /* left-aligned */
};

struct table {
	const struct table_column *columns;
	size_t column_count, row_count, room;
	char **cells; /* row by row */
	int failed;   /* out of memory: some cells are missing */
};

void table_init(struct table *t, const struct table_column *columns, size_t count);
void table_release(struct table *t);

/* Begins a row whose cells are all "-". */
void table_row(struct table *t);
/* Sets a cell of the last row; the text is copied. */
void table_set(struct table *t, size_t column, const char *text);

/* Prints titles and rows, each line indented by two. Returns how many columns were dropped for width. */
int table_print(struct table *t, FILE *out, int width);

#endif
