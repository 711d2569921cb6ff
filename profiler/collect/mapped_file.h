/*
 * mapped_file.h: a file of the profiled program, mapped read-only. The program may cut it short at
 * any time, and reading behind its end would be SIGBUS: the end of the collector.
 *
 * Here such a read finds zeros. The first one puts zero pages in the place of the whole mapping,
 * from then on mapped_file_is_lost says so; what was read since the last time it did not may be
 * zeros. Every other SIGBUS does what it did before. For one thread.
 */
#ifndef PROFILER_COLLECT_MAPPED_FILE_H
#define PROFILER_COLLECT_MAPPED_FILE_H

#include <stddef.h>

struct mapped_file;

/* 0 or -errno. `bytes` may reach behind the file's end. The descriptor may be closed. */
int mapped_file_open(struct mapped_file **f, int fd, size_t bytes);
void mapped_file_close(struct mapped_file *f);

/* Valid until it is closed. */
const void *mapped_file_data(const struct mapped_file *f);
int mapped_file_is_lost(const struct mapped_file *f);

#endif
