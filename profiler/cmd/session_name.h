/* session_name.h: what a session is called when nobody gave it a name. */
#ifndef PROFILER_CMD_SESSION_NAME_H
#define PROFILER_CMD_SESSION_NAME_H

#include <stddef.h>

/* "STEM-MMDD-HHMMSS.loopmem" in the working directory, with a number where that is taken. Returns
 * `out`. */
const char *session_name(char *out, size_t size, const char *stem);

#endif
