/* figures.h: all figures of a run by their keys: what a baseline keeps. */
#ifndef PROFILER_GATE_FIGURES_H
#define PROFILER_GATE_FIGURES_H

#include <jansson.h>

#include "profiler/gate/run.h"

/* A new object: key -> number, the worst of all subjects of a name; bytes and counts are integers. NULL when out of memory. */
json_t *figures_of(const struct run *run);

/* A new array of the ids of its findings, each once. */
json_t *finding_ids_of(const struct run *run);

#endif
