/*
 * shim_file.h: opens a file that the shim of a process writes: checked by the words that every such
 * file begins with, then mapped.
 */
#ifndef PROFILER_COLLECT_SHIM_FILE_H
#define PROFILER_COLLECT_SHIM_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "profiler/collect/mapped_file.h"

/* What the head says, and how much of the file there must be. */
struct shim_file_form {
	uint64_t magic;
	uint32_t version, size_bytes;
	size_t begun_bytes; /* with fewer it is only being made */
	size_t least_bytes, map_bytes;
};

/* 0; -EAGAIN when the file is not begun, -EPROTO when it is of another version, -EINVAL when it is
 * none of these or too short, or -errno. `st` is set when it could be read. */
int shim_file_open(struct mapped_file **file, struct stat *st, int dir_fd, const char *name,
		   const struct shim_file_form *form);

#endif
