/*
 * site_group.h: what `site(...)` rules are judged by: the call sites of one pool, or of one process outside of pools. Which of them a rule
 * means is told by its terms on function and file: those that must match have to match one frame of the stack together, and a
 * negated term must match no frame at all. The figure is the sum over these sites, each counted once, live at the job's peak.
 */
#ifndef PROFILER_GATE_SITE_GROUP_H
#define PROFILER_GATE_SITE_GROUP_H

#include "profiler/gate/selector.h"
#include "profiler/model/model.h"

struct site_group {
	const struct model *model;
	int pool,
		process; /* as in model_site; the process counts where pool is -1. Both -1: no call site was ever recorded */
};

/* Whether any of its sites is meant; the terms on other fields are not looked at. */
int site_group_has(const struct site_group *group, const struct selector *selector);

/* Bytes; NaN when no call sites were recorded at all. */
double site_group_live(const struct site_group *group, const struct selector *selector);

#endif
