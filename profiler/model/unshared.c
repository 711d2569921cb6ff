/* Bytes that a child has copied since the fork: the formula of unshared.h. */
#include "profiler/model/unshared.h"

#define FAULT_BYTES 4096

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t unshared_bytes(int64_t shared_at_fork_bytes, const struct rollup_row *rollup,
		       const struct heap_row *heap)
{
	int64_t drop, copied;

	if (shared_at_fork_bytes == SESSION_NULL)
		return 0;
	drop = shared_at_fork_bytes - rollup->shared_bytes;
	copied =
		least(drop, least(rollup->private_dirty_bytes, rollup->minor_faults * FAULT_BYTES));
	if (heap)
		copied -= least(heap->inherited_free_bytes, heap->live_bytes + heap->mapped_bytes);
	return copied > 0 ? copied : 0;
}
