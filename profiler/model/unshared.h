/*
 * unshared.h: memory inherited at a fork, shared then, private now: copy-on-write undone, as by reference counts.
 *
 *   least of:  shared bytes at the fork - shared bytes now     (also falls when inherited memory is unmapped)
 *              private dirty bytes                             (also rises by new allocations, or when others exit)
 *              4 KiB x minor faults since the fork             (also counts new memory)
 * Each alone is wrong in some case; the least of them was right in every one that was tried, but for a child that frees inherited
 * memory and allocates new memory in its place: so inherited bytes that the shim saw freed are taken off as far as
 * own live allocations can stand in their place. A forked child starts with no private memory and no faults.
 */
#ifndef PROFILER_MODEL_UNSHARED_H
#define PROFILER_MODEL_UNSHARED_H

#include "profiler/model/load.h"

/* shared_at_fork_bytes SESSION_NULL = not a forked child: 0. `heap` may be NULL (no shim). */
int64_t unshared_bytes(int64_t shared_at_fork_bytes, const struct rollup_row *rollup,
		       const struct heap_row *heap);

#endif
