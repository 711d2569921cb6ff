/*
 * limit-mismatch: the limit that ends the job is its cgroup's, and programs that look at the machine's RAM do not see it. Every container has
 * such a limit: reported only where it is at most half of the RAM and the job came within 5 % of it, or was killed there.
 */
#include "profiler/model/findings.h"

#include <string.h>

#define RAM_SHARE  0.5
#define NEAR_SHARE 0.95

static int is_mismatch(const struct model *m)
{
	const struct model_totals *t = &m->totals;

	if (t->limit_bytes == MODEL_NONE || m->ram_bytes == MODEL_NONE ||
	    strcmp(t->limit_source, "RAM") == 0 || t->peak_at_ns == MODEL_NONE)
		return 0;
	if ((double)t->limit_bytes > RAM_SHARE * (double)m->ram_bytes)
		return 0;
	return m->oom_killed || t->oom_kills > 0 ||
	       (double)t->peak_bytes >= NEAR_SHARE * (double)t->limit_bytes;
}

void find_limit_mismatch(const struct model *m, struct finding_sink *sink)
{
	const struct model_totals *t = &m->totals;
	const struct model_evidence facts[] = {
		{"limit_bytes", "the limit", MODEL_BYTES, (double)t->limit_bytes, NULL, 0},
		{"ram_bytes", "the machine's RAM", MODEL_BYTES, (double)m->ram_bytes, NULL, 0},
		{"peak_bytes", "the job at its peak", MODEL_BYTES, (double)t->peak_bytes, NULL, 0},
	};
	struct model_finding f = {
		.id = "limit-mismatch",
		.severity = MODEL_NOTICE, /* it explains; what to end is told by the others */
		.title = "The limit is the cgroup's, far below the RAM that programs see",
		.text = "free, psutil and os.sysconf tell the machine's RAM: what sizes its caches or "
			"workers by that runs into the limit.",
		.brief = "is the limit of the cgroup, not the RAM that programs see",
		.bytes = t->limit_bytes,
		.brief_bytes = t->limit_bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &t->peak_at_ns,
		.moment_count = 1,
	};

	if (is_mismatch(m))
		finding_report(sink, &f);
}
