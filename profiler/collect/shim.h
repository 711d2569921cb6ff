/*
 * shim.h: libloopmem.so as the collector sees it: where it is, how it is preloaded, and why it did
 * not load.
 */
#ifndef PROFILER_COLLECT_SHIM_H
#define PROFILER_COLLECT_SHIM_H

#include <limits.h>

#include "profiler/error.h"

#define SHIM_NAME "libloopmem.so"

/* Its absolute path: $LOOPMEM_LIB; beside this program (build tree); ../lib/loopmem;
 * ../lib/TRIPLET/loopmem. 0 or a negative error_kind. */
int shim_find(char path[PATH_MAX], struct error *e);

/* The value for LD_PRELOAD: the shim first, then `before` (NULL = nothing) byte for byte; `before`
 * alone when it names the shim already. A path with a blank or colon cannot be named there: then a
 * link to it is made in `directory`. free() the value; NULL with errno. */
char *shim_preload(const char *path, const char *before, const char *directory);

/* The executable of a running process, or of a command as the shell finds it: an open descriptor,
 * or -errno. */
int shim_open_program(int pid, const char *command);

/* Why the loader did not preload the shim into the program open at `fd`: "it is statically linked",
 * or NULL when nothing speaks against it. Static storage. */
const char *shim_why_not(int fd);

#endif
