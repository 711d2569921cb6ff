/*
 * pinned-memory: a process locked memory (mlock, page-locked transfer buffers). No fault by itself: a notice, because under a limit nothing
 * of it can give way.
 */
#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

struct locked {
	int64_t worst_bytes, at_ns; /* of the process that locked most */
	int worst, processes;
};

static void add_process(struct locked *l, const struct track *track, int process,
			int64_t least_bytes)
{
	const struct detail_row *most = NULL;

	for (size_t i = 0; i < track->details.count; i++)
		if (!most || track->details.items[i].locked_bytes > most->locked_bytes)
			most = &track->details.items[i];
	if (!most || most->locked_bytes < least_bytes)
		return;
	l->processes++;
	if (most->locked_bytes > l->worst_bytes) {
		l->worst_bytes = most->locked_bytes;
		l->worst = process;
		l->at_ns = most->t_ns;
	}
}

void find_pinned_memory(const struct model *m, struct finding_sink *sink)
{
	struct locked l = {0};
	struct model_evidence facts[2];
	struct model_finding f = {
		.id = "pinned-memory",
		.severity = MODEL_NOTICE,
		.title = "Memory is locked: it can be neither swapped nor reclaimed",
		.evidence = facts,
		.evidence_count = 2,
		.moments = &l.at_ns,
		.moment_count = 1,
	};

	for (size_t i = 0; i < m->process_count; i++)
		add_process(&l, &m->priv->tables.tracks.items[i], (int)i,
			    threshold_bytes(THRESHOLD_PINNED, m->totals.peak_bytes, 1));
	if (!l.processes)
		return;
	facts[0] = (struct model_evidence){"locked_bytes_max",    "a process", MODEL_BYTES,
					   (double)l.worst_bytes, NULL,        0};
	facts[1] = (struct model_evidence){"processes", "processes", MODEL_COUNT,
					   l.processes, NULL,        0};
	f.bytes = f.brief_bytes = l.worst_bytes;
	f.brief = finding_text(sink, "locked in memory by process %lld",
			       (long long)m->processes[l.worst].pid);
	f.text = finding_text(sink, "Process %lld holds the most of it.",
			      (long long)m->processes[l.worst].pid);
	finding_report(sink, &f);
}
