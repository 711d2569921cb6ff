/*
 * diff.h: what changed between two runs, as text and as JSON (docs/diff-json.md). Three lines first: peak, held idle, verdict.
 */
#ifndef PROFILER_VIEW_DIFF_H
#define PROFILER_VIEW_DIFF_H

#include <stdio.h>

#include "profiler/model/difference.h"
#include "profiler/view/report.h"

/* 0, or -1 when out of memory; write errors are left in `out`. */
int diff_text(FILE *out, const struct difference *d, const struct report_options *options);
int diff_json(FILE *out, const struct difference *d);

#endif
