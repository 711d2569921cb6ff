/*
 * cells.h: which line decides about which subject, and with what figures. A cell is one rule and one name of subjects, with the worst
 * figure of each run. Private to the judge.
 */
#ifndef PROFILER_GATE_CELLS_H
#define PROFILER_GATE_CELLS_H

#include "profiler/gate/rules.h"
#include "profiler/gate/run.h"

/* Of one run. */
struct seen {
	double value; /* the largest of all subjects of the name */
	const struct subject
		*worst; /* whose it is; NULL = the run has no such subject, or no figure of it */
	const struct subject *unmeasured; /* one without a figure; NULL = all have theirs */
};

struct cell {
	const struct budget_rule *rule;
	const char *name;
	struct seen *seen; /* by run */
};

struct judge_cells {
	ARRAY(struct cell) list; /* by rule */
	size_t run_count;
};

/* Decides every subject of every run for one kind of rule and of bound: the last line that matches a subject decides for it; `off` lifts
 * the limit. 0, or -1 when out of memory; judge_cells_release in any case. */
int judge_cells_fill(struct judge_cells *cells, const struct budget *budget, const struct run *runs,
		     size_t run_count, enum budget_kind kind, enum budget_bound bound);
void judge_cells_release(struct judge_cells *cells);

/* Whether the rule speaks of the subject at all. */
int rule_matches(const struct budget_rule *rule, const struct subject *subject);

/* Whether any of the runs has a subject that the rule speaks of. */
int rule_occurs(const struct budget_rule *rule, const struct run *runs, size_t run_count);

#endif
