/* The totals of a job whose ranks have a session each: model/node.h lays them over each other by the wall clock. */
#include "profiler/gate/run.h"
#include "profiler/model/node.h"

int job_totals(struct model_totals *out, struct model *const *models, size_t count)
{
	struct node node;

	if (count == 1) {
		*out = models[0]->totals;
		return 0;
	}
	if (node_sum(&node, models, count))
		return -1;
	*out = (struct model_totals){
		.duration_ns = node.duration_ns,
		.peak_bytes = node.peak_bytes,
		.peak_at_ns = node.peak_at_ns,
		.peak_without_idle_bytes = node.peak_without_idle_bytes,
		.peak_without_idle_at_ns = MODEL_NONE,
		.peak_with_release_bytes = node.peak_with_release_bytes,
		.idle_max_bytes = node.idle_max_bytes,
		.idle_max_at_ns = node.idle_max_at_ns,
		.idle_ns = node.idle_ns,
		.idle_average_bytes = node.idle_average_bytes,
		.overlap_max_bytes = node.overlap_max_bytes,
		.overlap_max_at_ns = MODEL_NONE,
		.parked_batch_max_bytes = node.parked_batch_max_bytes,
		.limit_bytes = node.limit_bytes,
		.limit_source = node.limit_source,
	};
	for (size_t i = 0; i < count; i++)
		out->idle_byte_seconds += models[i]->totals.idle_byte_seconds;
	node_release(&node);
	return 0;
}
