/* sampler_shm.h: the part of the sampler that looks for shared-memory objects. */
#ifndef PROFILER_COLLECT_SAMPLER_SHM_H
#define PROFILER_COLLECT_SAMPLER_SHM_H

#include "profiler/collect/sampler.h"

/* Walks the descriptors of all processes and writes the shm rows. */
void sampler_walk_shm(struct sampler *s, int64_t t_ns);

#endif
