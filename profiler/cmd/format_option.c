/* Formats on the command line: see the header. */
#include "profiler/cmd/format_option.h"

#include <string.h>

#include "profiler/cmd/command.h"

const void *format_option(const struct argp_state *state, const struct output_formats *formats,
			  const char *name)
{
	const void *row = name ? output_format_named(formats, name) : NULL;
	char list[256];

	if (row)
		return row;
	output_format_list(list, sizeof(list), formats);
	if (name)
		command_misuse(state, "no format \"%s\"; formats: %s", name, list);
	command_misuse(state, "no format given; -f takes one of %s", list);
}

const void *format_option_of_file(const struct argp_state *state,
				  const struct output_formats *formats, const char *file)
{
	const void *row = output_format_of_file(formats, file);
	const char *base = strrchr(file, '/'), *dot;

	dot = strrchr(base ? base : file, '.');
	return row || !dot ? row : format_option(state, formats, dot + 1);
}

void format_refuse(const struct argp_state *state, const struct format_special *special,
		   size_t count, unsigned int given, unsigned int takes,
		   const struct output_format *format)
{
	for (size_t i = 0; i < count; i++)
		if (given & special[i].bit & ~takes)
			command_misuse(state, "%s is not for %s", special[i].name, format->name);
}
