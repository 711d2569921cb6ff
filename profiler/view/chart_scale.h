/*
 * chart_scale.h: the arithmetic of the chart of memory over time: which value stands in which row, which moment in which
 * column, how layers are rounded, what the axes say. It draws nothing: text report and dashboard draw from it.
 *
 * Rows count from the bottom, columns from the left, both from 0.
 */
#ifndef PROFILER_VIEW_CHART_SCALE_H
#define PROFILER_VIEW_CHART_SCALE_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/view/format.h"

/* ---- bytes, upwards ------------------------------------------------------------------------------- */

struct chart_scale {
	int64_t top_bytes;   /* at the upper edge */
	int64_t limit_bytes; /* where the limit line is; MODEL_NONE = not in the chart */
	enum format_unit unit;
};

/* 0 to the larger of peak and limit, rounded up to 1, 2, 3 or 5 times a power of ten. A limit more than four times
 * the peak is left out. */
struct chart_scale chart_scale_for(int64_t peak_bytes, int64_t limit_bytes);

/* The row, of `rows`, in which a value stands; above the top it is the top row. */
int chart_row(const struct chart_scale *scale, int rows, int64_t bytes);

/* The label of a row in FORMAT_MAX bytes, "" for none: the limit always, and round values. */
void chart_label(const struct chart_scale *scale, int rows, int row, char *out);

/* Stacks `count` layers from the bottom: ends[i] = rows filled up to and with layer i, rounded so that the whole stack
 * is right. The layers from `idle_from` on are held idle: they get a row, however little they are. */
void chart_stack(const struct chart_scale *scale, int rows, const int64_t *bytes, size_t count,
		 size_t idle_from, int *ends);

/* ---- time, to the right ----------------------------------------------------------------------------- */

struct chart_span {
	int64_t start_ns, end_ns; /* the end is not part of it */
	int columns;
};

/* The column of a moment; outside the span it is negative or >= columns. */
int chart_column(const struct chart_span *span, int64_t t_ns);

/* The first moment of a column. */
int64_t chart_column_ns(const struct chart_span *span, int column);

/* A round distance between the labels of the time axis. */
int64_t chart_tick_ns(const struct chart_span *span);

#endif
