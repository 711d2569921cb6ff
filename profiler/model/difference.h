/*
 * difference.h: two runs, figure by figure: what changed, and whether the change is more than the noise. Pure, like the model.
 *
 * The noise of a figure is the spread of equal phases within each run: of the pools of one stage, half of largest less
 * smallest, the larger of the two runs'; where a stage has one pool it cannot be told (NaN). A change counts when it is more
 * than the noise, and of bytes more than 2 % of the larger peak, of seconds more than 2 % and a quarter of a second.
 *
 * Pools are paired by stage and epoch, then by label, then in order of birth; every pool is in exactly one pair.
 */
#ifndef PROFILER_MODEL_DIFFERENCE_H
#define PROFILER_MODEL_DIFFERENCE_H

#include "profiler/model/model.h"

enum { DIFFERENCE_FLOOR_BYTES = 1 << 20, DIFFERENCE_REASONS = 8 };

enum difference_unit { DIFFERENCE_BYTES, DIFFERENCE_SECONDS };

struct difference_figure {
	char key[48];  /* "train.memory_bytes" */
	char name[48]; /* "train pools, memory" */
	enum difference_unit unit;
	double base, head; /* NaN = the run has none */
	double noise;      /* NaN = cannot be told */
	int counted;       /* the change is more than noise */
	int time;          /* wall time: told beside the verdict, not counted as up or down */
};

/* Indices into the pools of the two models; -1 = only the other run has it. */
struct difference_pair {
	int base, head;
};

enum difference_verdict {
	DIFFERENCE_SAME,
	DIFFERENCE_BETTER,
	DIFFERENCE_WORSE,
	DIFFERENCE_MIXED,
	DIFFERENCE_INCOMPARABLE,
};

struct difference {
	const struct model *base, *head;
	struct difference_figure *figures;
	size_t figure_count;
	struct difference_pair *pairs; /* in the order of base's pools, then head's own */
	size_t pair_count;
	size_t down, up; /* counted figures, wall time apart */
	enum difference_verdict verdict;
	/* why the runs are not alike; the first `grave` of them make the figures incomparable */
	char reasons[DIFFERENCE_REASONS][160];
	size_t reason_count, grave;
};

/* Compares; the models must outlive `d`. 0, or ERROR_SYSTEM when out of memory (then there is nothing to release). */
int difference_make(struct difference *d, const struct model *base, const struct model *head);
void difference_release(struct difference *d);

/* "better", "not comparable" */
const char *difference_verdict_name(enum difference_verdict verdict);

/* The figure of that key, or NULL. */
const struct difference_figure *difference_find(const struct difference *d, const char *key);

/* Declared workers of the largest pool of a stage; 0 = no pool. */
int64_t difference_workers(const struct model *m, enum model_stage stage);

/* Whether a finding of that id is in the run. */
int difference_has_finding(const struct model *m, const char *id);

#endif
