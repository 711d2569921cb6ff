/* suggest.h: a budget made from runs, so that nobody has to guess a limit. */
#ifndef PROFILER_GATE_SUGGEST_H
#define PROFILER_GATE_SUGGEST_H

#include <stdio.h>

#include "profiler/gate/run.h"

/* Writes a budget file: for each default key the largest figure of the runs and 10 % more, at least 16 MiB more, rounded up to two digits;
 * with the number of runs and their spread as a comment. Write errors are left in `out`. */
void suggest_budget(FILE *out, const struct run *runs, size_t run_count);

#endif
