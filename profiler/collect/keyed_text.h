/*
 * keyed_text.h: the form that /proc/PID/status, smaps_rollup, /proc/meminfo and a cgroup's
 * memory.stat share: one "key value" a line, the key ended by a colon or a blank, the value a
 * number, bytes or "kB". Fields are found by name, never by place: kernels add and leave out lines.
 */
#ifndef PROFILER_COLLECT_KEYED_TEXT_H
#define PROFILER_COLLECT_KEYED_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* A field the text does not have. */
#define KEYED_ABSENT INT64_MIN

struct keyed_field {
	const char *key;
	size_t offset; /* of an int64_t in the struct to fill */
};

/* Sets every field of the table in `out`: the value, times 1024 where the line says kB, else
 * KEYED_ABSENT. Returns how many were found. Of a key that comes twice the first line counts. */
int keyed_text_parse(const char *text, const struct keyed_field *fields, size_t count, void *out);

#endif
