/*
 * fit.h: a training loop with validation, in the two orders that decide how much memory it holds.
 *
 *   sanity check → for each epoch: train batches, with validations between or after them → end
 *
 * What differs is only when iterators are built and dropped (enum fit_habits); the batches, their order
 * and therefore every loss are the same, bit for bit. A loop counts batches and never asks an iterator
 * for the one after its last, as the real ones do.
 */
#ifndef REFERENCE_FIT_H
#define REFERENCE_FIT_H

#include <stdint.h>

#include "inject/loopmem.h"
#include "reference/failure.h"
#include "reference/loader.h"
#include "reference/regression.h"

/* Bit FIT_<NAME> for each line of habits.def, which says what they mean. */
enum fit_habit_number {
#define HABIT(name, option, meaning) FIT_NUMBER_##name,
#include "reference/habits.def"
	FIT_HABITS
};

enum fit_habits {
#define HABIT(name, option, meaning) FIT_##name = 1 << FIT_NUMBER_##name,
#include "reference/habits.def"
	FIT_NEW_ORDER = 0,
	FIT_OLD_ORDER = (1 << FIT_HABITS) - 1,
};

/* So many batches of an epoch: all, a count, or a fraction (at least one batch). */
struct fit_amount {
	enum { FIT_ALL, FIT_COUNT, FIT_FRACTION } kind;
	uint32_t count;
	double fraction; /* above 0, at most 1 */
};

struct fit_config {
	unsigned habits; /* enum fit_habits */
	unsigned max_epochs;
	struct fit_amount val_check_interval; /* validate after so many train batches; FIT_ALL =
						 once, after the last */
	unsigned check_val_every_n_epoch;     /* > 0 */
	unsigned sanity_steps; /* of each validation loader before training; 0 = none */
	struct fit_amount limit_train,
		limit_val;   /* a count beyond the loader's length is all of it */
	double step_delay_s; /* the model takes that long over a batch, beyond the work */
	unsigned reload_every_n_epochs; /* make the loaders anew; 0 = never */
};

/* Where loaders come from. Each one made is closed by the loop. */
struct fit_data {
	void *context;
	unsigned val_loaders;
	/* stage TRAIN, VALIDATE (index < val_loaders), TEST or PREDICT */
	int (*open_loader)(void *context, enum loopmem_stage stage, unsigned index,
			   struct loader **out, struct failure *f);
};

enum fit_event_kind {
	FIT_PHASE_BEGIN,
	FIT_PHASE_END,
	FIT_ITERATOR_BUILT,
	FIT_ITERATOR_DROPPED,
	FIT_BATCH,  /* number `batch` of `batches` was trained or evaluated */
	FIT_RESULT, /* of a train epoch or of one pass over a loader; `batches` were taken */
};

struct fit_event {
	enum fit_event_kind kind;
	enum loopmem_stage stage;
	int32_t epoch;   /* LOOPMEM_UNKNOWN outside epochs */
	unsigned loader; /* index among the validation loaders */
	uint32_t batch, batches;
	double value; /* mean loss over the items; of predict the mean prediction */
};

struct fit_observer {
	void *context;
	void (*event)(void *context, const struct fit_event *event); /* or NULL */
};

/* All that the loops work with. */
struct fit {
	struct fit_config config;
	struct fit_data data;
	struct fit_observer observer;
	struct regression *model;
};

/* Trains. On failure all workers are ended, as they are in the end. */
int fit_run(const struct fit *fit, struct failure *f);

/* One pass over the test or predict loader with the model as it is. */
int fit_test(const struct fit *fit, struct failure *f);
int fit_predict(const struct fit *fit, struct failure *f);

#endif
