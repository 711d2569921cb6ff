/* statement.h: whole statements of a budget, and their parts that flags have too. The contract of parser.h. */
#ifndef PROFILER_GATE_STATEMENT_H
#define PROFILER_GATE_STATEMENT_H

#include "profiler/gate/parser.h"

/* A whole statement: appends a rule to the budget, or complains. */
void statement_parse(struct parser *p);

/* What follows a key and "=" in a flag. */
int statement_parse_bound(struct parser *p, struct budget_rule *rule);
int statement_parse_growth(struct parser *p, struct budget_rule *rule);

/* Complains of a key, that began at `from`, which no baseline can have: its figures are maxima over the epochs, and not of call sites. */
int statement_check_comparable(const struct parser *p, const struct budget_rule *rule,
			       const char *from);

/* Appends the rule that was read up to `at`; its terms belong to the budget from now on. */
void statement_add_rule(struct parser *p, const struct budget_rule *rule);

#endif
