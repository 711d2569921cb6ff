/*
 * environment.h: what a run's figures depend on besides the program, as a JSON object of texts: the known rows of
 * model/facts.def, and what the processes and pools tell.
 */
#ifndef PROFILER_GATE_ENVIRONMENT_H
#define PROFILER_GATE_ENVIRONMENT_H

#include <jansson.h>

#include "profiler/gate/run.h"

/* A new object; NULL when out of memory. */
json_t *environment_of(const struct run *run);

/* Calls `differs` for every key that both have and whose texts differ, in the order of the base's keys. */
void environment_compare(const json_t *base, const json_t *head,
			 void (*differs)(void *arg, const char *words, enum model_weight weight,
					 const char *base, const char *head),
			 void *arg);

#endif
