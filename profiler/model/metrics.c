/* The table of named figures: see metrics.def. */
#include "profiler/model/metrics.h"

#include <math.h>
#include <string.h>

#define NS_PER_SECOND 1e9

#define SCOPE(scope, word, type) typedef type scope##_object;
#include "profiler/model/metrics.def"

static double in_unit(enum model_unit unit, double value)
{
	return unit == MODEL_UNIT_SECONDS ? value / NS_PER_SECOND : value;
}

#define METRIC(scope, name, unit, needs, expression, help)                         \
	static double scope##_##name(const void *object)                           \
	{                                                                          \
		const scope##_object *o = object;                                  \
                                                                                   \
		(void)o;                                                           \
		return (expression) == MODEL_NONE                                  \
			       ? NAN                                               \
			       : in_unit(MODEL_UNIT_##unit, (double)(expression)); \
	}
#include "profiler/model/metrics.def"

const struct model_metric model_metrics[] = {
#define METRIC(scope, name, unit, needs, expression, help) \
	{MODEL_SCOPE_##scope, #name, MODEL_UNIT_##unit, MODEL_NEEDS_##needs, scope##_##name, help},
#include "profiler/model/metrics.def"
};
const size_t model_metric_count = sizeof(model_metrics) / sizeof(model_metrics[0]);

static const char *const scope_words[] = {
#define SCOPE(scope, word, type) word,
#include "profiler/model/metrics.def"
};

const struct model_metric *model_metric_find(enum model_scope scope, const char *name)
{
	for (size_t i = 0; i < model_metric_count; i++)
		if (model_metrics[i].scope == scope && !strcmp(model_metrics[i].name, name))
			return &model_metrics[i];
	return NULL;
}

const char *model_scope_word(enum model_scope scope)
{
	return scope_words[scope];
}
