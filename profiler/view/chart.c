/* The grid, the scale and the stacked layers of the chart. */
#include "profiler/view/chart.h"

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

/* The chart's layers, from the bottom, as chart_stack takes them. */
static const enum chart_ink layers[] = {CHART_OWNER, CHART_DELIVERING, CHART_PARKED, CHART_IDLE};

enum { LAYERS = sizeof(layers) / sizeof(layers[0]) };

static void draw_limit(struct chart_grid *grid, const struct chart_area *area,
		       const struct chart_scale *scale)
{
	int row;

	if (scale->limit_bytes == MODEL_NONE)
		return;
	row = area->top + area->rows - 1 - chart_row(scale, area->rows, scale->limit_bytes);
	for (int i = 0; i < area->width; i++)
		chart_put(grid, area->left + i, row, area->glyphs->inks[CHART_LIMIT], CHART_LIMIT);
}

static void draw_column(struct chart_grid *grid, const struct chart_area *area,
			const struct chart_scale *scale, int i, const struct model_round *r)
{
	const int64_t bytes[LAYERS] = {r->owner_bytes, r->delivering_bytes, r->parked_bytes,
				       r->idle_bytes};
	int ends[LAYERS], row = 0;

	chart_stack(scale, area->rows, bytes, LAYERS, LAYERS - 1, ends);
	for (int layer = 0; layer < LAYERS; layer++)
		for (; row < ends[layer]; row++)
			chart_put(grid, area->left + i, area->top + area->rows - 1 - row,
				  area->glyphs->inks[layers[layer]], layers[layer]);
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

void chart_labels(struct chart_grid *grid, const struct chart_area *area,
		  const struct chart_scale *scale)
{
	char text[FORMAT_MAX];

	for (int row = 0; row < area->rows; row++) {
		int line = area->top + area->rows - 1 - row;

		chart_put(grid, area->left - 1, line, area->glyphs->inks[CHART_AXIS], CHART_AXIS);
		chart_label(scale, area->rows, row, text);
		chart_write(grid, area->left - 1 - (int)strlen(text), line, text, CHART_AXIS);
	}
}
