/*
 * quantity.h: a number with its unit as a budget writes it. Units are explicit: KiB is 1024, kB is 1000, and nothing else is
 * taken for either. Bytes are computed in 64-bit integers with an overflow check; fractions of a byte round down.
 */
#ifndef PROFILER_GATE_QUANTITY_H
#define PROFILER_GATE_QUANTITY_H

#include <stddef.h>

#include "profiler/model/metrics.h"

enum { QUANTITY_COMPLAINT = 256 };

struct quantity {
	double value;  /* in the metric's unit */
	size_t length; /* bytes of text it takes; of a wrong one: what to underline */
	char complaint[QUANTITY_COMPLAINT]; /* what is wrong and how to write it */
};

/* Reads a quantity of `unit` at the start of `text`; `what` names the figure in a complaint. 0, or -1 with the complaint. */
int quantity_read(const char *text, enum model_unit unit, const char *what, struct quantity *q);

/* Reads `number "%"`. 0, or -1 with the complaint. */
int quantity_read_percent(const char *text, struct quantity *q);

/* Whether a number with "%" begins here. */
int quantity_is_percent(const char *text);

/* How a quantity of `unit` may be written: "20 s". */
const char *quantity_example(enum model_unit unit);

#endif
