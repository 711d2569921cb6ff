/*
 * segments.h: the directory in which the job's processes make their segments: sees new ones and
 * joins them to the processes.
 *
 * A process that execs makes a second segment: then the first is read to its end and replaced. A
 * segment is removed once its process has ended and it was read.
 */
#ifndef PROFILER_COLLECT_SEGMENTS_H
#define PROFILER_COLLECT_SEGMENTS_H

#include <stdint.h>

#include "profiler/collect/job.h"
#include "profiler/error.h"

enum { SEGMENTS_PENDING = 256 };

struct segments {
	int dir_fd;
	int inotify_fd; /* -1 = none left on this system: the directory is listed instead */
	int64_t listed_ns;
	int list_again; /* there may be some that no event told of */
	/* seen, but not published yet by their process */
	struct {
		char name[64];
		int64_t first_ns;
	} pending[SEGMENTS_PENDING];
	int pending_count;
	int foreign_version; /* one of them was written by another version of the shim */
};

/* Opens an existing directory. 0 or a negative error_kind. */
int segments_open(struct segments *s, const char *directory, struct error *e);
void segments_close(struct segments *s);

/* Joins what is new. Cheap when nothing is. `listen` = the inotify descriptor has something to
 * read. */
void segments_poll(struct segments *s, struct job *j, int listen);

/* Was the directory removed meanwhile? */
int segments_removed(const struct segments *s);

#endif
