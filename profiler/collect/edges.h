/*
 * edges.h: takes the edges of a process out of its segment: writes them to the session and marks
 * who has to be measured because of them.
 */
#ifndef PROFILER_COLLECT_EDGES_H
#define PROFILER_COLLECT_EDGES_H

#include <stdint.h>

#include "profiler/collect/job.h"
#include "profiler/collect/pools.h"

struct edges {
	struct job *job;
	struct pools *pools;
	uint64_t turn;   /* of representatives, see schedule.h */
	int measure;     /* set: somebody was marked to be walked */
	int sites;       /* set: what allocated may have changed */
	int walk_shm;    /* set: shared memory may have changed hands */
	int64_t thinned; /* frequent edges left out */
};

/* Reads the new edges of all living processes; cheap when there are none. */
void edges_poll(struct edges *e);

/* The last edges of a process that has ended or been replaced by exec. */
void edges_finish(struct edges *e, struct process *p);

#endif
