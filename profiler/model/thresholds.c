/* Thresholds that follow the size of the run: see the header. */
#include "profiler/model/thresholds.h"

#define MIB (INT64_C(1) << 20)

static const struct {
	int64_t least_bytes, most_bytes, full_bytes;
	double share;
} rows[] = {
#define THRESHOLD(name, finding, of, least, share, most, full) \
	[THRESHOLD_##name] = {least * MIB, most * MIB, full * MIB, share},
#include "profiler/model/thresholds.def"
#undef THRESHOLD
};

int64_t threshold_bytes(enum threshold which, int64_t whole_bytes, int count)
{
	int64_t least = rows[which].least_bytes * count, most = rows[which].most_bytes * count;
	double bytes = rows[which].share * (double)whole_bytes;

	if (most && bytes > (double)most)
		return most;
	return bytes > (double)least ? (int64_t)bytes : least;
}

int threshold_is_small(enum threshold which, int64_t bytes, int count)
{
	return bytes < rows[which].full_bytes * count;
}

enum model_severity threshold_severity(enum threshold which, int64_t bytes, int count,
				       enum model_severity severity)
{
	return severity == MODEL_WARNING && threshold_is_small(which, bytes, count) ? MODEL_NOTICE
										    : severity;
}
