/*
 * relatives.h: who was forked from whom, and what a process must have copied because its relatives had at its age. statm does not see
 * copying: the copy takes the page's place. So between two walks, and in a process that was never walked, only relatives tell.
 */
#ifndef PROFILER_MODEL_RELATIVES_H
#define PROFILER_MODEL_RELATIVES_H

#include "profiler/model/load.h"

/* Finds parents, families and kinds, and collects what was copied at each walk. After every change of the rows, before anything
 * else here. 0, or -1 when out of memory. */
int relatives_find(struct tables *t);

/* Bytes that a forked process has copied at t_ns beyond what `walk` (its last one, NULL = none) knows: by the latest walk of a relative of
 * its kind that was no older then than it is now. */
int64_t relatives_copied(const struct tables *t, int process, int64_t t_ns,
			 const struct rollup_row *walk);

#endif
