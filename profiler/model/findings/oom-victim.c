/*
 * oom-victim: the kernel's OOM killer ended a process of the job; how much of what was there then was held idle. Reported when the cgroup
 * counted a kill and a process of the job ended by SIGKILL, or when the run itself ended that way.
 */
#include "profiler/model/findings.h"

#include <signal.h>

/* The process that ended by SIGKILL and had been the largest; -1 = none. */
static int victim_of(const struct model *m)
{
	int victim = -1;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];

		if (p->exit_signal == SIGKILL &&
		    (victim < 0 || p->private_max > m->processes[victim].private_max))
			victim = (int)i;
	}
	return victim;
}

static const char *name_of(struct finding_sink *sink, const struct model *m, int victim)
{
	const struct model_process *p = &m->processes[victim];

	if (p->pool < 0)
		return finding_text(sink, "process %lld", (long long)p->pid);
	return finding_text(sink, "worker %lld of %s, process %lld", (long long)p->worker_id,
			    m->pools[p->pool].name, (long long)p->pid);
}

void find_oom_victim(const struct model *m, struct finding_sink *sink)
{
	int victim = victim_of(m);
	int64_t at_ns = victim < 0 ? MODEL_NONE : m->processes[victim].ended_ns;
	int round = at_ns == MODEL_NONE ? -1 : model_round_at(m, at_ns);
	struct model_evidence facts[3];
	struct model_finding f = {.id = "oom-victim",
				  .severity = MODEL_ERROR,
				  .title = "The kernel's OOM killer ended a process of the job",
				  .evidence = facts,
				  .evidence_count = 3,
				  .moments = &at_ns,
				  .moment_count = 1};

	if ((!m->oom_killed && m->totals.oom_kills <= 0) || round < 0)
		return;
	facts[0] = (struct model_evidence){"job_bytes", "the job then",
					   MODEL_BYTES, (double)m->rounds[round].total_bytes,
					   NULL,        0};
	facts[1] = (struct model_evidence){"victim_bytes", "the victim at most",
					   MODEL_BYTES,    (double)m->processes[victim].private_max,
					   NULL,           0};
	facts[2] = (struct model_evidence){"idle_retained_bytes",
					   "held idle then",
					   MODEL_BYTES,
					   (double)m->rounds[round].held_idle_bytes,
					   NULL,
					   0};
	f.bytes = f.brief_bytes = m->rounds[round].total_bytes;
	f.brief = finding_text(sink, "when %s was killed", name_of(sink, m, victim));
	f.text = finding_text(sink, "It was %s.%s", name_of(sink, m, victim),
			      m->rounds[round].held_idle_bytes
				      ? " Ending the idle pools would have made room."
				      : "");
	f.release_helps = m->rounds[round].held_idle_releasable_bytes > 0 && !m->released;
	f.advice = "fewer workers, smaller caches or batches, or a larger limit";
	finding_report(sink, &f);
}
