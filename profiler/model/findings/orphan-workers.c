/* orphan-workers: workers that outlived their owner and hold their memory for nobody. */
#include "profiler/model/findings.h"

#include <stdio.h>
#include <string.h>

#define LEAST_NS \
	INT64_C(10000000000) /* a watchdog of torch notices a dead owner within some seconds */

/* So long the watchdog of a forked or spawned Python worker may take to look at its owner. */
#define LOOKS_NS INT64_C(6000000000)

struct orphans {
	int64_t bytes, longest_ns;
	int count;
	char pids[128];
	const char *start_method;
};

static int64_t outlived_ns(const struct model *m, const struct model_process *p)
{
	int64_t owner_end = m->processes[m->pools[p->pool].owner].ended_ns;
	int64_t end = p->ended_ns == MODEL_NONE ? m->last_ns : p->ended_ns;

	return owner_end == MODEL_NONE ? 0 : end - owner_end;
}

static void add(struct orphans *o, const struct model *m, const struct model_process *p)
{
	size_t at = strlen(o->pids);
	int64_t ns = outlived_ns(m, p);

	o->count++;
	o->bytes += p->private_max;
	o->longest_ns = ns > o->longest_ns ? ns : o->longest_ns;
	o->start_method = m->pools[p->pool].start_method;
	if (at + 16 < sizeof(o->pids))
		snprintf(o->pids + at, sizeof(o->pids) - at, " %lld", (long long)p->pid);
}

/* It was still there at the end, and may just not have noticed yet. */
static int may_leave_soon(const struct model *m, const struct model_process *p)
{
	return p->python && strcmp(m->pools[p->pool].start_method, "forkserver") != 0 &&
	       outlived_ns(m, p) < LOOKS_NS;
}

void find_orphan_workers(const struct model *m, struct finding_sink *sink)
{
	struct orphans o = {0};
	struct model_evidence facts[3];
	struct model_finding f = {.id = "orphan-workers",
				  .title = "Workers outlived their owner",
				  .evidence = facts,
				  .evidence_count = 3};

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];

		if (p->orphan && p->pool >= 0 &&
		    (p->ended_ns == MODEL_NONE ? !may_leave_soon(m, p)
					       : outlived_ns(m, p) >= LEAST_NS))
			add(&o, m, p);
	}
	if (!o.count)
		return;
	facts[0] = (struct model_evidence){"workers", "workers", MODEL_COUNT, o.count, NULL, 0};
	facts[1] = (struct model_evidence){"private_bytes", "they hold", MODEL_BYTES,
					   (double)o.bytes, NULL,        0};
	facts[2] = (struct model_evidence){"seconds",     "after their owner ended, at most",
					   MODEL_SECONDS, (double)o.longest_ns / 1e9,
					   NULL,          0};
	f.bytes = f.brief_bytes = o.bytes;
	f.severity = MODEL_WARNING;
	f.brief = finding_text(sink, "held by %d workers whose owner is gone", o.count);
	f.text = finding_text(
		sink, "Process%s%s. %s", o.count == 1 ? "" : "es", o.pids,
		strcmp(o.start_method, "forkserver")
			? "They notice a dead owner at their next look at it, if they look."
			: "Workers of a fork server watch the server, which they keep alive "
			  "themselves: they never leave.");
	f.advice = finding_text(sink, "kill%s", o.pids);
	finding_report(sink, &f);
}
