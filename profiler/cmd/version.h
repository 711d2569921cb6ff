/* loopmem --version. */
#ifndef PROFILER_CMD_VERSION_H
#define PROFILER_CMD_VERSION_H

/* Version, compiler and libraries, on stdout. */
void version_print(void);

#endif
