/*
 * metrics.h: the figures that have a name: one vocabulary for JSON, budgets, flags and test cases. The table is metrics.def.
 */
#ifndef PROFILER_MODEL_METRICS_H
#define PROFILER_MODEL_METRICS_H

#include "profiler/model/model.h"

enum model_scope {
#define SCOPE(scope, word, type) MODEL_SCOPE_##scope,
#include "profiler/model/metrics.def"
	MODEL_SCOPES
};

enum model_unit { MODEL_UNIT_BYTES, MODEL_UNIT_SECONDS, MODEL_UNIT_BYTE_SECONDS, MODEL_UNIT_COUNT };

enum model_needs { MODEL_NEEDS_NOTHING, MODEL_NEEDS_POOLS, MODEL_NEEDS_HEAP };

struct model_metric {
	enum model_scope scope;
	const char *name;
	enum model_unit unit;
	enum model_needs needs;
	/* `object` is of the scope's type: struct model_totals, model_process (owner, worker), model_pool, model_phase or
	 * model. Bytes, seconds, byte-seconds or a count; exact up to 2^53; NaN when the session does not tell. */
	double (*value)(const void *object);
	const char *help;
};

/* In the order of the table: the metrics of a scope stand together. */
extern const struct model_metric model_metrics[];
extern const size_t model_metric_count;

/* NULL when the scope has no such figure. */
const struct model_metric *model_metric_find(enum model_scope scope, const char *name);

const char *model_scope_word(enum model_scope scope); /* "pool": in keys */

#endif
