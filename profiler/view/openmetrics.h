/*
 * openmetrics.h: what stands behind the export as OpenMetrics: the families (openmetrics.def), and the groups of objects that have the same
 * labels. Labels are few and stay the same from run to run: never a pid, an epoch, a path.
 */
#ifndef PROFILER_VIEW_OPENMETRICS_H
#define PROFILER_VIEW_OPENMETRICS_H

#include <stddef.h>
#include <stdio.h>

#include "profiler/array.h"
#include "profiler/model/metrics.h"
#include "profiler/model/model.h"

enum openmetrics_scope {
	OPENMETRICS_JOB,
	OPENMETRICS_OWNER,
	OPENMETRICS_POOL,
	OPENMETRICS_PHASE,
	OPENMETRICS_WORKER,
	OPENMETRICS_SITE,
	OPENMETRICS_FINDING,
	OPENMETRICS_SCOPES
};

/* What is told of several objects that have the same labels. */
enum openmetrics_join { OPENMETRICS_LARGEST, OPENMETRICS_SUM };

struct openmetrics_family {
	enum openmetrics_scope scope;
	const char *name;
	enum openmetrics_join join;
	enum model_unit unit;
	/* Bytes, seconds, byte-seconds or a count; NaN when the session does not tell. NULL = `figure` is looked up. */
	double (*value)(const struct model *m, const void *object);
	const char *figure; /* of model/metrics.def, in its scope */
	const char *help;   /* NULL = the figure's */
};

extern const struct openmetrics_family openmetrics_families[];
extern const size_t openmetrics_family_count;

/* The row of model/metrics.def behind a family; NULL when it has a function of its own. */
const struct model_metric *openmetrics_figure(const struct openmetrics_family *family);

/* Objects that have the same labels: their figures are told as one. */
struct openmetrics_group {
	char *labels; /* `{stage="train",pool="train_dl"}`, or "" */
	ARRAY(const void *) objects;
};

struct openmetrics_groups {
	ARRAY(struct openmetrics_group) list;
	void *storage; /* objects made for it */
	int failed;    /* out of memory */
};

/* A finding that may be there: the object of OPENMETRICS_FINDING. */
struct openmetrics_finding {
	const char *id;
	enum model_severity severity;
};

/* Fills `groups`, of sites with the `sites` largest; the caller releases them, also after a failure. */
void openmetrics_group_objects(struct openmetrics_groups *groups, const struct model *m,
			       enum openmetrics_scope scope, size_t sites);
void openmetrics_groups_release(struct openmetrics_groups *groups);

/* A label's value or the text of HELP: backslash, quote and line feed. */
void openmetrics_escape(FILE *out, const char *text);

#endif
