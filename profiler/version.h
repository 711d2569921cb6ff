/* The version of this program; the build reads this line too. */
#ifndef PROFILER_VERSION_H
#define PROFILER_VERSION_H

#define LOOPMEM_VERSION "0.1.0"

#endif
