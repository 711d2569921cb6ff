/* Reading a statement: words, quoted texts, and complaints with their place. */
#include "profiler/gate/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/escape.h"

enum { COMPLAINT_BYTES = 512 };

/* ---- complaints ------------------------------------------------------------------------------------------- */

static int is_before(const struct budget_complaint *a, const struct budget_complaint *b)
{
	return a->file == b->file && a->line == b->line && a->column < b->column;
}

/* Complaints about one line stand in the order of their columns. */
static void add_complaint(struct budget *b, const struct budget_complaint *complaint)
{
	size_t at = b->complaint_count++;

	if (at >= BUDGET_COMPLAINTS)
		return;
	for (; at && is_before(complaint, &b->complaints[at - 1]); at--)
		b->complaints[at] = b->complaints[at - 1];
	b->complaints[at] = *complaint;
}

static unsigned characters(const char *from, size_t length)
{
	unsigned count = 0;

	for (size_t i = 0; i < length && from[i]; i++)
		count += ((unsigned char)from[i] & 0xC0) != 0x80;
	return count;
}

int parser_complain(const struct parser *p, const char *from, size_t length, const char *format,
		    ...)
{
	char text[COMPLAINT_BYTES];
	va_list arguments;
	unsigned width = characters(from, length);
	struct budget_complaint complaint = {
		.file = p->file,
		.line = p->line_number,
		.column = characters(p->line, (size_t)(from - p->line)) + 1,
		.width = width ? width : 1,
		.source = strings_keep(&p->budget->strings, p->line),
	};

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	text[escape_cut(text, strlen(text))] = '\0';
	complaint.text = strings_keep(&p->budget->strings, text);
	add_complaint(p->budget, &complaint);
	return -1;
}

/* ---- words -------------------------------------------------------------------------------------------------- */

void parser_skip_blanks(struct parser *p)
{
	p->at += strspn(p->at, " \t");
}

int parser_at_end(const struct parser *p)
{
	return !*p->at || *p->at == '#';
}

size_t parser_word_length(const char *at)
{
	size_t length = 0;
	int quoted = 0;

	for (; at[length]; length++) {
		if (at[length] == '"')
			quoted = !quoted;
		if (!quoted && strchr(" \t#", at[length]))
			break;
	}
	return length ? length : 1;
}

const char *parser_quoted(struct parser *p)
{
	const char *from = p->at, *kept;
	char *text = malloc(strlen(from) + 1), *to = text;

	if (!text) {
		p->budget->out_of_memory = 1;
		return NULL;
	}
	if (*p->at == '"')
		p->at++;
	while (p->at > from && *p->at && *p->at != '"') {
		if (*p->at == '\\' && (p->at[1] == '"' || p->at[1] == '\\'))
			p->at++;
		*to++ = *p->at++;
	}
	*to = '\0';
	kept = strings_keep(&p->budget->strings, text);
	free(text);
	if (p->at == from)
		parser_complain(p, from, parser_word_length(from),
				"a text in quotes is expected here: \"...\"");
	else if (!*p->at)
		parser_complain(p, from, strlen(from), "the quotes are not closed");
	else if (p->at++ == from + 1)
		parser_complain(p, from, 2, "the text is empty");
	else
		return kept;
	return NULL;
}
