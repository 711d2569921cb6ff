/*
 * stale-shm: processes of the job ended and left files in /dev/shm, which take memory until somebody removes them. Only files that carry the pid of a
 * process of this session, seen to have ended, count: what other jobs or earlier runs left is not told here. From 1 MiB on.
 */
#include "profiler/model/findings.h"
#include "profiler/model/private.h"

#define LEAST_BYTES (INT64_C(1) << 20)

struct stale {
	int64_t bytes, at_ns;
	const struct event_row *largest;
	int processes;
};

static int is_of_job(const struct model *m, int64_t pid)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pid == pid && m->processes[i].ended_ns != MODEL_NONE)
			return 1;
	return 0;
}

static void measure(const struct model *m, struct stale *s)
{
	const struct tables *t = &m->priv->tables;

	for (size_t i = 0; i < t->events.count; i++) {
		const struct event_row *event = &t->events.items[i];

		if (event->kind != EVENT_STALE_SHM || event->value <= 0 ||
		    !is_of_job(m, event->value2))
			continue;
		s->bytes += event->value;
		s->at_ns = event->t_ns;
		s->processes++;
		if (!s->largest || event->value > s->largest->value)
			s->largest = event;
	}
}

void find_stale_shm(const struct model *m, struct finding_sink *sink)
{
	struct stale s = {0};
	struct model_evidence facts[3];
	struct model_finding f = {
		.id = "stale-shm",
		.title = "Processes that ended left their batches in /dev/shm",
		.evidence = facts,
		.evidence_count = 3,
		.moments = &s.at_ns,
		.moment_count = 1,
	};

	measure(m, &s);
	if (s.bytes < LEAST_BYTES)
		return;
	facts[0] = (struct model_evidence){"stale_bytes",   "left behind", MODEL_BYTES,
					   (double)s.bytes, NULL,          0};
	facts[1] = (struct model_evidence){"processes", "by processes", MODEL_COUNT,
					   s.processes, NULL,           0};
	facts[2] =
		(struct model_evidence){"file", "for example", MODEL_TEXT, 0, s.largest->text, 0};
	f.severity = finding_severity(m, s.bytes, 0, m->totals.peak_bytes);
	f.bytes = f.brief_bytes = s.bytes;
	f.brief = "left in /dev/shm by processes that ended";
	f.text = finding_text(sink, "The memory comes back when they are removed: %s is one.",
			      s.largest->text);
	f.advice = finding_text(sink, "rm /dev/shm/torch_%lld_*%s", (long long)s.largest->value2,
				s.processes > 1 ? "; likewise of the others" : "");
	finding_report(sink, &f);
}
