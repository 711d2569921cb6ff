/*
 * regression.h: the model that is trained: linear regression on items of `features` numbers followed
 * by their target, all floats; mean squared error; AdamW. Sums run in the order of the items, so the
 * same batches in the same order give the same bits.
 *
 * AdamW: I. Loshchilov, F. Hutter, "Decoupled Weight Decay Regularization", algorithm 2.
 */
#ifndef REFERENCE_REGRESSION_H
#define REFERENCE_REGRESSION_H

#include <stdint.h>

#include "reference/failure.h"

struct adamw {
	double rate, beta1, beta2, epsilon, decay;
};

extern const struct adamw adamw_usual; /* 0.01, 0.9, 0.999, 1e-8, 0.01 */

struct regression {
	unsigned features;
	struct adamw adamw;
	uint64_t steps;
	/* features + 1 values each, the last for the constant */
	double *weights, *gradient, *mean, *variance;
};

/* All weights 0. Release with regression_release. */
int regression_init(struct regression *r, unsigned features, const struct adamw *adamw,
		    struct failure *f);
void regression_release(struct regression *r);

double regression_predict(const struct regression *r, const float *item);

/* Mean squared error of `count` (> 0) items; changes nothing. */
double regression_loss(const struct regression *r, const float *items, uint32_t count);

/* One step of AdamW on the batch; returns its mean squared error before the step. */
double regression_train(struct regression *r, const float *items, uint32_t count);

#endif
