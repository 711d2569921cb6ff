/*
 * process_growth.h: growth of one process's memory while it works. What is looked at is its resident anonymous memory, from statm ten times a
 * second: a page counts once whether it is shared or private, so neither copies of inherited pages nor relatives that come and go
 * look like growth.
 */
#ifndef PROFILER_MODEL_PROCESS_GROWTH_H
#define PROFILER_MODEL_PROCESS_GROWTH_H

#include "profiler/model/growth.h"
#include "profiler/model/load.h"

/* Fills `g`, which growth_begin made. */
void process_growth_add(struct growth *g, const struct track *track);

/* Resident anonymous bytes at the last sample at or before a moment; 0 = none. */
int64_t process_growth_anon_at(const struct track *track, int64_t t_ns);

/* Whether what grew is allocated: the heap's own counters rose by half of it or more. Memory that was allocated long ago and is only
 * touched now does not grow, and what an allocator keeps is another finding. Without counters: 1. */
int process_growth_is_live(const struct track *track, int64_t start_ns, int64_t end_ns);

#endif
