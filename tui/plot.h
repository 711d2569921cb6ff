/*
 * plot.h: the chart of the dashboard in cells: columns of layers in blocks or braille, and the frame round them. The arithmetic
 * is profiler/view/chart_scale.h, the layers come from stack.h.
 */
#ifndef TUI_PLOT_H
#define TUI_PLOT_H

#include "tui/stack.h"
#include "tui/ui.h"

/* Where the columns of one chart go, and its scale. */
struct plot {
	struct cells *cells;
	struct chart_scale scale;
	struct chart_span span;
	int left, top, rows; /* the first column's cell; the top row; the axis stands at left - 1 */
};

/* plot_columns.c: fills the columns of `stack`; `smooth` = there are colours to tell a solid edge in eighths of a row. */
void plot_columns(const struct plot *plot, const struct stack *stack, int smooth);
void plot_columns_braille(const struct plot *plot, const struct stack *stack);

#endif
