/* The comparison of two runs; see comparison.h. */
#include "profiler/view/comparison.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "profiler/view/chart.h"
#include "profiler/view/format.h"
#include "profiler/view/words.h"

enum {
	ROWS = 6,
	LABELS = 5,
	BETWEEN = 5,
	NAME_WIDTH = 21,
	CELL_WIDTH = 12,
	LEAST_CHART = 16,
	MOST_CHART = 45
};

int comparison_same_losses(const struct comparison *c)
{
	return !memcmp(c->old_losses, c->new_losses, c->loss_count * sizeof(double));
}

/* ---- the charts ------------------------------------------------------------------------------------------ */

static int64_t larger_peak(const struct comparison *c)
{
	int64_t a = c->old_run->totals.peak_bytes, b = c->new_run->totals.peak_bytes;

	return a > b ? a : b;
}

/* The larger peak is the upper edge, so the two charts use all rows; the other peak is labelled where it lies. */
static void label_peak(struct chart_grid *grid, const struct chart_scale *scale, int64_t bytes,
		       int avoid, int *row)
{
	enum format_unit unit = scale->unit;
	char text[FORMAT_MAX];
	int level = (int)lround((double)bytes * ROWS / (double)scale->top_bytes);

	*row = 1 + ROWS - (level > 0 ? level : 1);
	if (*row == avoid)
		return;
	format_cell(text, bytes, unit, unit >= FORMAT_GIB ? 1 : 0);
	chart_write(grid, LABELS - 1 - (int)strlen(text), *row, text, CHART_AXIS);
}

static int draw_run(struct chart_grid *grid, const struct chart_scale *scale,
		    const struct chart_area *area, const char *name)
{
	const char *axis = area->glyphs->inks[CHART_AXIS];
	int failed = chart_plot(grid, area, scale);

	for (int row = 1; row <= ROWS + 1; row++) {
		chart_put(grid, area->left - 1, row, axis, CHART_AXIS);
		if (row <= ROWS)
			chart_put(grid, area->left + area->width, row, axis, CHART_AXIS);
	}
	chart_write(grid, area->left, 0, name, CHART_AXIS);
	chart_phases(grid, area, ROWS + 1, -1);
	return failed;
}

static int print_charts(FILE *out, const struct comparison *c, const struct report_options *options)
{
	int width = (options->width - LABELS - BETWEEN - 1) / 2;
	struct chart_scale scale = {larger_peak(c), MODEL_NONE, format_unit_for(larger_peak(c))};
	struct chart_area area = {.m = c->old_run, .left = LABELS, .top = 1, .rows = ROWS};
	struct chart_grid grid;
	int failed, row;

	area.width = width > MOST_CHART ? MOST_CHART : width;
	area.glyphs = options->utf8 ? &chart_utf8 : &chart_ascii;
	area.end_ns = c->old_run->totals.duration_ns;
	if (area.width < LEAST_CHART || scale.top_bytes <= 0)
		return 0;
	if (chart_grid_init(&grid, LABELS + 2 * area.width + BETWEEN + 1, ROWS + 2) < 0)
		return -1;
	failed = draw_run(&grid, &scale, &area, c->old_name);
	area.left += area.width + BETWEEN;
	area.m = c->new_run;
	area.end_ns = c->new_run->totals.duration_ns;
	failed |= draw_run(&grid, &scale, &area, c->new_name);
	label_peak(&grid, &scale, larger_peak(c), -1, &row);
	label_peak(&grid, &scale,
		   c->old_run->totals.peak_bytes + c->new_run->totals.peak_bytes - larger_peak(c),
		   row, &row);
	chart_print(&grid, out);
	chart_grid_release(&grid);
	fprintf(out, "      %s owner  %s delivering  %s held idle%*s%s, same scale\n\n",
		area.glyphs->inks[CHART_OWNER], area.glyphs->inks[CHART_DELIVERING],
		area.glyphs->inks[CHART_IDLE], 2 * area.width > 56 ? 2 * area.width - 46 : 10, "",
		format_unit_name(scale.unit));
	return failed;
}

/* ---- the figures ----------------------------------------------------------------------------------------- */

static void print_row(FILE *out, const char *name, const char *before, const char *after,
		      const char *change)
{
	fprintf(out, "%-*s%*s%*s%*s\n", NAME_WIDTH, name, CELL_WIDTH, before, CELL_WIDTH, after,
		change[0] ? CELL_WIDTH + 2 : 0, change);
}

/* One unit for all figures of the table: that of the larger peak. */
static char *in_unit(char *out, const struct comparison *c, int64_t bytes, int difference)
{
	enum format_unit unit = format_unit_for(larger_peak(c));
	int decimals = unit >= FORMAT_GIB ? 1 : 0;

	if (difference)
		format_difference_cell(out, bytes, unit, decimals);
	else
		format_cell(out, bytes, unit, decimals);
	snprintf(out + strlen(out), FORMAT_MAX - strlen(out), " %s", format_unit_name(unit));
	return out;
}

static void bytes_row(FILE *out, const struct comparison *c, const char *name, int64_t before,
		      int64_t after)
{
	char texts[3][FORMAT_MAX];

	print_row(out, name, in_unit(texts[0], c, before, 0), in_unit(texts[1], c, after, 0),
		  in_unit(texts[2], c, after - before, 1));
}

static void peak_row(FILE *out, const struct comparison *c)
{
	int64_t before = c->old_run->totals.peak_bytes, after = c->new_run->totals.peak_bytes;
	char texts[3][FORMAT_MAX], change[2 * FORMAT_MAX];

	snprintf(change, sizeof(change), "%s  %+4.0f%%", in_unit(texts[2], c, after - before, 1),
		 before ? 100.0 * (double)(after - before) / (double)before : 0.0);
	fprintf(out, "%-*s%*s%*s%*s\n", NAME_WIDTH, "peak", CELL_WIDTH,
		in_unit(texts[0], c, before, 0), CELL_WIDTH, in_unit(texts[1], c, after, 0),
		CELL_WIDTH + 2 + 7, change);
}

static void count_row(FILE *out, const char *name, int64_t before, int64_t after)
{
	char texts[2][FORMAT_MAX];

	print_row(out, name, format_count(texts[0], before), format_count(texts[1], after), "");
}

static void capacity_row(FILE *out, const struct comparison *c)
{
	const struct model_capacity *before = &c->old_run->capacity, *after = &c->new_run->capacity;
	char texts[2][FORMAT_MAX];

	if (before->workers != MODEL_NONE && after->workers != MODEL_NONE)
		print_row(out, "workers that fit",
			  words_workers(texts[0], FORMAT_MAX, before->as_it_runs),
			  words_workers(texts[1], FORMAT_MAX, after->as_it_runs), "");
}

static void time_row(FILE *out, const struct comparison *c)
{
	int64_t before = c->old_run->totals.duration_ns, after = c->new_run->totals.duration_ns;
	char texts[2][FORMAT_MAX], change[FORMAT_MAX];

	print_row(out, "time", format_duration_cell(texts[0], before),
		  format_duration_cell(texts[1], after),
		  format_duration_change_cell(change, after - before));
}

static void losses_row(FILE *out, const struct comparison *c)
{
	char name[48];
	int same = comparison_same_losses(c);

	if (!c->loss_count)
		return;
	snprintf(name, sizeof(name), "losses, %zu epoch%s", c->loss_count,
		 c->loss_count == 1 ? "" : "s");
	fprintf(out, "%-*s", NAME_WIDTH, name);
	for (size_t i = 0; i < c->loss_count; i++)
		fprintf(out, "%s%.4f", i ? " " : "", c->old_losses[i]);
	if (same) {
		fputs(", the same to the bit\n", out);
		return;
	}
	fprintf(out, "\n%-*s", NAME_WIDTH, "");
	for (size_t i = 0; i < c->loss_count; i++)
		fprintf(out, "%s%.4f", i ? " " : "", c->new_losses[i]);
	fputs(", losses differ: please report\n", out);
}

/* What the pools of each stage held, at most or on average. */
static void stage_rows(FILE *out, const struct comparison *c, int average)
{
	static const enum model_stage order[] = {MODEL_STAGE_TRAIN,   MODEL_STAGE_VALIDATE,
						 MODEL_STAGE_SANITY,  MODEL_STAGE_TEST,
						 MODEL_STAGE_PREDICT, MODEL_STAGE_OTHER};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		const struct model_stage_totals *a = &c->old_run->stages[order[i]],
						*b = &c->new_run->stages[order[i]];
		char name[64];

		snprintf(name, sizeof(name), "  by %s pools", model_stage_name(order[i]));
		if (a->idle_max_bytes || b->idle_max_bytes)
			bytes_row(out, c, name, average ? a->idle_average_bytes : a->idle_max_bytes,
				  average ? b->idle_average_bytes : b->idle_max_bytes);
	}
}

static void print_figures(FILE *out, const struct comparison *c)
{
	const struct model_totals *a = &c->old_run->totals, *b = &c->new_run->totals;

	print_row(out, "", c->old_name, c->new_name, "change");
	peak_row(out, c);
	bytes_row(out, c, "held idle, at most", a->idle_max_bytes, b->idle_max_bytes);
	stage_rows(out, c, 0);
	bytes_row(out, c, "held idle, average", a->idle_average_bytes, b->idle_average_bytes);
	stage_rows(out, c, 1);
	count_row(out, "pools alive at once", a->pools_alive_max, b->pools_alive_max);
	capacity_row(out, c);
	time_row(out, c);
	losses_row(out, c);
}

/* Two to a line, as "441  validate inside the train iterator's life". */
static void print_habits(FILE *out, const struct comparison *c)
{
	enum format_unit unit = format_unit_for(larger_peak(c));
	int width = 0;

	if (!c->habit_count)
		return;
	for (size_t i = 0; i < c->habit_count; i++)
		if (words_columns(c->habits[i].text) > width)
			width = words_columns(c->habits[i].text);
	fprintf(out,
		"\n%c%s = %zu habits seen in real frameworks. Peak with only one of them, %s:\n",
		toupper((unsigned char)c->old_name[0]), c->old_name + 1, c->habit_count,
		format_unit_name(unit));
	for (size_t i = 0; i < c->habit_count; i++) {
		char cell[FORMAT_MAX];
		int last = i % 2 || i + 1 == c->habit_count;

		fprintf(out, "  %s  %-*s%s",
			format_cell(cell, c->habits[i].peak_bytes, unit,
				    unit >= FORMAT_GIB ? 1 : 0),
			last ? 0 : width, c->habits[i].text, last ? "\n" : "  ");
	}
}

int comparison_print(FILE *out, const struct comparison *c, const struct report_options *options)
{
	fprintf(out, "loopmem demo: %s\n\n", c->title);
	if (print_charts(out, c, options) < 0)
		return -1;
	print_figures(out, c);
	print_habits(out, c);
	fprintf(out, "Look at both:  loopmem top %s     loopmem diff %s %s\n", c->old_file,
		c->old_file, c->new_file);
	return 0;
}
