/* json_parts.h: the larger parts of the document of json.h. The caller owns what is returned; NULL = out of memory. */
#ifndef PROFILER_VIEW_JSON_PARTS_H
#define PROFILER_VIEW_JSON_PARTS_H

#include <jansson.h>

#include "profiler/model/model.h"

/* Processes that own pools; those that are neither owners nor workers. */
json_t *json_owners(const struct model *m);
json_t *json_others(const struct model *m);

/* Pools, with their workers and spans. */
json_t *json_pools(const struct model *m);

/* The largest call sites at the peak. */
json_t *json_sites(const struct model *m);

#endif
