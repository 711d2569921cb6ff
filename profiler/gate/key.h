/* key.h: subjects of rules: scope, selectors, metric; ids of findings. The contract of parser.h. */
#ifndef PROFILER_GATE_KEY_H
#define PROFILER_GATE_KEY_H

#include "profiler/gate/parser.h"

/* The subject of a limit or baseline: scope, selectors, metric. Fills text, subject, metric and selector. */
int key_parse(struct parser *p, struct budget_rule *rule);

/* The subject of a finding rule: id and selectors. Fills text, finding and selector. */
int key_parse_finding(struct parser *p, struct budget_rule *rule);

#endif
