/*
 * stall.h: how much longer, or shorter, an owner would wait for one pool with other numbers of workers and of batches ahead. The formulas
 * are in what_if.h.
 */
#ifndef PROFILER_MODEL_STALL_H
#define PROFILER_MODEL_STALL_H

#include "profiler/model/model.h"

/* A stall of less than this share is none. */
#define STALL_NONE_SHARE 0.05

struct stall_question {
	int64_t workers, prefetch;         /* as it was */
	int64_t new_workers, new_prefetch; /* as asked */
};

struct stall_change {
	double seconds; /* waited more; less than 0 = less */
	double bound_s; /* what would be waited, where it is only a bound; else 0 */
	/* CPU time of a batch, the workers' and the owner's; less than 0 = not known */
	double cpu_s;
	/* more workers than this only wait for CPUs, or take them from others; 0 = not known */
	double workers_most;
	int is_limited;   /* the CPUs decide what was answered */
	int is_computing; /* a batch takes CPU time, for the most part */
	int is_crowded;   /* the workers wanted more CPUs than they got */
};

/* All 0 when too little of the pool is known: fewer than two batches, no first batch. */
void stall_predict(const struct model *m, size_t pool, const struct stall_question *q,
		   struct stall_change *out);

#endif
