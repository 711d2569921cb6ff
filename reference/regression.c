/* Linear regression and AdamW in double precision. */
#include "reference/regression.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct adamw adamw_usual = {
	.rate = 0.01, .beta1 = 0.9, .beta2 = 0.999, .epsilon = 1e-8, .decay = 0.01};

int regression_init(struct regression *r, unsigned features, const struct adamw *adamw,
		    struct failure *f)
{
	size_t values = features + 1;
	double *memory = calloc(values, 4 * sizeof(double));

	if (!memory)
		return failure_system(f, "no memory for the model");
	*r = (struct regression){
		.features = features,
		.adamw = *adamw,
		.weights = memory,
		.gradient = memory + values,
		.mean = memory + 2 * values,
		.variance = memory + 3 * values,
	};
	return 0;
}

void regression_release(struct regression *r)
{
	free(r->weights);
	*r = (struct regression){0};
}

double regression_predict(const struct regression *r, const float *item)
{
	double sum = r->weights[r->features];

	for (unsigned i = 0; i < r->features; i++)
		sum += r->weights[i] * (double)item[i];
	return sum;
}

static double residual(const struct regression *r, const float *item)
{
	return regression_predict(r, item) - (double)item[r->features];
}

double regression_loss(const struct regression *r, const float *items, uint32_t count)
{
	double sum = 0;

	for (uint32_t n = 0; n < count; n++, items += r->features + 1) {
		double error = residual(r, items);

		sum += error * error;
	}
	return sum / count;
}

/* Sets the gradient of the mean squared error and returns that error. */
static double differentiate(struct regression *r, const float *items, uint32_t count)
{
	double sum = 0;

	memset(r->gradient, 0, (r->features + 1) * sizeof(*r->gradient));
	for (uint32_t n = 0; n < count; n++, items += r->features + 1) {
		double error = residual(r, items), slope = 2 * error / count;

		sum += error * error;
		for (unsigned i = 0; i < r->features; i++)
			r->gradient[i] += slope * (double)items[i];
		r->gradient[r->features] += slope;
	}
	return sum / count;
}

static void step(struct regression *r)
{
	const struct adamw *a = &r->adamw;
	double steps = (double)++r->steps;
	double mean_bias = 1 - pow(a->beta1, steps), variance_bias = 1 - pow(a->beta2, steps);

	for (unsigned i = 0; i <= r->features; i++) {
		double g = r->gradient[i];

		r->mean[i] = a->beta1 * r->mean[i] + (1 - a->beta1) * g;
		r->variance[i] = a->beta2 * r->variance[i] + (1 - a->beta2) * g * g;
		r->weights[i] *= 1 - a->rate * a->decay;
		r->weights[i] -= a->rate * (r->mean[i] / mean_bias) /
				 (sqrt(r->variance[i] / variance_bias) + a->epsilon);
	}
}

double regression_train(struct regression *r, const float *items, uint32_t count)
{
	double loss = differentiate(r, items, count);

	step(r);
	return loss;
}
