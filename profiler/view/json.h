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

#endif
