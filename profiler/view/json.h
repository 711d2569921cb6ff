/*
 * json.h: the document of `report -f json` (docs/report-json.md is its contract) for the formats that are made from it: CSV takes its tables,
 * the HTML page carries it. The caller owns what is returned; NULL = out of memory.
 */
#ifndef PROFILER_VIEW_JSON_H
#define PROFILER_VIEW_JSON_H

#include <jansson.h>

#include "profiler/model/model.h"

enum { JSON_SCHEMA = 1 };

/* One session. */
json_t *json_of_session(const struct model *m);

/* The largest call sites at the peak. */
json_t *json_sites(const struct model *m);

/* A string of any bytes, as UTF-8; null for NULL. */
json_t *json_text(const char *text);

/* Seconds since the start; null for MODEL_NONE. */
json_t *json_seconds(int64_t ns);

/* A count or bytes; null for MODEL_NONE. */
json_t *json_count(int64_t value);

#endif
