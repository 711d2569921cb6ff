/* result.h: the figures a run ends with, collected from its events, printed as one line of JSON. */
#ifndef REFERENCE_RESULT_H
#define REFERENCE_RESULT_H

#include <stdio.h>

#include "reference/fit.h"

/* Zeroed = empty. */
struct result {
	struct fit_event *figures; /* events of kind FIT_RESULT, in order */
	size_t count, capacity;
	int incomplete; /* there was no memory for one of them */
};

/* Keeps the event if it is a figure. */
void result_add(struct result *result, const struct fit_event *event);

/* {"habits": [...], "steps": n, "seconds": f, "results": [{"stage": "train", "epoch": 0, "loader": 0,
 * "batches": n, "value": f, "hex": "0x1.8p+1"}, ...]}: `hex` has every bit of the value. Epoch is null outside
 * epochs. 0, or -1 with errno. */
int result_print(const struct result *result, unsigned habits, uint64_t steps, double seconds,
		 FILE *out);

void result_release(struct result *result);

#endif
