/*
 * chart.h: the stacked chart of a job's memory over time: which glyph goes where. It draws into a grid of cells and knows of no terminal:
 * the text report prints the grid, the demo two side by side, the dashboard colours it.
 *
 *    28│────────────────  limit
 *      │      ╱╱╱╱╱╱╱╱╱╱  held idle, on top: the lower edge of the hatching is the curve without it
 *    10│ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒  delivering
 *     0│████████████████  owner
 *       │ train e0 ═│val0 phases
 *       0:00      4:00    time
 *
 * One column is one bucket of time and shows the round with the largest total in it, all layers of that one instant: the peak survives
 * every width. Layers are rounded cumulatively; a layer that is held idle is at least one cell.
 */
#ifndef PROFILER_VIEW_CHART_H
#define PROFILER_VIEW_CHART_H

#include <stdint.h>
#include <stdio.h>

#include "profiler/model/model.h"
#include "profiler/view/chart_scale.h"

/* What a cell shows: the meaning that a colour may be given to. */
enum chart_ink {
	CHART_BLANK,
	CHART_OWNER,
	CHART_DELIVERING,
	CHART_PARKED,
	CHART_IDLE,
	CHART_LIMIT,
	CHART_AXIS,
	CHART_PHASE,
	CHART_TIME,
	CHART_GAP, /* no data */
	CHART_INKS
};

struct chart_cell {
	const char *glyph; /* one column wide, UTF-8; static */
	enum chart_ink ink;
};

struct chart_grid {
	int width, height;
	struct chart_cell *cells; /* row by row from the top */
};

struct chart_glyphs {
	const char *inks[CHART_INKS];
	const char *train_fill, *other_fill;
};

extern const struct chart_glyphs chart_utf8, chart_ascii;

/* The part of a grid to draw in, and what of the time axis. */
struct chart_area {
	const struct model *m;
	const struct chart_glyphs *glyphs;
	int64_t start_ns, end_ns;
	int left, top, width, rows;
};

/* Blank cells; 0, or -1 when out of memory. The caller releases it. */
int chart_grid_init(struct chart_grid *grid, int width, int height);
void chart_grid_release(struct chart_grid *grid);
void chart_put(struct chart_grid *grid, int column, int row, const char *glyph, enum chart_ink ink);

/* Prints the rows, without blanks at their ends. */
void chart_print(const struct chart_grid *grid, FILE *out);

/* Writes ASCII text from a column on, cut at the grid's edge. */
void chart_write(struct chart_grid *grid, int column, int row, const char *text,
		 enum chart_ink ink);

/* Columns that the labels need, with the axis. */
int chart_label_width(const struct chart_scale *scale);

/* The layers and the limit line in area->rows rows. */
int chart_plot(struct chart_grid *grid, const struct chart_area *area,
	       const struct chart_scale *scale);

/* Numbers at the left of the plot, right-aligned before the axis at column area->left - 1: at most four, the limit always. */
void chart_labels(struct chart_grid *grid, const struct chart_area *area,
		  const struct chart_scale *scale);

/* One row of phases, at row `row` of the grid: those of the process with index `owner`, or, ranks of one job doing the same, of
 * the first owner (-1). */
void chart_phases(struct chart_grid *grid, const struct chart_area *area, int row, int owner);

/* "val": a stage where there is little room; "" for other. */
const char *chart_stage_brief(enum model_stage stage);

/* One row of moments. */
void chart_times(struct chart_grid *grid, const struct chart_area *area, int row);

#endif
