/* sampler_system.h: the part of the sampler that looks at the cgroup and the machine. */
#ifndef PROFILER_COLLECT_SAMPLER_SYSTEM_H
#define PROFILER_COLLECT_SAMPLER_SYSTEM_H

#include "profiler/collect/sampler.h"

/* Writes the system row, and the event oom-kill when the cgroup counted one more. */
void sampler_write_system(struct sampler *s, int64_t t_ns);

/* Reads the limit and the machine's memory again, and every 10 s whether the cgroup is the job's
 * own. */
void sampler_refresh_limits(struct sampler *s, int64_t t_ns);

#endif
