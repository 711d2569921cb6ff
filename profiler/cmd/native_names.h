/* native_names.h: names of native frames for the collector, which knows no ELF files. */
#ifndef PROFILER_CMD_NATIVE_NAMES_H
#define PROFILER_CMD_NATIVE_NAMES_H

#include "profiler/collect/sites.h"

/* A sites_resolve_fn. */
void native_names(const struct sites_question *question, sites_answer_fn *answer, void *arg);

#endif
