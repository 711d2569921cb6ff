/*
 * thin.h: how a session of days stays small. Pure: says which rows to thin how far; session_thin
 * does it.
 *
 * The last minutes stay at full rate. Older rows become spans of one second, then ten; when the
 * file nears its limit the spans double and the untouched end shrinks, until it is met or nothing
 * is left to thin.
 */
#ifndef PROFILER_COLLECT_THIN_H
#define PROFILER_COLLECT_THIN_H

#include <stdint.h>

#define THIN_DEFAULT_MAX_BYTES (INT64_C(256) << 20)
#define THIN_LEAST_MAX_BYTES   (INT64_C(1) << 20)

struct thinning {
	int64_t max_bytes;
	int level; /* rises when the file is near its limit; 0 = never was */
	int64_t last_ns;
};

struct thin_step {
	int64_t before_ns; /* rows older than this ... */
	int64_t span_ns;   /* ... become spans of this length; 0 = nothing to do */
};

enum { THIN_STEPS = 2 };

/* To be asked about once a second; answers at most once a minute, and every 5 s while the file is
 * near its limit. `steps` in the order to be done. Returns how many. */
int thin_due(struct thinning *t, int64_t now_ns, int64_t size_bytes,
	     struct thin_step steps[THIN_STEPS]);

#endif
