/*
 * thresholds.h: from which bytes on a finding speaks, and from which as loudly as they deserve. A run of 100 MiB and one of 100 GiB need different
 * words for the same 20 MiB: thresholds follow the peak, between two bounds. The rows are thresholds.def.
 */
#ifndef PROFILER_MODEL_THRESHOLDS_H
#define PROFILER_MODEL_THRESHOLDS_H

#include "profiler/model/model.h"

enum threshold {
#define THRESHOLD(name, finding, of, least, share, most, full) THRESHOLD_##name,
#include "profiler/model/thresholds.def"
#undef THRESHOLD
};

/* For `count` of what the row is about, of a whole (mostly the run's peak): share x whole, but count x least at least and
 * count x most at most. */
int64_t threshold_bytes(enum threshold which, int64_t whole_bytes, int count);

/* Whether it is below count x full. */
int threshold_is_small(enum threshold which, int64_t bytes, int count);

/* The severity of what is found: a warning is a notice where it is small. An error stays one. */
enum model_severity threshold_severity(enum threshold which, int64_t bytes, int count,
				       enum model_severity severity);

#endif
