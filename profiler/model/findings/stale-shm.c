/*
 * stale-shm: processes ended and left files in /dev/shm, which take memory until somebody removes them. Of this run: files that carry the pid of
 * a process of this session, seen to have ended; from 1 MiB on. Of earlier runs: what nobody holds, when it is enough to matter to others,
 * 1 % of /dev/shm or 256 MiB.
 */
#include <stdio.h>
#include <string.h>

#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

enum { PIDS_NAMED = 8 };

struct stale {
	int64_t bytes, at_ns;
	const struct event_row *largest;
	int processes;
	char pids[PIDS_NAMED * 12]; /* "1,2,3" */
};

static int is_of_job(const struct model *m, int64_t pid)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pid == pid && m->processes[i].ended_ns != MODEL_NONE)
			return 1;
	return 0;
}

static void add(struct stale *s, const struct event_row *event)
{
	size_t at = strlen(s->pids);

	if (s->processes < PIDS_NAMED)
		snprintf(s->pids + at, sizeof(s->pids) - at, "%s%lld", at ? "," : "",
			 (long long)event->value2);
	s->bytes += event->value;
	s->at_ns = event->t_ns;
	s->processes++;
	if (!s->largest || event->value > s->largest->value)
		s->largest = event;
}

static void measure(const struct model *m, struct stale *own, struct stale *earlier)
{
	const struct tables *t = &m->priv->tables;

	for (size_t i = 0; i < t->events.count; i++) {
		const struct event_row *event = &t->events.items[i];

		if (event->value <= 0)
			continue;
		if (event->kind == EVENT_STALE_SHM && is_of_job(m, event->value2))
			add(own, event);
		else if (event->kind == EVENT_EARLIER_SHM)
			add(earlier, event);
	}
	if (own->bytes < threshold_bytes(THRESHOLD_STALE, m->totals.peak_bytes, 1))
		*own = (struct stale){0};
	if (earlier->bytes < threshold_bytes(THRESHOLD_STALE_EARLIER, m->shm_size_bytes, 1))
		*earlier = (struct stale){0};
}

/* What removes the files of both. */
static const char *advice(struct finding_sink *sink, const struct stale *own,
			  const struct stale *earlier)
{
	int processes = own->processes + earlier->processes;
	const char *between = own->processes && earlier->processes ? "," : "";
	const char *rest = own->processes > PIDS_NAMED || earlier->processes > PIDS_NAMED
				   ? "; likewise of the others"
				   : "";

	if (processes == 1)
		return finding_text(sink, "rm /dev/shm/torch_%s%s_*", own->pids, earlier->pids);
	return finding_text(sink, "rm /dev/shm/torch_{%s%s%s}_*%s", own->pids, between,
			    earlier->pids, rest);
}

/* Fills `facts`, as many as there are. */
static size_t tell(struct model_evidence *facts, const struct stale *own,
		   const struct stale *earlier, const char *file)
{
	size_t count = 0;

	if (own->bytes)
		facts[count++] = (struct model_evidence){
			"stale_bytes", "left behind", MODEL_BYTES, (double)own->bytes, NULL, 0};
	if (earlier->bytes)
		facts[count++] = (struct model_evidence){"earlier_bytes",
							 "left by earlier runs",
							 MODEL_BYTES,
							 (double)earlier->bytes,
							 NULL,
							 0};
	facts[count++] = (struct model_evidence){"processes", "by processes",
						 MODEL_COUNT, own->processes + earlier->processes,
						 NULL,        0};
	facts[count++] = (struct model_evidence){"file", "for example", MODEL_TEXT, 0, file, 0};
	return count;
}

void find_stale_shm(const struct model *m, struct finding_sink *sink)
{
	struct stale own = {0}, earlier = {0};
	struct model_evidence facts[4];
	struct model_finding f = {
		.id = "stale-shm",
		.title = "Processes that ended left their batches in /dev/shm",
		.evidence = facts,
		.moment_count = 1,
	};
	const struct stale *first;

	measure(m, &own, &earlier);
	first = own.bytes >= earlier.bytes ? &own : &earlier;
	if (!first->bytes)
		return;
	f.evidence_count = tell(facts, &own, &earlier, first->largest->text);
	f.severity = own.bytes ? finding_severity(m, own.bytes, 0, m->totals.peak_bytes)
			       : MODEL_NOTICE;
	f.bytes = f.brief_bytes = own.bytes + earlier.bytes;
	f.moments = &first->at_ns;
	f.brief = own.bytes ? "left in /dev/shm by processes that ended"
			    : "left in /dev/shm by processes of earlier runs";
	f.text = finding_text(sink, "The memory comes back when they are removed: %s is one.",
			      first->largest->text);
	f.advice = advice(sink, &own, &earlier);
	finding_report(sink, &f);
}
