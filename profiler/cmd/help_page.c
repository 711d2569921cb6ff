/*
 * Sets a section of docs/findings.md, which is embedded, for a terminal. Of Markdown it knows what that page is written in: paragraphs, lists,
 * tables of two columns, verbatim lines (four blanks or a fence); marks of emphasis and code are dropped.
 */
#include "profiler/cmd/help_page.h"

#include <string.h>

#include "docs/findings_md.h"

enum { TERM_MOST = 30 }; /* longer terms push their words aside */

struct setter {
	FILE *out;
	int column; /* 0 = the line is empty */
	int indent; /* of the lines that follow */
	int fenced;
	int term; /* where the words of a table begin; 0 = outside of one */
};

static void end_line(struct setter *s)
{
	if (s->column)
		fputc('\n', s->out);
	s->column = 0;
}

static void indent_to(struct setter *s, int column)
{
	for (; s->column < column; s->column++)
		fputc(' ', s->out);
}

static int is_mark(char c)
{
	return c == '*' || c == '`';
}

static int shown_length(const char *word, size_t length)
{
	int shown = 0;

	/* bytes that go on a character take no column */
	for (size_t i = 0; i < length; i++)
		shown += !is_mark(word[i]) && ((unsigned char)word[i] & 0xc0) != 0x80;
	return shown;
}

static void put_word(struct setter *s, const char *word, size_t length)
{
	int shown = shown_length(word, length);

	if (s->column > s->indent && s->column + 1 + shown > HELP_COLUMNS)
		end_line(s);
	if (s->column > s->indent)
		indent_to(s, s->column + 1);
	indent_to(s, s->indent);
	for (size_t i = 0; i < length; i++)
		if (!is_mark(word[i]))
			fputc(word[i], s->out);
	s->column += shown;
}

static void put_words(struct setter *s, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *stop = memchr(text, ' ', (size_t)(end - text));

		stop = stop ? stop : end;
		if (stop > text)
			put_word(s, text, (size_t)(stop - text));
		text = stop + 1;
	}
}

static void put_verbatim(struct setter *s, const char *line, size_t length)
{
	end_line(s);
	fprintf(s->out, "    %.*s\n", (int)length, line);
}

/* Where the words of the table that begins here stand: beside its longest term. */
static int term_columns(const char *line)
{
	int most = 0;

	while (line && *line == '|') {
		const char *second = strchr(line + 1, '|');
		int shown = second ? shown_length(line + 1, (size_t)(second - line - 1)) : 0;

		most = shown > most ? shown : most;
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return most + 2 < TERM_MOST ? most + 2 : TERM_MOST;
}

/* `| term | words |`; rows without words are the head and its rule. */
static void put_row(struct setter *s, const char *line, size_t length)
{
	const char *second = memchr(line + 1, '|', length - 1);
	size_t rest = second ? length - (size_t)(second + 1 - line) : 0;

	if (rest < 2 || strspn(line, "|- ") >= length || strspn(second + 1, " ") == rest - 1)
		return;
	end_line(s);
	s->indent = 2;
	put_words(s, line + 1, (size_t)(second - line - 1));
	s->indent = s->term;
	indent_to(s, s->term);
	put_words(s, second + 1, rest - 1);
	end_line(s);
}

/* The length of "- " or "1. " at the head of the line; 0 = neither. */
static size_t bullet(const char *line)
{
	size_t digits = strspn(line, "0123456789");

	if (!strncmp(line, "- ", 2))
		return 2;
	return digits && !strncmp(line + digits, ". ", 2) ? digits + 2 : 0;
}

static void put_line(struct setter *s, const char *line, size_t length)
{
	size_t mark = bullet(line);

	if (line[0] != '|')
		s->term = 0;
	else if (!s->term)
		s->term = term_columns(line);
	if (!strncmp(line, "```", 3)) {
		s->fenced = !s->fenced;
	} else if (s->fenced) {
		put_verbatim(s, line, length);
	} else if (!strncmp(line, "    ", 4)) {
		put_verbatim(s, line + 4, length - 4);
	} else if (!length) {
		end_line(s);
		fputc('\n', s->out);
		s->indent = 0;
	} else if (line[0] == '|') {
		put_row(s, line, length);
	} else if (mark) {
		end_line(s);
		fprintf(s->out, "  %.*s", (int)mark, line);
		s->column = s->indent = 2 + (int)mark;
		put_words(s, line + mark, length - mark);
	} else {
		put_words(s, line, length);
	}
}

/* The line after the heading `## ID`; NULL when there is none. */
static const char *section(const char *id)
{
	size_t length = strlen(id);

	for (const char *line = findings_md; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, "## ", 3) && !strncmp(line + 3, id, length) &&
		    line[3 + length] == '\n')
			return line + 3 + length + 1;
	}
	return NULL;
}

int help_page(FILE *out, const char *id)
{
	struct setter s = {.out = out};
	const char *line = section(id), *end;

	if (!line)
		return -1;
	end = strstr(line, "\n## ");
	end = end ? end : strchr(line, '\0');
	fprintf(out, "%s\n", id);
	while (line < end) {
		size_t length = strcspn(line, "\n");

		put_line(&s, line, length);
		line += length + (line[length] == '\n');
	}
	end_line(&s);
	return 0;
}
