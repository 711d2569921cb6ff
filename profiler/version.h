/* The version of this program; the build reads this line too. */
#ifndef LOOPMEM_PROFILER_VERSION_H
#define LOOPMEM_PROFILER_VERSION_H

#define LOOPMEM_VERSION "0.1.0"

#endif
