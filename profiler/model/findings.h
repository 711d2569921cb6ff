/*
 * findings.h: diagnoses. Each is a row of findings.def and one pure function in findings/<id>.c that looks at a finished
 * or running model and reports what it found. Adding one: docs/findings.md.
 */
#ifndef PROFILER_MODEL_FINDINGS_H
#define PROFILER_MODEL_FINDINGS_H

#include "profiler/model/model.h"

/* What a finding function fills. Copies every string and array; only id and title are needed. A function reports at
 * most once: findings speak about the run, not about one pool. */
struct finding_sink;
void finding_report(struct finding_sink *sink, const struct model_finding *finding);

/* A text that lives as long as the finding that is being made; "" when out of memory. */
const char *finding_text(struct finding_sink *sink, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The rule for the severity of what costs `bytes` at most for `held_ns`, and whose removal would leave a peak of
 * `peak_without`:
 *   error    the run was killed for memory; or the peak is at 90 % of the limit or more and would not be without it
 *   warning  5 % of the peak or more; or 256 MiB or more for 5 % of the run or more
 *   notice   the rest
 */
enum model_severity finding_severity(const struct model *m, int64_t bytes, int64_t held_ns,
				     int64_t peak_without);

/* Sets the advice of f->id from advice.def, in the words of the framework that f->pools (none: all pools of the run) have in common. `which` of
 * its cases; finding_report does it for findings that have one case and come without advice. */
void finding_advise(const struct model *m, struct model_finding *f, const char *which);

/* Sets f->line and f->line_bytes: whose live bytes grew most from one moment to another, in the workers of a pool or, pool -1, in
 * one process, if that is a quarter of f->bytes or more. */
void finding_locate(const struct model *m, struct model_finding *f, int pool, int process,
		    int64_t from_ns, int64_t to_ns);

/* For release_too: whether --release-idle-workers would end one of the pools, and the run had it not. */
int finding_is_released(const struct model *m, const int *pools, size_t count);

/* "worker 3 of train #4 e1, rank 0, process 1234"; of what is in no pool "process 1234", "rank 0, process 1234". */
const char *finding_process(struct finding_sink *sink, const struct model *m, int process);

/* The last round before t_ns in which all processes were seen whole, else the last one; -1 = there is none. */
int finding_round_before(const struct model *m, int64_t t_ns);

struct finding_kind {
	const char *id;
	const char *summary; /* one line for `loopmem help` */
	void (*find)(const struct model *m, struct finding_sink *sink);
};

#define FINDING(function, id, summary) \
	void function(const struct model *m, struct finding_sink *sink);
#include "profiler/model/findings.def"
#undef FINDING

extern const struct finding_kind finding_kinds[];
extern const size_t finding_kind_count;

#endif
