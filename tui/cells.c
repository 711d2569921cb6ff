/* The grid, the pen and the measuring of text. */
#include "tui/cells.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int cells_resize(struct cells *cells, int width, int height)
{
	struct cell *cell;

	if (width < 1 || height < 1)
		width = height = 1;
	cell = reallocarray(cells->cell, (size_t)width * (size_t)height, sizeof(*cell));
	if (!cell)
		return -1;
	cells->cell = cell;
	cells->width = width;
	cells->height = height;
	cells_clear(cells);
	return 0;
}

void cells_release(struct cells *cells)
{
	free(cells->cell);
	memset(cells, 0, sizeof(*cells));
}

void cells_clear(struct cells *cells)
{
	size_t count = (size_t)cells->width * (size_t)cells->height;

	for (size_t i = 0; i < count; i++)
		cells->cell[i] = (struct cell){L' ', ROLE_TEXT, OVER_NONE};
}

struct cell *cells_at(const struct cells *cells, int y, int x)
{
	if (y < 0 || x < 0 || y >= cells->height || x >= cells->width)
		return NULL;
	return &cells->cell[(size_t)y * (size_t)cells->width + (size_t)x];
}

static void print_char(wchar_t ch, FILE *out)
{
	char bytes[MB_LEN_MAX];
	mbstate_t state = {0};
	size_t length = wcrtomb(bytes, ch, &state);

	if (length == (size_t)-1)
		fputc('?', out);
	else
		fwrite(bytes, 1, length, out);
}

void cells_print(const struct cells *cells, FILE *out)
{
	for (int y = 0; y < cells->height; y++) {
		int end = cells->width;

		while (end > 0 && cells_at(cells, y, end - 1)->ch == L' ')
			end--;
		for (int x = 0; x < end; x++)
			if (cells_at(cells, y, x)->ch)
				print_char(cells_at(cells, y, x)->ch, out);
		fputc('\n', out);
	}
}

struct pen pen_at(struct cells *cells, int y, int x)
{
	return (struct pen){cells, y, x, cells->width, ROLE_TEXT, OVER_NONE};
}

/* What may stand in a cell for `ch`, and how many columns it takes; 0 = it joins the one before. */
static wchar_t showable(enum glyphs set, wchar_t ch, int *columns)
{
	ch = glyph_in(set, ch);
	*columns = ch < 0x80 ? 1 : wcwidth(ch);
	if (*columns < 0 || ch < L' ' || ch == 0x7f || (ch >= 0x80 && ch < 0xa0)) {
		*columns = 1;
		return L'?';
	}
	return ch;
}

/* A wide character that is overwritten by half leaves a blank, not half a character. */
static void break_wide(const struct cells *cells, int y, int x)
{
	struct cell *here = cells_at(cells, y, x), *next = cells_at(cells, y, x + 1);

	if (here && !here->ch && cells_at(cells, y, x - 1))
		cells_at(cells, y, x - 1)->ch = L' ';
	if (next && !next->ch)
		next->ch = L' ';
}

static void put(struct pen *pen, wchar_t ch)
{
	struct cell *cell = cells_at(pen->cells, pen->y, pen->x);

	if (cell) {
		if (ch)
			break_wide(pen->cells, pen->y, pen->x);
		*cell = (struct cell){ch, (unsigned char)pen->role, (unsigned char)pen->over};
	}
	pen->x++;
}

void pen_char(struct pen *pen, wchar_t ch)
{
	int columns;

	ch = showable(pen->cells->glyphs, ch, &columns);
	if (!columns || pen->x + columns > pen->end)
		return;
	put(pen, ch);
	if (columns == 2)
		put(pen, 0);
}

void pen_repeat(struct pen *pen, int count, wchar_t ch)
{
	while (count-- > 0)
		pen_char(pen, ch);
}

void pen_text(struct pen *pen, const char *text)
{
	wchar_t ch;

	while ((ch = glyph_decode(&text)))
		pen_char(pen, ch);
}

void pen_role(struct pen *pen, enum role role, const char *text)
{
	enum role before = pen->role;

	pen->role = role;
	pen_text(pen, text);
	pen->role = before;
}

void pen_print(struct pen *pen, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pen_text(pen, text);
}

void pen_text_ending(struct pen *pen, int end, const char *text)
{
	pen->x = end - text_width(text);
	if (pen->x < 0)
		pen->x = 0;
	pen_text(pen, text);
}

void cells_over(struct cells *cells, int y, int x, int count, unsigned over)
{
	for (int i = x; i < x + count; i++)
		if (cells_at(cells, y, i))
			cells_at(cells, y, i)->over |= (unsigned char)over;
}

void cells_select(struct cells *cells, int y)
{
	struct pen pen = pen_at(cells, y, 0);

	pen_char(&pen, L'>');
	cells_over(cells, y, 0, cells->width, OVER_SELECTED);
}

static int char_width(wchar_t ch)
{
	int columns;

	showable(GLYPHS_BLOCKS, ch, &columns);
	return columns;
}

int text_width(const char *text)
{
	int width = 0;
	wchar_t ch;

	while ((ch = glyph_decode(&text)))
		width += char_width(ch);
	return width;
}

/* The byte at which the first `width` columns of `text` end. */
static const char *after_columns(const char *text, int width)
{
	for (;;) {
		const char *before = text;
		wchar_t ch = glyph_decode(&text);

		width -= ch ? char_width(ch) : 0;
		if (!ch || width < 0)
			return before;
	}
}

void text_cut(char *out, size_t size, const char *text, int width, enum text_cut where)
{
	int all = text_width(text), head, tail;
	const char *end;

	if (all <= width || width < 1) {
		snprintf(out, size, "%s", width < 1 ? "" : text);
		return;
	}
	head = where == CUT_END ? width - 1 : where == CUT_START ? 0 : width / 2;
	tail = width - 1 - head;
	end = after_columns(text, head);
	snprintf(out, size, "%.*s…%s", (int)(end - text), text, after_columns(text, all - tail));
}
