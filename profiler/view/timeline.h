/*
 * timeline.h: the moments of a run that a picture of limited width shows. The peak survives any limit: of each stretch of time the round
 * with the largest total is taken, and both sides of every edge at which a pool changes its state or a phase begins.
 */
#ifndef PROFILER_VIEW_TIMELINE_H
#define PROFILER_VIEW_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/model/model.h"

struct timeline {
	int64_t *t_ns; /* of rounds, ascending, each once */
	size_t count;
};

/* At most `limit` moments; edges that do not fit beside the peaks are left out. 0, or -1 when out of memory. */
int timeline_choose(struct timeline *timeline, const struct model *m, size_t limit);
void timeline_release(struct timeline *timeline);

#endif
