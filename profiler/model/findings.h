/*
 * findings.h: diagnoses. Each is a row of findings.def and one pure function in findings/<id>.c that looks at a finished
 * or running model and reports what it found. Adding one: docs/howto-add-a-finding.md.
 */
#ifndef PROFILER_MODEL_FINDINGS_H
#define PROFILER_MODEL_FINDINGS_H

#include "profiler/model/model.h"

/* What a finding function fills. Copies every string; all but id, severity, title and advice may be left out. A function calls it at
 * most once: findings speak about the run, not about one pool. */
struct finding_sink;
void finding_report(struct finding_sink *sink, const struct model_finding *finding);

struct finding_kind {
	const char *id;
	const char *summary; /* one line for `loopmem help` */
	void (*find)(const struct model *m, struct finding_sink *sink);
};

extern const struct finding_kind finding_kinds[];
extern const size_t finding_kind_count;

#endif
