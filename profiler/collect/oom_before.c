/* Counts of the OOM killer before the job: see the header. */
#include "profiler/collect/oom_before.h"

#include <string.h>
#include <unistd.h>

#include "profiler/collect/machine.h"

void oom_before_take(struct oom_before *b)
{
	struct cgroup own;
	struct cgroup_memory memory;

	*b = (struct oom_before){.machine_kills = machine_oom_kills()};
	if (!cgroup_open(&own, getpid()))
		memcpy(b->directory, own.directory, sizeof(b->directory));
	cgroup_read(&own, &memory);
	b->kills = memory.oom_kills;
	cgroup_close(&own);
}

int64_t oom_before_kills(const struct oom_before *b, const struct cgroup *g, int64_t now)
{
	return b && cgroup_version(g) && !strcmp(b->directory, g->directory) ? b->kills : now;
}
