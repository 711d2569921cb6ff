/*
 * segment_file.h: makes the file that a segment lives in.
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

#endif
