/*
 * summary.h: what `loopmem run` prints when the program has ended: at most eight lines, each beginning "loopmem: ". Two when all is well, one
 * for a program without data loaders, the last moment for one that was killed.
 */
#ifndef PROFILER_VIEW_SUMMARY_H
#define PROFILER_VIEW_SUMMARY_H

#include <stdio.h>

#include "profiler/model/model.h"

/* `file` is the session as the person named it. The caller prints the blank line before it where there is a terminal. 0, or -1 when
 * out of memory. */
int summary_print(FILE *out, const struct model *m, const char *file);

#endif
