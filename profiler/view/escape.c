/*
 * Foreign text at the border of each format. All functions walk over characters, never over bytes: next_character() is
 * the only place that looks at UTF-8, and what it hands out can always be written as UTF-8.
 */
#include "profiler/view/escape.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { REPLACEMENT = 0xFFFD };

#define BREAK "\xE2\x80\x8B" /* U+200B, no width */

/* How many bytes the character that `first` begins should have, its least value, and the bits of `first` in it. */
static unsigned sequence_length(unsigned char first, uint32_t *least, uint32_t *bits)
{
	static const struct {
		unsigned char mask, mark, length;
		uint32_t least;
	} forms[] = {
		{0x80, 0x00, 1, 0},
		{0xE0, 0xC0, 2, 0x80},
		{0xF0, 0xE0, 3, 0x800},
		{0xF8, 0xF0, 4, 0x10000},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if ((first & forms[i].mask) != forms[i].mark)
			continue;
		*least = forms[i].least;
		*bits = first & (unsigned char)~forms[i].mask;
		return forms[i].length;
	}
	return 0;
}

/* The character at *text and moves on; a byte that is no part of one is U+FFFD. Not to be called at the end. */
static uint32_t next_character(const char **text)
{
	const unsigned char *at = (const unsigned char *)*text;
	uint32_t least = 0, value = 0;
	unsigned length = sequence_length(*at, &least, &value);

	(*text)++;
	for (unsigned i = 1; i < length; i++) {
		if ((at[i] & 0xC0) != 0x80)
			return REPLACEMENT;
		value = value << 6 | (at[i] & 0x3F);
	}
	if (!length || value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
		return REPLACEMENT;
	*text += length - 1;
	return value;
}

static void put_character(FILE *out, uint32_t c)
{
	if (c < 0x80) {
		putc((int)c, out);
		return;
	}
	if (c < 0x800) {
		putc((int)(0xC0 | c >> 6), out);
	} else {
		if (c < 0x10000) {
			putc((int)(0xE0 | c >> 12), out);
		} else {
			putc((int)(0xF0 | c >> 18), out);
			putc((int)(0x80 | (c >> 12 & 0x3F)), out);
		}
		putc((int)(0x80 | (c >> 6 & 0x3F)), out);
	}
	putc((int)(0x80 | (c & 0x3F)), out);
}

/* Control characters, and those that change the direction of what follows. */
static int is_unprintable(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0x200E || c == 0x200F;
}

static int is_line_break(uint32_t c)
{
	return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/* A character that may stand in a line of text. */
static uint32_t in_line(uint32_t c)
{
	return is_line_break(c) || c == '\t' ? ' ' : is_unprintable(c) ? REPLACEMENT : c;
}

void escape_text(FILE *out, const char *text)
{
	uint32_t before = 0, before_that = 0;
	int at_start = 1;

	while (text && *text) {
		uint32_t c = in_line(next_character(&text));

		if (c == '[' && before == '#' && before_that == '#')
			fputs(BREAK, out);
		put_character(out, c);
		if (at_start && c == ':' && *text == ':')
			fputs(BREAK, out);
		at_start = at_start && c == ' ';
		before_that = before;
		before = c;
	}
}

static void escape_workflow(FILE *out, const char *text, const char *special)
{
	while (text && *text) {
		uint32_t c = next_character(&text);

		if (c < 0x80 && strchr(special, (int)c))
			fprintf(out, "%%%02X", (unsigned)c);
		else
			put_character(out, c == '\t' ? ' ' : is_unprintable(c) ? REPLACEMENT : c);
	}
}

void escape_workflow_message(FILE *out, const char *text)
{
	escape_workflow(out, text, "%\r\n");
}

void escape_workflow_property(FILE *out, const char *text)
{
	escape_workflow(out, text, "%\r\n:,");
}

/* What stands for a character that markup means something by; NULL for any other. */
static const char *reference_to(uint32_t c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	default:
		return NULL;
	}
}

void escape_markdown(FILE *out, const char *text)
{
	while (text && *text) {
		uint32_t c = in_line(next_character(&text));

		if (c == '@')
			fputs("&#64;", out); /* a mention would call a person */
		else if (reference_to(c))
			fputs(reference_to(c), out);
		else if (c < 0x80 && strchr("\\|`*_[]~#!", (int)c))
			fprintf(out, "\\%c", (int)c);
		else
			put_character(out, c);
	}
}

static size_t longest_run(const char *text, char of)
{
	size_t longest = 0, run = 0;

	for (; *text; text++) {
		run = *text == of ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest;
}

void escape_markdown_code(FILE *out, const char *text)
{
	size_t fence = longest_run(text ? text : "", '`') + 1;

	for (size_t i = 0; i < fence; i++)
		putc('`', out);
	/* blanks inside: a span may not be empty, begin or end with a back-tick; one on each side is not shown */
	putc(' ', out);
	while (text && *text) {
		uint32_t c = in_line(next_character(&text));

		if (c == '|')
			putc('\\', out);
		put_character(out, c);
	}
	putc(' ', out);
	for (size_t i = 0; i < fence; i++)
		putc('`', out);
}

static int is_xml(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c != 0xFFFE && c != 0xFFFF);
}

static void escape_markup(FILE *out, const char *text, const char *references)
{
	while (text && *text) {
		uint32_t c = next_character(&text);

		if (!is_xml(c))
			continue;
		if (c < 0x80 && strchr(references, (int)c))
			fprintf(out, "&#%u;", (unsigned)c);
		else if (reference_to(c))
			fputs(reference_to(c), out);
		else if (c == '"')
			fputs("&quot;", out);
		else
			put_character(out, c);
	}
}

void escape_xml(FILE *out, const char *text)
{
	escape_markup(out, text, "\r"); /* a bare one would be read as a line feed */
}

void escape_xml_attribute(FILE *out, const char *text)
{
	escape_markup(out, text, "\t\n\r");
}

void escape_collapsed(FILE *out, const char *text)
{
	while (text && *text) {
		uint32_t c = next_character(&text);

		put_character(out, c == ';' ? ':' : c < ' ' || c == 0x7F ? ' ' : c);
	}
}

char *escape_utf8(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);

	if (!out)
		return NULL;
	while (text && *text)
		put_character(out, next_character(&text));
	if (fclose(out)) {
		free(copy);
		return NULL;
	}
	return copy;
}

size_t escape_cut(const char *text, size_t max_bytes)
{
	const char *at = text;

	while (*at) {
		const char *before = at;

		next_character(&at);
		if ((size_t)(at - text) > max_bytes)
			return (size_t)(before - text);
	}
	return (size_t)(at - text);
}
