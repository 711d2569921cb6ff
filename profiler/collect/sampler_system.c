/*
 * The cgroup and the machine. A cgroup's figures are the job's only while nobody else lives in it;
 * up to 16 MiB of strangers (an init, a shell that waits) are let pass. The limit counts in any
 * case: it kills whoever fills it.
 */
#include "profiler/collect/sampler_system.h"

#include <unistd.h>

static const int64_t STRANGERS_PASS_BYTES = 16 << 20;
static const int64_t CHECK_PERIOD_NS = INT64_C(10000000000);

static int is_ours(pid_t pid, void *job)
{
	return pid == getpid() || job_find(job, pid) != NULL;
}

static void check_strangers(struct sampler *s, int64_t t_ns)
{
	struct cgroup_strangers strangers;
	int ours;

	if (!cgroup_version(&s->cgroup) ||
	    (s->cgroup_checked_ns != SESSION_NULL && t_ns - s->cgroup_checked_ns < CHECK_PERIOD_NS))
		return;
	ours = !cgroup_strangers(&s->cgroup, is_ours, s->job, &strangers) &&
	       strangers.rss_bytes <= STRANGERS_PASS_BYTES;
	if (!ours && (s->cgroup_is_ours || s->cgroup_checked_ns == SESSION_NULL))
		recorder_note(
			s->recorder, "notice",
			"the cgroup %s is shared with other processes: its memory is not taken for the job's",
			s->cgroup.name);
	s->cgroup_is_ours = ours;
	s->cgroup_checked_ns = t_ns;
}

static void write_limit_source(struct sampler *s, int64_t limit)
{
	session_put_text(s->recorder->session, "limit_source",
			 limit != CGROUP_UNKNOWN && limit < s->machine.ram_bytes ? "cgroup"
										 : "RAM");
}

void sampler_refresh_limits(struct sampler *s, int64_t t_ns)
{
	int64_t limit = cgroup_limit(&s->cgroup), before = s->limit_bytes;

	s->limit_bytes = limit != CGROUP_UNKNOWN && limit < s->machine.ram_bytes
				 ? limit
				 : s->machine.ram_bytes;
	if (s->limit_bytes != before)
		write_limit_source(s, limit);
	machine_read(&s->machine, &s->machine_memory);
	check_strangers(s, t_ns);
}

/* Of the first process; when that is dead already it was this one's, if this one started it. */
static int open_cgroup(struct sampler *s, int started_here)
{
	const struct process *root = s->job->count ? s->job->items[0] : NULL;

	if (root && !cgroup_open(&s->cgroup, root->pid))
		return 0;
	return started_here ? cgroup_open(&s->cgroup, getpid()) : -1;
}

void sampler_find_limits(struct sampler *s, const struct oom_before *before)
{
	struct cgroup_memory memory;

	if (!open_cgroup(s, before != NULL))
		session_put_text(s->recorder->session, "cgroup", s->cgroup.name);
	cgroup_read(&s->cgroup, &memory);
	s->oom_kills_before = oom_before_kills(before, &s->cgroup, memory.oom_kills);
	s->oom_kills = s->oom_kills_before;
	s->machine_oom_kills_before = before ? before->machine_kills : machine_oom_kills();
	sampler_refresh_limits(s, recorder_now(s->recorder));
}

static void note_oom_kills(struct sampler *s, int64_t kills, int64_t t_ns)
{
	if (kills != CGROUP_UNKNOWN && s->oom_kills != CGROUP_UNKNOWN && kills > s->oom_kills)
		session_put_event(s->recorder->session,
				  &(struct session_event){.t_ns = t_ns,
							  .kind = "oom-kill",
							  .process = SESSION_NULL,
							  .pool = SESSION_NULL,
							  .value = kills - s->oom_kills,
							  .value2 = SESSION_NULL});
	s->oom_kills = kills;
}

static int64_t machine_kills(const struct sampler *s)
{
	int64_t now = machine_oom_kills(), before = s->machine_oom_kills_before;

	return now == CGROUP_UNKNOWN || before == CGROUP_UNKNOWN ? 0 : now - before;
}

int64_t sampler_oom_kills(const struct sampler *s)
{
	if (s->oom_kills == CGROUP_UNKNOWN || s->oom_kills_before == CGROUP_UNKNOWN)
		return machine_kills(s);
	return s->oom_kills - s->oom_kills_before;
}

void sampler_write_system(struct sampler *s, int64_t t_ns)
{
	struct cgroup_memory memory;
	struct session_system row = {.t_ns = t_ns, .limit_bytes = s->limit_bytes, .n = 1};

	_Static_assert(CGROUP_UNKNOWN == SESSION_NULL,
		       "what the cgroup does not say is NULL in the session");
	cgroup_read(&s->cgroup, &memory);
	note_oom_kills(s, memory.oom_kills, t_ns);
	row.oom_kills = memory.oom_kills;
	row.current_bytes = s->cgroup_is_ours ? memory.current : SESSION_NULL;
	row.anon_bytes = s->cgroup_is_ours ? memory.anon : SESSION_NULL;
	row.shmem_bytes = s->cgroup_is_ours ? memory.shmem : SESSION_NULL;
	row.file_bytes = s->cgroup_is_ours ? memory.file : SESSION_NULL;
	row.kernel_bytes = s->cgroup_is_ours ? memory.kernel : SESSION_NULL;
	row.available_bytes = s->machine_memory.available_bytes;
	row.machine_shmem_bytes = s->machine_memory.shmem_bytes;
	session_put_system(s->recorder->session, &row);
}
