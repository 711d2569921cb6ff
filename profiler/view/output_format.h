/*
 * output_format.h: the formats a command can write are a table; here is how one of them is chosen, by its name or by the ending of a file.
 * The rows of a table may be any struct that begins with a struct output_format.
 */
#ifndef PROFILER_VIEW_OUTPUT_FORMAT_H
#define PROFILER_VIEW_OUTPUT_FORMAT_H

#include <stddef.h>

struct output_format {
	const char *name;   /* "markdown", as -f takes it */
	const char *ending; /* ".md": -o FILE chooses by it; NULL = not by the file */
};

struct output_formats {
	const void *rows; /* the first is what is written when nothing is asked for */
	size_t count, row_bytes;
};

#define OUTPUT_FORMATS(table)                                                   \
	{                                                                       \
		(table), sizeof(table) / sizeof((table)[0]), sizeof((table)[0]) \
	}

/* The row of that name; the row whose ending the file has. NULL = none. */
const void *output_format_named(const struct output_formats *formats, const char *name);
const void *output_format_of_file(const struct output_formats *formats, const char *file);

/* All names, "text, markdown, html", cut off at `size`; returns out. */
char *output_format_list(char *out, size_t size, const struct output_formats *formats);

#endif
