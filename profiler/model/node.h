/*
 * node.h: several sessions that are the ranks of one job on one machine: their memory summed at one instant. Sessions are laid over each
 * other by the wall clock at which each began.
 */
#ifndef PROFILER_MODEL_NODE_H
#define PROFILER_MODEL_NODE_H

#include "profiler/model/model.h"

struct node {
	const char *host;                   /* of the first model */
	int64_t start_unix_ns, duration_ns; /* from the first start to the last end */
	/* times below count from start_unix_ns */
	int64_t peak_bytes, peak_at_ns;
	int64_t peak_without_idle_bytes, peak_with_release_bytes;
	int64_t idle_max_bytes, idle_max_at_ns, idle_average_bytes;
	int64_t idle_ns; /* in which any rank held something */
	int64_t overlap_max_bytes, parked_batch_max_bytes;
	int64_t limit_bytes; /* MODEL_NONE; ranks that tell the same limit share it, else it is the machine's RAM */
	const char *limit_source;
	int64_t *rank_bytes; /* what each model had at the peak */
};

/* Fills `node` from models of one host. 0, or ERROR_SYSTEM when out of memory. The caller releases it. */
int node_sum(struct node *node, struct model *const *models, size_t count);
void node_release(struct node *node);

#endif
