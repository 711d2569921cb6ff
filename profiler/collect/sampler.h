/*
 * sampler.h: measures the job: rounds (T0, T1, walks), details (T2) and walks of descriptors (T4),
 * each when schedule.h allows it, and writes what it saw. All rows of one round carry one t_ns.
 */
#ifndef PROFILER_COLLECT_SAMPLER_H
#define PROFILER_COLLECT_SAMPLER_H

#include <stdint.h>

#include "profiler/collect/cgroup.h"
#include "profiler/collect/discover.h"
#include "profiler/collect/edges.h"
#include "profiler/collect/fork_names.h"
#include "profiler/collect/job.h"
#include "profiler/collect/machine.h"
#include "profiler/collect/oom_before.h"
#include "profiler/collect/pools.h"
#include "profiler/collect/proc_file.h"
#include "profiler/collect/schedule.h"
#include "profiler/collect/shm_space.h"
#include "profiler/collect/shm_table.h"

struct sampler {
	struct job *job;
	struct pools *pools;
	struct edges *edges;
	struct recorder *recorder;
	struct discovery discovery;
	struct fork_names fork_names; /* its `resolve` is set by who made the sampler */

	struct machine machine;
	struct machine_memory machine_memory; /* as of the last details */
	struct cgroup cgroup;
	int cgroup_is_ours;
	int64_t cgroup_checked_ns; /* SESSION_NULL = never */
	int64_t limit_bytes;
	/* what was counted before the job, and what of the cgroup's is told; CGROUP_UNKNOWN */
	int64_t oom_kills_before, machine_oom_kills_before, oom_kills;

	struct shm_table shm;
	struct shm_space shm_space;
	struct proc_text maps;

	struct budget budget;
	struct rates rates;
	int64_t round_cost_ns, detail_cost_ns, shm_cost_ns; /* averages */
	int64_t round_due_ns, detail_due_ns, shm_due_ns, shm_last_ns;
	int64_t walked_ns; /* the last walk of all */
	/* the last round, and the anonymous memory of all in it */
	int64_t last_round_ns, last_anon_bytes;
	int walks_refused; /* no permission to read smaps_rollup */
};

/* `reaper` as in discover.h. 0 or -ENOMEM; sampler_release in any case. */
int sampler_init(struct sampler *s, struct edges *edges, pid_t reaper);
void sampler_release(struct sampler *s);

/* After the first process was added: finds the cgroup and the limit. `before`: taken before the job
 * was started by this process; NULL = it was not. */
void sampler_find_limits(struct sampler *s, const struct oom_before *before);

/* Does what is due now. Called every tick. */
void sampler_step(struct sampler *s);

/* Processes that the kernel killed for memory since the start: in the cgroup, or on the machine
 * where that is not told. */
int64_t sampler_oom_kills(const struct sampler *s);

/* Everything once, whatever is due: before the session is closed. */
void sampler_last_round(struct sampler *s);

#endif
