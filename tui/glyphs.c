/* Glyph sets and UTF-8. Independent of the locale but for glyphs_for_terminal(). */
#include "tui/glyphs.h"

#include <langinfo.h>
#include <stddef.h>
#include <string.h>

struct glyph_row {
	wchar_t point, console, ascii;
};

static const struct glyph_row rows[] = {
#define GLYPH(name, point, console, ascii) {point, console, ascii},
#include "tui/glyphs.def"
#undef GLYPH
};

wchar_t glyph_in(enum glyphs set, wchar_t point)
{
	if (point < 0x80 || set == GLYPHS_BLOCKS || set == GLYPHS_BRAILLE)
		return point;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].point == point)
			return set == GLYPHS_ASCII ? rows[i].ascii : rows[i].console;
	return set == GLYPHS_ASCII ? L'?' : point;
}

enum glyphs glyphs_for_terminal(const char *term)
{
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		return GLYPHS_ASCII;
	if (wcwidth(GLYPH_DELIVERING) != 1) /* East Asian ambiguous width */
		return GLYPHS_ASCII;
	return term && !strcmp(term, "linux") ? GLYPHS_LINUX : GLYPHS_BLOCKS;
}

/* Bytes that follow the lead byte, or -1. */
static int continuation_bytes(unsigned char lead)
{
	if (lead < 0x80)
		return 0;
	if (lead >= 0xc2 && lead < 0xe0)
		return 1;
	if (lead >= 0xe0 && lead < 0xf0)
		return 2;
	return lead >= 0xf0 && lead < 0xf5 ? 3 : -1;
}

wchar_t glyph_decode(const char **text)
{
	static const wchar_t least[] = {0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)*text;
	int more = continuation_bytes(*p);
	wchar_t point = *p;

	if (!*p)
		return 0;
	(*text)++;
	if (more <= 0)
		return more ? 0xfffd : point;
	point &= 0x3f >> more;
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0xfffd;
		point = point << 6 | (p[i] & 0x3f);
	}
	if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000))
		return 0xfffd;
	*text += more;
	return point;
}
