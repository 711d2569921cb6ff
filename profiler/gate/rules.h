/*
 * rules.h: the rules of a gate in the order in which they were given, and what was wrong with the rest. Later rules beat earlier ones:
 * which one decides is cells.h's business. Strings belong to the budget and are valid until budget_release (budget.h).
 */
#ifndef PROFILER_GATE_RULES_H
#define PROFILER_GATE_RULES_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/array.h"
#include "profiler/gate/selector.h"
#include "profiler/model/strings.h"

enum budget_kind { BUDGET_LIMIT, BUDGET_BASELINE, BUDGET_FINDING };

/* What follows when the rule is broken; ALLOW is for findings only. */
enum budget_action { BUDGET_FAIL, BUDGET_WARN, BUDGET_ALLOW };

enum budget_bound { BUDGET_OFF, BUDGET_ABSOLUTE, BUDGET_OF_LIMIT };

struct budget_rule {
	enum budget_kind kind;
	enum budget_action action;
	const char *
		text; /* its subject as it was written: "pool(train).private_bytes_max", "idle-pool-retained(train)" */
	const char *subject;   /* the same without the metric: "pool(train)"; NULL of a finding */
	const char *source;    /* the whole statement */
	const char *file;      /* of a flag: its name, "--max" */
	unsigned line, column; /* of a flag: the how-manyth of its kind */
	int from_file;

	const struct model_metric *metric; /* limit, baseline */
	const char *finding;               /* finding: a glob over ids */
	struct selector selector;

	enum budget_bound bound; /* baseline: OFF or ABSOLUTE */
	double value;            /* limit: in the metric's unit, or percent of the limit */
	double percent, floor;   /* baseline: tolerated growth, the larger of both counts */
	int optional;
	const char *because;  /* NULL = none */
	const char *until;    /* allow: "2027-03-31" */
	int64_t until_unix_s; /* allow: the first second after that day, UTC */
};

struct budget_complaint {
	const char *file;
	unsigned line, column,
		width; /* in characters from 1; width of what is wrong; column 0 = no place in a line */
	const char *text;
	const char *source; /* the line, NULL = none */
};

enum { BUDGET_COMPLAINTS = 50 };

struct budget {
	ARRAY(struct budget_rule) rules;
	struct budget_complaint complaints[BUDGET_COMPLAINTS]; /* by place */
	size_t complaint_count; /* all, also those that are not kept */
	struct strings strings;
	int out_of_memory; /* a rule may be lost: nothing may be judged by it */
};

#endif
