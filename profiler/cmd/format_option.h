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

#endif
