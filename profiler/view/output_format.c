/* Choosing a format: see the header. */
#include "profiler/view/output_format.h"

#include <stdio.h>
#include <string.h>

static const struct output_format *format_at(const struct output_formats *formats, size_t i)
{
	return (const void *)((const char *)formats->rows + i * formats->row_bytes);
}

const void *output_format_named(const struct output_formats *formats, const char *name)
{
	for (size_t i = 0; i < formats->count; i++)
		if (!strcmp(format_at(formats, i)->name, name))
			return format_at(formats, i);
	return NULL;
}

static int ends_with(const char *file, const char *ending)
{
	size_t length = strlen(file), tail = strlen(ending);

	return length > tail && !strcmp(file + length - tail, ending);
}

const void *output_format_of_file(const struct output_formats *formats, const char *file)
{
	for (size_t i = 0; i < formats->count; i++) {
		const struct output_format *format = format_at(formats, i);

		if (format->ending && ends_with(file, format->ending))
			return format;
	}
	return NULL;
}

char *output_format_list(char *out, size_t size, const struct output_formats *formats)
{
	size_t length = 0;

	out[0] = '\0';
	for (size_t i = 0; i < formats->count && length < size; i++)
		length += (size_t)snprintf(out + length, size - length, "%s%s", i ? ", " : "",
					   format_at(formats, i)->name);
	return out;
}
