/*
 * deaths.h: whether a process died, or was meant to end. Most that end by a signal or with a status other than 0 were: by their owner, by a
 * person's Ctrl-C, with the loop that they served, or since a status is how a program says no. What is left is a death.
 */
#ifndef PROFILER_MODEL_DEATHS_H
#define PROFILER_MODEL_DEATHS_H

#include <stddef.h>

#include "profiler/model/model.h"

enum death {
	DEATH_NONE,    /* it lives, ended well, or was meant to */
	DEATH_FAULT,   /* of what it did itself: SIGSEGV, SIGBUS, SIGABRT, a limit that it met */
	DEATH_KILLED,  /* by a signal that no other process of the job sent */
	DEATH_STATUS,  /* a worker, or one of several ranks, with a status other than 0 */
	DEATH_UNKNOWN, /* a worker that did not call exit(), and nobody told by which signal */
};

/* Of the process at that index. What the kernel's OOM killer ended is no death here: that is oom-victim's. */
enum death death_of(const struct model *m, size_t process);

/* It ended after its pool's workers were told to. */
int death_is_late(const struct model *m, const struct model_process *p);

#endif
