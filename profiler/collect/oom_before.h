/*
 * oom_before.h: how many processes the kernel had killed for memory before the job began.
 *
 * A job that fills its cgroup at once is dead before the collector's first look: then a count taken
 * at that look already has it, and a dead process does not tell its cgroup. So the count is taken
 * before the job is started, from the caller's own cgroup, which the job inherits.
 */
#ifndef PROFILER_COLLECT_OOM_BEFORE_H
#define PROFILER_COLLECT_OOM_BEFORE_H

#include <stdint.h>

#include "profiler/collect/cgroup.h"

struct oom_before {
	char directory[PATH_MAX];     /* of the cgroup; "" = none */
	int64_t kills, machine_kills; /* CGROUP_UNKNOWN = not told */
};

/* Call it just before the job is started. */
void oom_before_take(struct oom_before *b);

/* Of the job's cgroup g, whose count is `now`: how many were before. A cgroup that is not the one
 * that was looked at (the job was moved) began with what it counts now. `b` may be NULL. */
int64_t oom_before_kills(const struct oom_before *b, const struct cgroup *g, int64_t now);

#endif
