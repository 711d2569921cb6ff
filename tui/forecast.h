/*
 * forecast.h: whether the memory grows towards its limit, and when it would be met.
 */
#ifndef TUI_FORECAST_H
#define TUI_FORECAST_H

#include "profiler/model/model.h"

/* Nanoseconds until `limit_bytes` is met if the last 60 s go on as they were; MODEL_NONE when it is not in sight within an
 * hour, before 60 s have passed, and while a pool is starting. A line through the minima of the three thirds of that minute, so
 * that pools which come and go do not look like growth. */
int64_t forecast_limit_ns(const struct model *m, const struct model_moment *now,
			  int64_t limit_bytes);

#endif
