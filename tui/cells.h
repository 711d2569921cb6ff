/*
 * cells.h: a grid of cells, what every screen draws into. A cell is a character with a meaning (role), never a colour.
 * A grid needs no terminal: term.c shows it, --dump and the tests print it as text.
 *
 * Text comes in as UTF-8, whatever the locale; what cannot be shown (control characters, broken bytes, glyphs that the
 * set lacks) becomes '?' or a likeness, so a hostile file name cannot steer the terminal. Drawing outside the grid is
 * clipped, never an error.
 */
#ifndef TUI_CELLS_H
#define TUI_CELLS_H

#include <stdio.h>
#include <wchar.h>

#include "tui/glyphs.h"
#include "tui/roles.h"

struct cell {
	wchar_t ch; /* 0 = the right half of a wide character */
	unsigned char role, over;
};

struct cells {
	int width, height;
	enum glyphs glyphs;
	struct cell *cell; /* row after row; cells_at */
};

/* `cells` starts as {0}. Every cell becomes a blank. 0, or -1 when out of memory (the old grid stays). */
int cells_resize(struct cells *cells, int width, int height);
void cells_release(struct cells *cells);
void cells_clear(struct cells *cells);

/* NULL outside the grid. */
struct cell *cells_at(const struct cells *cells, int y, int x);

/* As text: one line a row, trailing blanks cut, in the locale's encoding. */
void cells_print(const struct cells *cells, FILE *out);

/* ---- the pen: draws along a row, up to `end` ------------------------------------------------- */

struct pen {
	struct cells *cells;
	int y, x, end; /* next cell; the first column that must not be drawn */
	enum role role;
	unsigned over;
};

/* On row y from column x to the grid's right edge, as plain text. */
struct pen pen_at(struct cells *cells, int y, int x);

void pen_char(struct pen *pen, wchar_t ch);
void pen_repeat(struct pen *pen, int count, wchar_t ch);
void pen_text(struct pen *pen, const char *text);
void pen_role(struct pen *pen, enum role role, const char *text); /* in `role`, then as before */
void pen_print(struct pen *pen, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Text that ends at column `end` (exclusive); cut at the left edge of the grid only. */
void pen_text_ending(struct pen *pen, int end, const char *text);

/* Lays meanings over cells that are drawn already. */
void cells_over(struct cells *cells, int y, int x, int count, unsigned over);

/* The row a person is on: a mark in the first column, and the overlay. */
void cells_select(struct cells *cells, int y);

/* ---- text measured in columns ------------------------------------------------------------------ */

int text_width(const char *text);

/* Copies `text` cut to `width` columns: at the end, in the middle (names), or at the start (paths), with an ellipsis where
 * something went. `size` bytes, always ended. */
enum text_cut { CUT_END, CUT_MIDDLE, CUT_START };
void text_cut(char *out, size_t size, const char *text, int width, enum text_cut where);

#endif
