/*
 * diff.h: what changed between two runs, as text and as JSON (docs/diff-json.md). Three lines first: peak, held idle, verdict.
 */
#ifndef PROFILER_VIEW_DIFF_H
#define PROFILER_VIEW_DIFF_H

#include <stdio.h>

#include "profiler/model/difference.h"
#include "profiler/view/report.h"

/* 0, or -1 when out of memory; write errors are left in `out`. */
typedef int diff_write(FILE *out, const struct difference *d, const struct report_options *options);

struct diff_format {
	struct output_format format; /* first */
	diff_write *write;
};
extern const struct output_formats diff_formats; /* of struct diff_format */

diff_write diff_text, diff_json;

#endif
