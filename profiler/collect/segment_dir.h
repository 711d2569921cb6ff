/*
 * segment_dir.h: the private directory of one run in which the processes make their segments.
 *
 * It is on a tmpfs with room where there is one, mode 0700, named after the process that made it and
 * locked by the collector, so that a later run can tell and remove what a killed one left.
 */
#ifndef PROFILER_COLLECT_SEGMENT_DIR_H
#define PROFILER_COLLECT_SEGMENT_DIR_H

#include <limits.h>

#include "profiler/error.h"

struct segment_dir {
	char path[PATH_MAX]; /* "" = none */
};

/* Makes it in the first of $XDG_RUNTIME_DIR, /dev/shm, /tmp that is a tmpfs with 16 MiB of room and
 * has no blank or colon in its path (the loader of libraries divides lists there), else in /tmp.
 * Removes stale ones of this user first. */
int segment_dir_make(struct segment_dir *d, struct error *e);

/* Removes what loopmem makes there, and the directory. */
void segment_dir_remove(struct segment_dir *d);

/* The same of a directory that another process made. */
void segment_dir_remove_path(const char *path);

#endif
