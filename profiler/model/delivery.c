/* How long an owner waits for its workers, followed batch by batch: what_if.h. */
#include <math.h>

#include "profiler/model/what_if.h"

/* So many batches stand for all: the pattern repeats with every round of the workers. */
enum { FOLLOWED = 4096, HALVINGS = 40 };

static double at(const double *times, int64_t batch)
{
	return batch < 0 ? 0 : times[batch];
}

/* Time 0: the workers are ready, and each has been sent its first batches. */
static double follow(const struct delivery *d, int64_t batches)
{
	double done[FOLLOWED], taken[FOLLOWED], stall = 0;

	for (int64_t k = 0; k < batches; k++) {
		double sent = at(taken, k - d->workers * d->prefetch);
		double asked = k ? taken[k - 1] + d->step_s : 0;

		done[k] = fmax(at(done, k - d->workers), sent) + d->load_s;
		taken[k] = fmax(asked, done[k]);
		stall += k ? taken[k] - asked : 0;
	}
	return stall;
}

double delivery_stall_s(const struct delivery *d)
{
	int64_t batches = d->batches < FOLLOWED ? d->batches : FOLLOWED;

	if (batches < 2)
		return 0;
	return follow(d, batches) * (double)(d->batches - 1) / (double)(batches - 1);
}

double delivery_load_s(struct delivery d, double stall_s, double most_s)
{
	double low = 0, high = most_s;

	d.load_s = most_s;
	if (delivery_stall_s(&d) <= stall_s)
		return most_s;
	for (int i = 0; i < HALVINGS; i++) {
		d.load_s = (low + high) / 2;
		if (delivery_stall_s(&d) <= stall_s)
			low = d.load_s;
		else
			high = d.load_s;
	}
	return low;
}
