/*
 * strings.h: the model's texts, each stored once, valid until strings_release. A text that a refresh reads again costs nothing.
 */
#ifndef PROFILER_MODEL_STRINGS_H
#define PROFILER_MODEL_STRINGS_H

#include <stdarg.h>
#include <stddef.h>

struct strings {
	char **slots; /* a hash table with open addressing; NULL = free */
	size_t count, capacity;
	int failed; /* a text was lost for lack of memory: "" stands for it */
};

/* The stored copy of `text`; NULL gives NULL. When out of memory: "". */
const char *strings_keep(struct strings *s, const char *text);

/* As strings_keep, of a formatted text. */
const char *strings_format(struct strings *s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
const char *strings_vformat(struct strings *s, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

void strings_release(struct strings *s);

#endif
