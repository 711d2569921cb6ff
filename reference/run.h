/*
 * run.h: what the training and the evaluation loop share: one run's loaders, and the slots that keep
 * iterators alive. Every iterator lives in a slot; when it is dropped is the subject of this folder.
 */
#ifndef REFERENCE_RUN_H
#define REFERENCE_RUN_H

#include "reference/fit.h"

/* Holds an iterator, if any, and what it was built for. */
struct slot {
	struct iterator *iterator;
	enum loopmem_stage stage;
	int32_t epoch;
	unsigned loader;
};

struct run {
	const struct fit *fit;
	struct loader *train_loader;
	struct loader **val_loaders; /* fit->data.val_loaders of them */
	struct slot train, evaluation;
	unsigned phases; /* that have begun and not ended */
};

/* One pass over one loader. */
struct pass {
	struct loader *loader;
	unsigned index; /* of the loader, among those of its stage */
	enum loopmem_stage stage;
	int32_t epoch;
	uint32_t batches; /* that the loop will take */
};

/* A mean over items of means over batches. */
struct tally {
	double sum;
	double items;
};

void tally_add(struct tally *tally, double batch_mean, uint32_t items);
double tally_mean(const struct tally *tally); /* 0 of nothing */

/* How many of `length` batches `amount` means. */
uint32_t run_amount_of(const struct fit_amount *amount, uint32_t length);

void run_report(const struct run *run, const struct fit_event *event);
void run_begin_phase(struct run *run, enum loopmem_stage stage, int32_t epoch);
void run_end_phase(struct run *run, enum loopmem_stage stage, int32_t epoch);

void run_drop(struct run *run, struct slot *slot);

/* Puts a new iterator for `pass` into the slot, in the order that FIT_BUILD_BEFORE_DROP asks for. */
int run_replace(struct run *run, struct slot *slot, const struct pass *pass, struct failure *f);

/* Ends what is under way: iterators, loaders, phases. */
void run_finish(struct run *run);

/* Evaluates every validation loader (stage SANITY or VALIDATE). The last iterator stays in its slot or
 * not, as the habits say. */
int run_validate(struct run *run, enum loopmem_stage stage, int32_t epoch, struct failure *f);

#endif
