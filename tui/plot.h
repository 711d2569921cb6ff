/*
 * chart.h: the arithmetic of the stacked chart of memory over time, for grids of characters: which value stands in which
 * row, what the axes say, where the phases lie. It draws nothing; the dashboard and the text report draw from it.
 *
 * Rows count from the bottom, from 0; columns from the left. Strings are UTF-8 with the block glyphs.
 */
#ifndef TUI_PLOT_H
#define TUI_PLOT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#include "profiler/model/model.h"
#include "profiler/view/format.h"

/* ---- bytes, upwards ------------------------------------------------------------------------------------ */

struct plot_scale {
	int rows;
	enum format_unit unit;
	int64_t top_bytes;   /* at the upper edge of the top row */
	int64_t step_bytes;  /* between labels */
	int64_t limit_bytes; /* MODEL_NONE = none, or so far above that it is not drawn */
};

/* 0 to the larger of peak and limit, rounded up to 1, 2, 3 or 5 x 10^n of the unit. A limit of more than four
 * times the peak is left out. */
struct plot_scale plot_scale(int64_t peak_bytes, int64_t limit_bytes, int rows);

/* The row in which a value stands; above the top it is the top row. */
int plot_row(const struct plot_scale *scale, int64_t bytes);

/* The label of a row, "" for none: at most three round values and the limit. */
void plot_label(const struct plot_scale *scale, int row, char *out);

/* Stacks `count` layers: ends[i] = rows filled when layer i is drawn, rounded so that the whole stack is right. Layers from
 * `idle_from` on are held idle: if they are not all 0 they get one row at least. */
void plot_stack(const struct plot_scale *scale, const int64_t *bytes, size_t count,
		size_t idle_from, int *ends);

/* ---- time, to the right ---------------------------------------------------------------------------------- */

struct plot_span {
	int64_t start_ns, end_ns; /* end is exclusive */
	int columns;
};

/* The column of a moment; outside the span it is negative or >= columns. */
int plot_column(const struct plot_span *span, int64_t t_ns);

/* The first moment of a column. */
int64_t plot_column_ns(const struct plot_span *span, int column);

/* A round distance between labels of the time axis, each `label_columns` wide at most. */
int64_t plot_tick_ns(const struct plot_span *span, int label_columns);

/* "val": a stage where there is little room. */
const char *plot_stage_brief(enum model_stage stage);

/* One row of phases for `owner` (a process index, -1 = all): a bar at every start, the name as far as it fits ("train e0",
 * "val0", "v"), the rest filled. `out` holds span->columns characters. */
void plot_band(const struct model *m, const struct plot_span *span, int owner, wchar_t *out);

#endif
