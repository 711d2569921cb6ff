/* size.h: sizes as people write them on a command line. */
#ifndef PROFILER_SIZE_H
#define PROFILER_SIZE_H

#include <stdint.h>

/* "256M", "1 GiB", "65536": K, M, G and T are powers of 1024; B or iB may follow them, in either
 * case. Not negative. 0, or -EINVAL. */
int size_parse(const char *text, int64_t *bytes);

#endif
