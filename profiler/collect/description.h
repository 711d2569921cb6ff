/* description.h: what a session keeps of the command: words, directory, times. */
#ifndef PROFILER_COLLECT_DESCRIPTION_H
#define PROFILER_COLLECT_DESCRIPTION_H

#include <stdint.h>
#include <sys/types.h>

#include "profiler/session/session.h"

/* `argv` NULL = as /proc/ROOT/cmdline has it. */
void description_write(struct session_writer *w, int64_t clock_ns, char *const *argv, pid_t root);

/* The words as they could be typed into a shell; free() it. NULL when out of memory. */
char *description_quote(char *const *argv);

#endif
