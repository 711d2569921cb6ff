/*
 * sites.h: the call sites of all processes of a job, from their files into the session.
 *
 * Stacks of different processes that are the same code are the same rows: modules are told by path and build id, native
 * frames by the address in the file, Python's by function, file and line. So the session grows with the code that
 * allocates, not with the number of workers. Counters are read on a schedule: when the job grew to a new height, at
 * edges, now and then, and at the end of a process; only what changed is written.
 */
#ifndef PROFILER_COLLECT_SITES_H
#define PROFILER_COLLECT_SITES_H

#include <stdint.h>

#include "profiler/collect/job.h"
#include "profiler/collect/numbers.h"
#include "profiler/collect/recorder.h"

/* One line of a resolved address; several for one address are inlined functions, the innermost first. */
struct sites_symbol {
	const char *function, *file; /* NULL = unknown */
	int line;                    /* 0 = unknown */
};
struct sites_question {
	const char *path;
	const uint8_t *
		build_id; /* of what was loaded; 0 bytes: it has none, and nobody changed the file */
	size_t build_id_bytes;
	const uint64_t *addresses; /* of the file */
	size_t count;
	int hurry; /* somebody waits: rather no names than late ones */
};
typedef void sites_answer_fn(void *arg, size_t index, const struct sites_symbol *symbol);

/* Calls answer(arg, ...) for those of the addresses that have a name. Returns the CPU time that other processes spent on it, in ns. */
typedef int64_t sites_resolve_fn(const struct sites_question *question, sites_answer_fn *answer,
				 void *arg);

struct sites {
	struct recorder *recorder;
	struct numbers modules, frames, stacks;
	struct sites_module_row *module_rows; /* by number - 1 */
	struct sites_frame_row *frame_rows;
	struct session_site_sample *site_rows; /* as last written; site 0 = not yet */
	int32_t site_count;                    /* of all processes */
	int32_t module_room, frame_room, site_room;
	int64_t began_ns;              /* CLOCK_REALTIME */
	int64_t read_ns, height_bytes; /* of the last reading of all */
	int foreign_version, mean_told, objects_told;
	uint64_t coarsest_bytes; /* mean of a process so far */
	int edge;                /* an edge came since */
};

void sites_init(struct sites *s, struct recorder *r);
void sites_release(struct sites *s);

/* Reads the sites of all living processes if it is time to: `height_bytes` is the job's memory as of t_ns. */
void sites_step(struct sites *s, struct job *j, int64_t t_ns, int64_t height_bytes);

/* The last reading of a process that has ended or been replaced by exec; its file is removed. */
void sites_finish(struct sites *s, struct job *j, struct process *p);

/* Names the native frames, after the last reading. `resolve` NULL = not at all. Returns the CPU time of other processes, in ns. */
int64_t sites_resolve(struct sites *s, sites_resolve_fn *resolve);

#endif
