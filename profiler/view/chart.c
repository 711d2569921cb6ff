/* The grid, the scale and the stacked layers of the chart. */
#include "profiler/view/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct chart_glyphs chart_utf8 = {
	.inks = {[CHART_BLANK] = " ",
		 [CHART_OWNER] = "█",
		 [CHART_DELIVERING] = "▒",
		 [CHART_PARKED] = "░",
		 [CHART_IDLE] = "╱",
		 [CHART_LIMIT] = "─",
		 [CHART_AXIS] = "│",
		 [CHART_PHASE] = "│",
		 [CHART_TIME] = " ",
		 [CHART_GAP] = "?"},
	.train_fill = "═",
	.other_fill = "─",
};

const struct chart_glyphs chart_ascii = {
	.inks = {[CHART_BLANK] = " ",
		 [CHART_OWNER] = "#",
		 [CHART_DELIVERING] = "=",
		 [CHART_PARKED] = ".",
		 [CHART_IDLE] = "/",
		 [CHART_LIMIT] = "-",
		 [CHART_AXIS] = "|",
		 [CHART_PHASE] = "|",
		 [CHART_TIME] = " ",
		 [CHART_GAP] = "?"},
	.train_fill = "=",
	.other_fill = "-",
};

int chart_grid_init(struct chart_grid *grid, int width, int height)
{
	size_t count = (size_t)width * (size_t)height;

	*grid = (struct chart_grid){width, height, malloc((count + 1) * sizeof(struct chart_cell))};
	for (size_t i = 0; grid->cells && i < count; i++)
		grid->cells[i] = (struct chart_cell){" ", CHART_BLANK};
	return grid->cells ? 0 : -1;
}

void chart_grid_release(struct chart_grid *grid)
{
	free(grid->cells);
	*grid = (struct chart_grid){0};
}

void chart_put(struct chart_grid *grid, int column, int row, const char *glyph, enum chart_ink ink)
{
	if (column >= 0 && column < grid->width && row >= 0 && row < grid->height)
		grid->cells[row * grid->width + column] = (struct chart_cell){glyph, ink};
}

void chart_print(const struct chart_grid *grid, FILE *out)
{
	for (int row = 0; row < grid->height; row++) {
		const struct chart_cell *cells = &grid->cells[row * grid->width];
		int end = grid->width;

		while (end && cells[end - 1].glyph[0] == ' ')
			end--;
		for (int i = 0; i < end; i++)
			fputs(cells[i].glyph, out);
		fputc('\n', out);
	}
}

/* One-character strings for the printable ASCII characters. */
static const char *glyph_of(char c)
{
	static const char table[95][2] = {
		" ", "!", "\"", "#", "$", "%", "&", "'", "(", ")", "*", "+", ",",  "-", ".", "/",
		"0", "1", "2",  "3", "4", "5", "6", "7", "8", "9", ":", ";", "<",  "=", ">", "?",
		"@", "A", "B",  "C", "D", "E", "F", "G", "H", "I", "J", "K", "L",  "M", "N", "O",
		"P", "Q", "R",  "S", "T", "U", "V", "W", "X", "Y", "Z", "[", "\\", "]", "^", "_",
		"`", "a", "b",  "c", "d", "e", "f", "g", "h", "i", "j", "k", "l",  "m", "n", "o",
		"p", "q", "r",  "s", "t", "u", "v", "w", "x", "y", "z", "{", "|",  "}", "~",
	};

	return c >= ' ' && c <= '~' ? table[c - ' '] : "?";
}

void chart_write(struct chart_grid *grid, int column, int row, const char *text, enum chart_ink ink)
{
	for (; *text; text++)
		chart_put(grid, column++, row, glyph_of(*text), ink);
}

static double round_up(double value)
{
	static const double steps[] = {1, 2, 3, 5, 10};
	double power = pow(10, floor(log10(value)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

struct chart_scale chart_scale_for(int64_t peak_bytes, int64_t limit_bytes)
{
	struct chart_scale scale = {.limit_bytes = limit_bytes};
	int64_t top = peak_bytes > 0 ? peak_bytes : 1 << 20;

	if (limit_bytes != MODEL_NONE && limit_bytes / 4 > top)
		scale.limit_bytes = MODEL_NONE;
	else if (limit_bytes != MODEL_NONE && limit_bytes > top)
		top = limit_bytes;
	scale.unit = format_unit_for(top);
	top = (int64_t)(round_up(format_in_unit(top, scale.unit)) *
			((double)top / format_in_unit(top, scale.unit)));
	scale.top_bytes = top;
	return scale;
}

/* The upper edges of the layers of a column, in cells. */
struct column {
	int owner, delivering, parked, idle;
};

static int cells(double bytes, double cell)
{
	return (int)lround(bytes / cell);
}

static struct column column_of(const struct model_round *r, double cell)
{
	double sum = (double)r->owner_bytes;
	struct column c = {.owner = cells(sum, cell)};

	c.delivering = cells(sum += (double)r->delivering_bytes, cell);
	c.parked = cells(sum += (double)r->parked_bytes, cell);
	c.idle = cells(sum + (double)r->idle_bytes, cell);
	if (r->idle_bytes > 0 && c.idle == c.parked) {
		/* too little for a cell of its own, but never hidden: it takes the top one */
		if (!c.idle)
			c.idle = 1;
		c.parked = c.idle - 1;
		c.delivering = c.delivering < c.parked ? c.delivering : c.parked;
		c.owner = c.owner < c.parked ? c.owner : c.parked;
	}
	return c;
}

static enum chart_ink ink_at(const struct column *c, int level)
{
	return level < c->owner        ? CHART_OWNER
	       : level < c->delivering ? CHART_DELIVERING
	       : level < c->parked     ? CHART_PARKED
	       : level < c->idle       ? CHART_IDLE
				       : CHART_BLANK;
}

/* The row of a figure, from the top of the plot. */
static int row_of(const struct chart_area *area, const struct chart_scale *scale, double bytes)
{
	int level = (int)floor(bytes * area->rows / (double)scale->top_bytes + 1e-9);

	return area->rows - 1 - (level < area->rows ? level : area->rows - 1);
}

static void draw_limit(struct chart_grid *grid, const struct chart_area *area,
		       const struct chart_scale *scale)
{
	int row;

	if (scale->limit_bytes == MODEL_NONE)
		return;
	row = area->top + row_of(area, scale, (double)scale->limit_bytes);
	for (int i = 0; i < area->width; i++)
		chart_put(grid, area->left + i, row, area->glyphs->inks[CHART_LIMIT], CHART_LIMIT);
}

static void draw_column(struct chart_grid *grid, const struct chart_area *area,
			const struct chart_scale *scale, int i, const struct model_round *r)
{
	struct column c = column_of(r, (double)scale->top_bytes / area->rows);

	for (int level = 0; level < area->rows; level++) {
		enum chart_ink ink = ink_at(&c, level);

		if (ink != CHART_BLANK)
			chart_put(grid, area->left + i, area->top + area->rows - 1 - level,
				  area->glyphs->inks[ink], ink);
	}
}

int chart_plot(struct chart_grid *grid, const struct chart_area *area,
	       const struct chart_scale *scale)
{
	struct model_round *buckets = calloc((size_t)area->width + 1, sizeof(*buckets));
	int begun = 0;

	if (!buckets)
		return -1;
	model_reduce(area->m, area->start_ns, area->end_ns, (size_t)area->width, buckets);
	draw_limit(grid, area, scale);
	for (int i = 0; i < area->width; i++) {
		int64_t bucket_ns =
			area->start_ns + (area->end_ns - area->start_ns) / area->width * i;

		if (buckets[i].t_ns != MODEL_NONE)
			draw_column(grid, area, scale, i, &buckets[i]);
		else if (begun && bucket_ns < area->m->rounds[area->m->round_count - 1].t_ns)
			chart_put(grid, area->left + i, area->top + area->rows - 1,
				  area->glyphs->inks[CHART_GAP], CHART_GAP);
		begun |= buckets[i].t_ns != MODEL_NONE;
	}
	free(buckets);
	return 0;
}

int chart_label_width(const struct chart_scale *scale)
{
	/* "28", "1000"; a limit of 7.6 takes three */
	double top = format_in_unit(scale->top_bytes, scale->unit);

	return top >= 1000 ? 5 : 4;
}

static void label(struct chart_grid *grid, const struct chart_area *area, int row, double value)
{
	char text[FORMAT_MAX];

	snprintf(text, sizeof(text), value == floor(value) || value >= 99.95 ? "%.0f" : "%.1f",
		 value);
	chart_write(grid, area->left - 1 - (int)strlen(text), area->top + row, text, CHART_AXIS);
}

void chart_labels(struct chart_grid *grid, const struct chart_area *area,
		  const struct chart_scale *scale)
{
	double top = format_in_unit(scale->top_bytes, scale->unit);
	double power = pow(10, floor(log10(top) + 1e-9)), first = round(top / power);
	double step = first == 1 ? top / 2 : first == 5 ? 2 * power : power;
	int limit_row = -1;

	for (int row = 0; row < area->rows; row++)
		chart_put(grid, area->left - 1, area->top + row, area->glyphs->inks[CHART_AXIS],
			  CHART_AXIS);
	if (scale->limit_bytes != MODEL_NONE) {
		limit_row = row_of(area, scale, (double)scale->limit_bytes);
		label(grid, area, limit_row,
		      round(format_in_unit(scale->limit_bytes, scale->unit) * 10) / 10);
	}
	for (double value = 0; value <= top * (1 + 1e-9); value += step) {
		int row = row_of(area, scale, value / top * (double)scale->top_bytes);

		if (row != limit_row && (value < top * (1 - 1e-9) || limit_row != 0))
			label(grid, area, row, value);
	}
}
