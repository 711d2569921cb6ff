/*
 * format.h: every number as people see it, in one place, so that a figure looks the same everywhere; forms of time are format_time.h's.
 * Bytes are binary and spelled (KiB MiB GiB TiB), never MB or M. All functions fill `out` (of FORMAT_MAX bytes) and return it. MODEL_NONE
 * is unknown: "?".
 */
#ifndef PROFILER_VIEW_FORMAT_H
#define PROFILER_VIEW_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/format_time.h"

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

/* Thin groups from five digits on: "118 287", "9999". */
char *format_count(char *out, int64_t count);

#endif
