/*
 * demo_training.h: one training of `loopmem demo`: loopmem-fit under `loopmem run`, both started as a person
 * would start them, and the losses it ended with.
 */
#ifndef PROFILER_CMD_DEMO_TRAINING_H
#define PROFILER_CMD_DEMO_TRAINING_H

#include <jansson.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/error.h"

/* What all trainings of a demo have in common. */
struct demo_workload {
	char fit[PATH_MAX]; /* the program, see demo_find_fit */
	unsigned workers, val_workers;
	int64_t cache_bytes; /* of each worker */
};

struct demo_training {
	const char *name;          /* in progress lines: "old order" */
	const char *const *habits; /* options of loopmem-fit, ended by NULL */
	unsigned epochs;
	char session[PATH_MAX]; /* where to write it */
	char result[PATH_MAX];  /* likewise, loopmem-fit's JSON */
};

/* Finds loopmem-fit beside this program. */
int demo_find_fit(char path[PATH_MAX], struct error *e);

/* Runs to the end. Progress goes to stderr when that is a terminal. A training that is interrupted or fails is
 * ERROR_PROGRAM. */
int demo_train(const struct demo_training *t, const struct demo_workload *w, struct error *e);

/* The figures of a training that has run, an array of objects; the caller's to json_decref. NULL on failure. */
json_t *demo_figures(const struct demo_training *t, struct error *e);

/* The mean losses of the train epochs among them: how many there are; the first `most` are written to `losses`. */
size_t demo_losses(const json_t *figures, double *losses, size_t most);

#endif
