/*
 * forks.h: children that a program forked by itself and that stay: neither another program by now, nor claimed by a
 * pool. They are grouped by the process and the place that forked them, as pools without batches.
 */
#ifndef PROFILER_COLLECT_FORKS_H
#define PROFILER_COLLECT_FORKS_H

#include <stdint.h>

#include "profiler/collect/pools.h"

/* Groups those that have stayed long enough. About once a second. */
void forks_settle(struct pools *ps, struct job *j, int64_t now_ns);

#endif
