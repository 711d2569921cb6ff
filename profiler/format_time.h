/*
 * format_time.h: the forms of time, for every text that a person reads: how long (a duration, the same in a column, a change of one) and
 * when (a moment, the same with tenths, the clock's time). No time shows more than has passed: all are cut, none is rounded up.
 * Times are ns; all functions fill `out` (of FORMAT_MAX bytes) and return it. INT64_MIN (MODEL_NONE) is unknown: "?".
 */
#ifndef PROFILER_FORMAT_TIME_H
#define PROFILER_FORMAT_TIME_H

#include <stdint.h>

enum { FORMAT_MAX = 48 };

/* "5.0 s", "28 s", "5:07", "1:02:03", "2d 03:10"; "<0.1 s" for what is less and not nothing. */
char *format_duration(char *out, int64_t ns);
/* In columns: "5.0s", "43.8s", then as format_duration. */
char *format_duration_cell(char *out, int64_t ns);
/* A difference of durations, with its sign: "+0.2 s", "-1:04"; in columns "+0.2s". */
char *format_duration_change(char *out, int64_t ns);
char *format_duration_change_cell(char *out, int64_t ns);

/* A moment, elapsed since the start: "12:33", "1:02:03". */
char *format_moment(char *out, int64_t ns);
/* The same with tenths, for lists of events: "12:33.9". */
char *format_moment_tenths(char *out, int64_t ns);

/* The clock's time of a moment, "02:14:05", in the zone of the machine that reads. */
char *format_time_of_day(char *out, int64_t unix_ns);

#endif
