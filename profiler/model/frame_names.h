/*
 * frame_names.h: names for the native frames of a session that is not closed: its collector asks for them at its end, and may have been killed
 * before. The model opens no files, so it is given somebody to ask. What is learned stays with the model over refreshes.
 */
#ifndef PROFILER_MODEL_FRAME_NAMES_H
#define PROFILER_MODEL_FRAME_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/model/model.h"

struct frame_name {
	const char *function, *file; /* NULL = unknown; copied */
	int line;                    /* 0 = unknown */
};

/* Frames of one module. */
struct frame_names_question {
	const char *path, *build_id; /* of the file that was loaded; the id is hexadecimal */
	const uint64_t *addresses;   /* in the file */
	size_t count;
	int hurry; /* somebody waits for the next frame of the screen: an answer within a moment or none */
};

/* A name of addresses[index]; several of one address come together, the innermost of inlined functions first. */
typedef void frame_names_answer(void *arg, size_t index, const struct frame_name *name);

/* Calls answer(arg, ...) for those that have a name. */
typedef void frame_names_resolve(const struct frame_names_question *question,
				 frame_names_answer *answer, void *arg);

/* Asks for native frames without a name whose module has a build id: of all modules, or in a hurry of one. Each frame is asked for once.
 * 1 = some were asked for, 0 = there is none left; ERROR_SYSTEM when out of memory. */
int frame_names_ask(struct model *m, frame_names_resolve *resolve, int hurry);

#endif
