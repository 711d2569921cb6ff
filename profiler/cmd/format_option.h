/* format_option.h: -f FORMAT and -o FILE of the commands that write several formats. */
#ifndef PROFILER_CMD_FORMAT_OPTION_H
#define PROFILER_CMD_FORMAT_OPTION_H

#include <argp.h>

#include "profiler/view/output_format.h"

/* The row of that name. Exits with a list of the names when there is none; also when `name` is NULL: no format was given. */
const void *format_option(const struct argp_state *state, const struct output_formats *formats,
			  const char *name);

/* The row that the ending of `file` stands for. NULL when it has no ending; exits when nothing writes such files. */
const void *format_option_of_file(const struct argp_state *state,
				  const struct output_formats *formats, const char *file);

/* An option that only some formats take, by its bit among those that the command knows. */
struct format_special {
	unsigned int bit;
	const char *name;
};

/* Exits when one of the `given` options is none that the format `takes`. */
void format_refuse(const struct argp_state *state, const struct format_special *special,
		   size_t count, unsigned int given, unsigned int takes,
		   const struct output_format *format);

#endif
