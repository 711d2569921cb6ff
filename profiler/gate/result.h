/*
 * result.h: what came of a check: one row for each rule and subject, in the order of the verdicts, then of the rules. Every output
 * (text, JUnit, annotations, summary, JSON) prints these rows and decides nothing.
 */
#ifndef PROFILER_GATE_RESULT_H
#define PROFILER_GATE_RESULT_H

#include "profiler/gate/baseline.h"
#include "profiler/gate/compare.h"
#include "profiler/gate/run.h"

enum verdict {
#define VERDICT(name, word, effect) VERDICT_##name,
#include "profiler/gate/verdicts.def"
#undef VERDICT
	VERDICTS
};

enum verdict_effect { EFFECT_FINE, EFFECT_ABSENT, EFFECT_CANNOT, EFFECT_FAILS };

const char *verdict_word(enum verdict verdict);
enum verdict_effect verdict_effect(enum verdict verdict);

struct row {
	enum verdict verdict;
	const struct budget_rule *rule;
	const char *
		key; /* the subject's name and the metric; of a finding its subject's name; of a rule without subject its text */
	double value,
		limit; /* in the metric's unit: the median over the runs, and the bound; NaN = none */
	struct comparison comparison; /* of a baseline rule when `base_runs` */
	size_t head_runs,
		base_runs; /* how many had the figure; of a finding: runs that had it, runs that were given */
	const struct subject *subject; /* the worst one of the median run; NULL = no subject */
	const struct run *run;         /* that run */
	const char *reason; /* why nothing could be judged, or what else to say; "" = nothing */
	const struct budget_rule *expired; /* the allowance that would have covered it; NULL */
};

struct result {
	ARRAY(struct row) rows;
	size_t counts[VERDICTS];
	size_t failing; /* rows that fail */
	int exit_code;  /* 0, 1 or 3 */
	const struct run *runs;
	size_t run_count;
	const struct baseline *baseline;
	ARRAY(const char *) notices; /* said once each, in order */
	ARRAY(const char *)
	new_findings; /* ids: in more than half of the runs and in none of the baseline's */
	struct strings strings;
	int out_of_memory;
};

/* What else decides the exit code, and what is compared at all. */
struct judge_options {
	int require_baseline;
	int ignore_environment;
};

void result_release(struct result *result);

/* 1 = the row fails the check: its verdict does, and its rule is not a warning. */
int row_fails(const struct row *row);

/* How many rows from i on could not be compared for the same reason: outputs tell them together. At least 1. */
size_t result_alike(const struct result *result, size_t i);

/* The word for the whole: that of the worst failing row, else "unmeasured", "no-baseline" when it is required, or "within". */
const char *result_word(const struct result *result);

/* A new row without figures; NULL when out of memory, which the result remembers. */
struct row *result_row(struct result *result, const struct budget_rule *rule, enum verdict verdict,
		       const char *key);

/* Keeps a notice. */
void result_notice(struct result *result, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* All rows are there: their order, their counts and the exit code. */
void result_conclude(struct result *result, const struct judge_options *options);

#endif
