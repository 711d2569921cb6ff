/* Files for the collector's tests: texts, and segments written as the shim does. */
#ifndef TESTS_UNIT_COLLECT_CRAFTED_H
#define TESTS_UNIT_COLLECT_CRAFTED_H

#include <stddef.h>

#include "inject/segment.h"
#include "profiler/collect/job.h"

/* DIRECTORY/NAME below the test's scratch directory; one of eight static buffers. */
const char *crafted_path(const char *name);

/* Makes the directory below the scratch directory, empty; returns its path. */
const char *crafted_directory(const char *name);

/* A job without processes, of a session that begins now. Stays where it is. */
struct crafted_job {
	struct recorder recorder;
	struct job job;
};
void crafted_job_start(struct crafted_job *c, const char *file);
void crafted_job_end(struct crafted_job *c); /* its session is complete then */

void crafted_file(const char *path, const void *bytes, size_t size);

/* A published segment in memory with nothing counted; zero it with crafted_segment again. */
struct loopmem_segment *crafted_segment(void);

/* Maps the file made from `segment` for writing, as its process would. */
struct loopmem_segment *crafted_map(const char *path, const struct loopmem_segment *segment);
void crafted_unmap(struct loopmem_segment *segment);

/* Appends an event. */
void crafted_event(struct loopmem_segment *segment, enum loopmem_event_kind kind, uint32_t pool_id,
		   int64_t value);

#endif
