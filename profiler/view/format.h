/*
 * format.h: every number and time as people see it, in one place, so that a figure looks the same everywhere. Bytes are binary and
 * spelled (KiB MiB GiB TiB), never MB or M. All functions fill `out` (of FORMAT_MAX bytes) and return it. MODEL_NONE is
 * unknown: "?".
 */
#ifndef PROFILER_VIEW_FORMAT_H
#define PROFILER_VIEW_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum { FORMAT_MAX = 48 };

enum format_unit { FORMAT_KIB, FORMAT_MIB, FORMAT_GIB, FORMAT_TIB };

/* In sentences: "26.4 GiB", "612 MiB", "251 GiB"; 0 is "0". */
char *format_bytes(char *out, int64_t bytes);
/* As format_bytes, for a figure whose unit was just named: "26.4". `like` chooses the unit. */
char *format_bytes_like(char *out, int64_t bytes, int64_t like);

/* A range: "64 KiB to 2 MiB"; one figure when `most` is no more than `least`, or unknown. */
char *format_bytes_range(char *out, int64_t least, int64_t most);

/* The unit of a table or a sentence, by its largest value: GiB from 1 GiB on, TiB from 1 TiB on. */
enum format_unit format_unit_for(int64_t largest_bytes);
const char *format_unit_name(enum format_unit unit);
double format_in_unit(int64_t bytes, enum format_unit unit);

/* In tables: the number alone. 0 is "0", what rounds to nothing "<0.1" (or "<1" without decimals). */
char *format_cell(char *out, int64_t bytes, enum format_unit unit, int decimals);

/* A difference, with its sign: "+5.9 GiB", "-0.6 GiB". */
char *format_difference(char *out, int64_t bytes);
char *format_difference_cell(char *out, int64_t bytes, enum format_unit unit, int decimals);

/* A whole percentage; "100%" only when it is all of it, "<1%" when it is more than nothing. */
char *format_percent(char *out, int64_t part, int64_t whole);
/* A small percentage: one decimal, "0.4%"; `ratio` of 1. */
char *format_percent_fine(char *out, double ratio);

/* "about 15": two significant digits. */
char *format_estimate(char *out, double value);

/* Byte-seconds in people's terms: "1.87 GiB·h"; "GiB h" when not `utf8`. */
char *format_byte_hours(char *out, double byte_seconds, int utf8);

/* "5.0 s", "28 s", "5:07", "1:02:03", "2d 03:10". */
char *format_duration(char *out, int64_t ns);
/* In columns: "5.0s", "43.8s", then as format_duration. */
char *format_duration_cell(char *out, int64_t ns);
/* How long something lasted, where it is mostly minutes: "0.8s" below a second, else as format_clock. */
char *format_span(char *out, int64_t ns);
/* The same of what goes on: never more than has passed. */
char *format_age(char *out, int64_t ns);
/* How long something was held: always on the clock, "0:28". */
char *format_clock(char *out, int64_t ns);
/* A moment, elapsed since the start: "12:33", "1:02:03". */
char *format_moment(char *out, int64_t ns);
/* The same with tenths, for lists of events: "12:33.9". */
char *format_moment_tenths(char *out, int64_t ns);

/* The clock's time of a moment, "02:14:05", in the zone of the machine that reads. */
char *format_time_of_day(char *out, int64_t unix_ns);

/* Thin groups from five digits on: "118 287", "9999". */
char *format_count(char *out, int64_t count);

#endif
