/*
 * format.h: numbers as people read them, the same in every view. Bytes are binary and their unit is spelled (MiB, GiB, never
 * MB); durations and moments are in ns. Nothing here depends on the locale.
 *
 * Every function fills `out` (FORMAT_SIZE bytes are always enough), ends it, and returns it. MODEL_NONE is unknown: "?".
 */
#ifndef PROFILER_VIEW_FORMAT_H
#define PROFILER_VIEW_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum { FORMAT_SIZE = 32 };

enum format_unit { FORMAT_B, FORMAT_KIB, FORMAT_MIB, FORMAT_GIB, FORMAT_TIB };

/* ---- bytes ------------------------------------------------------------------------------------------ */

/* In a sentence, with the unit: "26.4 GiB", "251 GiB", "612 MiB", "4.0 KiB", "0". */
char *format_bytes(char *out, int64_t bytes);

/* The unit of a table or chart whose largest value this is: MiB under 1 GiB, KiB under 1 MiB. */
enum format_unit format_unit_for(int64_t largest_bytes);
const char *format_unit_name(enum format_unit unit); /* "GiB" */
int64_t format_unit_bytes(enum format_unit unit);

/* A cell of a table in its unit: "10.2"; 0 is "0", a value that would round to nothing "<0.1". */
char *format_bytes_in(char *out, int64_t bytes, enum format_unit unit, int decimals);

/* A difference: the sign always, "+5.9", "-0.6"; "+0.0" when it only rounds to that, "0" when equal. */
char *format_difference_in(char *out, int64_t bytes, enum format_unit unit, int decimals);

/* Bytes held over time: "1.87 GiB h" ("·" between the units when `utf8`). */
char *format_byte_seconds(char *out, double byte_seconds, int utf8);

/* ---- shares, counts, estimates ------------------------------------------------------------------------ */

/* Whole percent; "100%" only when the whole was met: 99.97 is "99%". "?" without a whole. */
char *format_share(char *out, int64_t part, int64_t whole);

/* Groups of three, divided by a blank, from five digits on: "118 287"; "2048". */
char *format_count(char *out, int64_t count);

/* An estimate in two significant digits: "about 15". */
char *format_about(char *out, double value);

/* ---- time ------------------------------------------------------------------------------------------------ */

/* "5.0 s", "28 s", "5:01", "1:02:03", "2d 03:10". */
char *format_duration(char *out, int64_t ns);

/* The same without the blank, for columns: "5.0s", "28s". */
char *format_duration_cell(char *out, int64_t ns);

/* "0:28", "12:33", "1:02:03": since the session began, or a length beside such moments. */
char *format_moment(char *out, int64_t ns);

/* With tenths, for lists of events: "12:33.9". */
char *format_moment_tenths(char *out, int64_t ns);

/* Clock time of a moment, "02:14:05", in the zone of the machine that reads. */
char *format_clock(char *out, int64_t unix_ns);

#endif
