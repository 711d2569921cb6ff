/*
 * line_ids.h: numbers for the lines of code that an export uses, in the order of their first use: formats refer to a frame by its
 * number. Lines that say the same have the same number.
 */
#ifndef PROFILER_VIEW_LINE_IDS_H
#define PROFILER_VIEW_LINE_IDS_H

#include <stddef.h>

#include "profiler/model/model.h"

struct line_ids {
	int *first;  /* by line of the model: the line that stands for its equals */
	int *number; /* of a line that stands for its equals; -1 = not used yet */
	int count;   /* numbers given so far */
};

/* by_function: lines of one function are equal. 0, or -1 when out of memory. */
int line_ids_init(struct line_ids *ids, const struct model *m, int by_function);
void line_ids_release(struct line_ids *ids);

/* The number of a line, from 0 on; *is_new = it has just got it. */
int line_ids_of(struct line_ids *ids, int line, int *is_new);

#endif
