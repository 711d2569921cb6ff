/*
 * forks.h: children that a program forked by itself and that stay: neither another program by now, nor claimed by a
 * pool. They are grouped by the line that forked them and the process that did, or the next
 * living one it comes from: a daemon's parent ends at once. As pools without batches.
 */
#ifndef PROFILER_COLLECT_FORKS_H
#define PROFILER_COLLECT_FORKS_H

#include <stdint.h>

#include "profiler/collect/fork_names.h"
#include "profiler/collect/pools.h"

/* Groups those that have stayed long enough. About once a second. */
void forks_settle(struct pools *ps, struct job *j, struct fork_names *names, int64_t now_ns);

#endif
