/*
 * parser.h: one statement of a budget, read from left to right. Private to the budget's files. A parse function moves `at`
 * and returns 0, or leaves a complaint and returns -1; the rest of the statement is not read then.
 */
#ifndef PROFILER_GATE_PARSER_H
#define PROFILER_GATE_PARSER_H

#include "profiler/gate/budget.h"

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

/* The subject of a limit or baseline: scope, selectors, metric. Fills text, metric and selector. */
int parser_key(struct parser *p, struct budget_rule *rule);

/* The subject of a finding rule: id and selectors. Fills text, finding and selector. */
int parser_finding(struct parser *p, struct budget_rule *rule);

/* `"…"` with \" and \\ in it; NULL after a complaint. */
const char *parser_quoted(struct parser *p);

/* A whole statement: appends a rule to the budget, or complains. */
void parser_statement(struct parser *p);

/* What follows a key and "=" in a flag. */
int parser_bound(struct parser *p, struct budget_rule *rule);
int parser_growth(struct parser *p, struct budget_rule *rule);

/* Complains of a key, that began at `from`, which no baseline can have: its figures are maxima over the epochs, and not of call sites. */
int parser_comparable(const struct parser *p, const struct budget_rule *rule, const char *from);

void parser_add_rule(struct parser *p, const struct budget_rule *rule);

#endif
