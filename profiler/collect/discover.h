/*
 * discover.h: finds the job's processes that told nobody of their birth: one listing of /proc, and
 * the parent of whatever is new in it. A process is of the job when its parent is, or when it was
 * handed to the collector as an orphan.
 */
#ifndef PROFILER_COLLECT_DISCOVER_H
#define PROFILER_COLLECT_DISCOVER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profiler/collect/job.h"

struct discovery {
	pid_t reaper;     /* the subreaper orphans are handed to (the collector), 0 = none */
	uint8_t *foreign; /* one bit a pid that was looked at and is not of the job */
	size_t pids;      /* bits in it */
	int64_t cleared_ns;
};

/* 0 or -ENOMEM. */
int discovery_init(struct discovery *d, pid_t reaper);
void discovery_release(struct discovery *d);

/* Adds what is new; a pid that was foreign is looked at again after 10 s. Returns how many were
 * added. */
int discover(struct discovery *d, struct job *j, int64_t now_ns);

#endif
