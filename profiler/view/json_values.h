/*
 * json_values.h: values of JSON documents from those of the model, of which many may be unknown. The caller owns what is returned; NULL = out of
 * memory.
 */
#ifndef PROFILER_VIEW_JSON_VALUES_H
#define PROFILER_VIEW_JSON_VALUES_H

#include <jansson.h>

#include "profiler/model/model.h"

/* A string of any bytes, as UTF-8; null for NULL. */
json_t *json_text(const char *text);

/* The same, and null for an empty one. */
json_t *json_text_or_null(const char *text);

/* Seconds since the start; null for MODEL_NONE. */
json_t *json_seconds(int64_t ns);

/* A count or bytes; null for MODEL_NONE. */
json_t *json_count(int64_t value);

#endif
