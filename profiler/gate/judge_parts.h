/* judge_parts.h: the parts of the judge, one for each kind of rule. Private to judge*.c. */
#ifndef PROFILER_GATE_JUDGE_PARTS_H
#define PROFILER_GATE_JUDGE_PARTS_H

#include "profiler/gate/cells.h"
#include "profiler/gate/result.h"

/* Each adds its rows. 0, or -1 when out of memory. */
int judge_limits(struct result *result, const struct budget *budget, enum budget_bound bound);
int judge_baselines(struct result *result, const struct budget *budget,
		    const struct judge_options *options);
int judge_findings(struct result *result, const struct budget *budget);

/*
 * The median of a cell over the runs that have the figure, into value, head_runs, run and subject of the row; `values` (room for the
 * runs) takes the figures. Without any figure, or when a run lacks one that it should have: unmeasured, with the reason.
 */
void judge_median(struct result *result, const struct cell *cell, struct row *row, double *values);

#endif
