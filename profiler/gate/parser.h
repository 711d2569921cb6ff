/*
 * parser.h: where the reading of a budget's statement stands, what ends a word, and complaints. Private to the files that read
 * budgets. A parse function (here, key.h, statement.h) moves `at` and returns 0, or leaves a complaint and returns -1; the rest
 * of the statement is not read then.
 */
#ifndef PROFILER_GATE_PARSER_H
#define PROFILER_GATE_PARSER_H

#include "profiler/gate/rules.h"

struct parser {
	struct budget *budget;
	const char *file;
	unsigned line_number;
	int from_file;
	const char *line; /* ended by a NUL */
	const char *at;
};

/* Complains about `length` bytes from `from`. Always -1. */
int parser_complain(const struct parser *p, const char *from, size_t length, const char *format,
		    ...) __attribute__((format(printf, 4, 5)));

/* Ends of words. */
int parser_at_end(const struct parser *p); /* of the statement: a comment or nothing follows */
void parser_skip_blanks(struct parser *p);
size_t parser_word_length(
	const char *at); /* up to a blank, comment or the end; a quoted part counts as one */

/* `"…"` with \" and \\ in it; NULL after a complaint. */
const char *parser_quoted(struct parser *p);

#endif
