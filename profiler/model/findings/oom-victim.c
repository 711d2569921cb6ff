/*
 * oom-victim: the kernel's OOM killer ended a process of the job; how much of what was there then was held idle, and by which pools. Reported when the
 * cgroup counted a kill and a process of the job ended by SIGKILL, or when the run itself ended that way.
 */
#include "profiler/model/findings.h"
#include "profiler/model/private.h"

#include <signal.h>

enum { NAMED = 3 };

/* The pools that were idle at a moment. */
struct idle {
	ARRAY(int) pools;
	const char *names; /* the first of them */
};

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

static void find_idle(const struct model *m, struct finding_sink *sink, int round,
		      struct idle *idle)
{
	int64_t t_ns = m->rounds[round].t_ns;

	idle->names = "";
	for (size_t i = 0; i < m->pool_count; i++) {
		int *index = held_idle(m, i, (size_t)round, t_ns) > 0 ? array_add(&idle->pools)
								      : NULL;

		if (!index)
			continue;
		*index = (int)i;
		if (idle->pools.count <= NAMED)
			idle->names = finding_text(sink, "%s%s%s", idle->names,
						   idle->names[0] ? ", " : "", m->pools[i].name);
	}
	if (idle->pools.count > NAMED)
		idle->names = finding_text(sink, "%s and %zu more", idle->names,
					   idle->pools.count - NAMED);
}

static void report(const struct model *m, struct finding_sink *sink, int victim, int round)
{
	const struct model_round *r = &m->rounds[round];
	const struct model_process *p = &m->processes[victim];
	struct idle idle = {0};
	const struct model_evidence facts[] = {
		{"job_bytes", "the job then", MODEL_BYTES, (double)r->total_bytes, NULL, 0},
		{"victim_bytes", "the victim at most", MODEL_BYTES, (double)p->private_max, NULL,
		 0},
		{"idle_retained_bytes", "held idle then", MODEL_BYTES, (double)r->held_idle_bytes,
		 NULL, 0},
	};
	struct model_finding f = {
		.id = "oom-victim",
		.severity = MODEL_ERROR,
		.title = "The kernel's OOM killer ended a process of the job",
		.release_helps = r->held_idle_releasable_bytes > 0 && !m->released,
		.bytes = r->total_bytes,
		.brief_bytes = r->total_bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &p->ended_ns,
		.moment_count = 1,
	};

	find_idle(m, sink, round, &idle);
	f.pools = idle.pools.items;
	f.pool_count = idle.pools.count;
	f.brief = finding_text(sink, "when %s was killed", finding_process(sink, m, victim));
	f.text = finding_text(sink, "It was %s.", finding_process(sink, m, victim));
	if (idle.pools.count)
		f.text = finding_text(sink, "%s Idle then: %s; ending %s would have made room.",
				      f.text, idle.names, idle.pools.count == 1 ? "it" : "them");
	finding_report(sink, &f);
	array_release(&idle.pools);
}

void find_oom_victim(const struct model *m, struct finding_sink *sink)
{
	int victim = victim_of(m);
	int round = victim < 0 ? -1 : finding_round_before(m, m->processes[victim].ended_ns);

	if ((m->oom_killed || m->totals.oom_kills > 0) && round >= 0)
		report(m, sink, victim, round);
}
