/*
 * segment_file.h: makes the files that a segment and its sites (sites.h) live in.
 */
#ifndef INJECT_SEGMENT_FILE_H
#define INJECT_SEGMENT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "inject/segment.h"

/* Is this a directory, not a link to one, of this user and closed to all others? With errno when not. */
bool segment_directory_is_private(const char *directory);

/* Makes DIRECTORY/<pid>-<birth_ns in hex>.seg with its space reserved, and maps it: all zero. NULL on
 * any failure; a file whose space could not be reserved is left empty, so the collector can say so. */
struct loopmem_segment *segment_file_create(const char *directory, int32_t pid, uint64_t birth_ns);

/* DIRECTORY/<pid>-<birth_ns in hex><suffix>, opened for writing: made anew, or the one that exists. A descriptor, or
 * -1. */
int segment_file_open(const char *directory, int32_t pid, uint64_t birth_ns, const char *suffix,
		      bool anew);

/* Makes the file `bytes` long with all of its space reserved. False when the file system or a limit of the process
 * does not allow that. */
bool segment_file_reserve(int fd, uint64_t bytes);

#endif
