/* The columns of the chart: in blocks one sample a cell, in braille two samples and four steps a cell. */
#include "tui/plot.h"

static void layer_ends(const struct plot *plot, int rows, const struct stack_column *column,
		       int *ends)
{
	int64_t bytes[STACK_LAYERS];

	for (int i = 0; i < column->count; i++)
		bytes[i] = column->layers[i].bytes;
	if (column->count)
		chart_stack(&plot->scale, rows, bytes, (size_t)column->count,
			    (size_t)column->first_idle, ends);
}

static void put(const struct plot *plot, int row, int column, const struct stack_layer *layer,
		wchar_t glyph)
{
	struct pen pen = pen_at(plot->cells, plot->top + plot->rows - 1 - row, plot->left + column);

	pen.role = layer->role;
	pen.over = layer->over;
	pen_char(&pen, glyph);
}

/* The eighth of its row in which a solid layer ends. */
static wchar_t solid_edge(const struct plot *plot, int64_t bytes, int row)
{
	double eighths = ((double)bytes / (double)plot->scale.top_bytes * plot->rows - row) * 8;

	if (eighths >= 7.5)
		return GLYPH_OWNER;
	return eighths < 1.5 ? GLYPH_EIGHTH1 : (wchar_t)(GLYPH_EIGHTH1 + (int)(eighths + 0.5) - 1);
}

static void draw_column(const struct plot *plot, const struct stack_column *column, int x,
			int smooth)
{
	int ends[STACK_LAYERS], row = 0;

	layer_ends(plot, plot->rows, column, ends);
	for (int i = 0; i < column->count; i++)
		for (; row < ends[i]; row++)
			put(plot, row, x, &column->layers[i], column->layers[i].glyph);
	if (smooth && row && column->count == 1 && column->layers[0].glyph == GLYPH_OWNER)
		put(plot, row - 1, x, &column->layers[0],
		    solid_edge(plot, column->layers[0].bytes, row - 1));
	if (column->gap)
		put(plot, 0, x, &(struct stack_layer){.role = ROLE_TEXT}, L'?');
}

void plot_columns(const struct plot *plot, const struct stack *stack, int smooth)
{
	for (int x = 0; x < stack->count; x++)
		draw_column(plot, &stack->columns[x], x, smooth);
}

/* ---- braille ---------------------------------------------------------------------------------------- */

enum { BRAILLE = 0x2800, STEPS = 4, HALVES = 2 };

/* Bits of the dots of a cell, from its lowest row up. */
static const unsigned char dots[STEPS][HALVES] = {
	{0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}};

/* Solid for what is used, every other dot on a diagonal for held idle, every other row for parked. */
static int has_dot(wchar_t glyph, int x, int y)
{
	if (glyph == GLYPH_IDLE)
		return (x + y) % 2 == 0;
	return glyph != GLYPH_PARKED || y % 2 == 0;
}

static void add_dot(const struct plot *plot, int step, int half, const struct stack_layer *layer)
{
	struct cell *cell = cells_at(plot->cells, plot->top + plot->rows - 1 - step / STEPS,
				     plot->left + half / HALVES);

	if (!cell || !has_dot(layer->glyph, half, step))
		return;
	if (cell->ch < BRAILLE || cell->ch > BRAILLE + 0xff)
		cell->ch = BRAILLE;
	cell->ch |= dots[step % STEPS][half % HALVES];
	cell->role = layer->role;
	cell->over = layer->over;
}

void plot_columns_braille(const struct plot *plot, const struct stack *stack)
{
	for (int half = 0; half < stack->count; half++) {
		const struct stack_column *column = &stack->columns[half];
		int ends[STACK_LAYERS], step = 0;

		layer_ends(plot, plot->rows * STEPS, column, ends);
		for (int i = 0; i < column->count; i++)
			for (; step < ends[i]; step++)
				add_dot(plot, step, half, &column->layers[i]);
	}
}
