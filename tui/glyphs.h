/*
 * glyphs.h: the characters of the screens in the sets a terminal may be able to show, from one table (glyphs.def).
 */
#ifndef TUI_GLYPHS_H
#define TUI_GLYPHS_H

#include <wchar.h>

enum glyphs {
	GLYPHS_BLOCKS,
	GLYPHS_BRAILLE, /* as blocks; the chart alone is drawn in dots */
	GLYPHS_ASCII,
	GLYPHS_LINUX, /* the Linux console's font */
	GLYPH_SETS
};

enum glyph {
#define GLYPH(name, point, console, ascii) GLYPH_##name = point,
#include "tui/glyphs.def"
#undef GLYPH
};

/* What stands for `point` in `set`: itself where the set has it, else a likeness; '?' when ASCII has none. */
wchar_t glyph_in(enum glyphs set, wchar_t point);

/* The set for this terminal: ASCII when the locale is not UTF-8 or block glyphs are two columns wide, the console's when
 * `term` is "linux", else blocks. setlocale() must have been called. */
enum glyphs glyphs_for_terminal(const char *term);

/* Reads one character of UTF-8; advances *text. Bytes that are none are U+FFFD, one at a time. 0 at the end. */
wchar_t glyph_decode(const char **text);

#endif
