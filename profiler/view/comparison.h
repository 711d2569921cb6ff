/*
 * comparison.h: two runs of the same training side by side: two charts at one scale, the figures with their difference, the losses, and
 * what each habit alone costs. What `loopmem demo` prints.
 */
#ifndef PROFILER_VIEW_COMPARISON_H
#define PROFILER_VIEW_COMPARISON_H

#include <stddef.h>
#include <stdio.h>

#include "profiler/model/model.h"
#include "profiler/view/report.h"

/* A habit and the peak of a run that has no other. */
struct comparison_habit {
	const char *text; /* "keep the validation iterator" */
	int64_t peak_bytes;
};

struct comparison {
	const char *title;               /* "the same training twice, 3 epochs, ..." */
	const char *old_name, *new_name; /* "old order", "new order" */
	const char *old_file, *new_file; /* as a person would type them */
	const struct model *old_run, *new_run;
	const double *old_losses, *new_losses; /* one per epoch; compared to the bit */
	size_t loss_count;
	const struct comparison_habit *habits;
	size_t habit_count; /* 0 = that part is left out */
};

/* 1 = the losses are the same to the bit. */
int comparison_same_losses(const struct comparison *c);

/* 0, or -1 when out of memory. options->full is not used. */
int comparison_print(FILE *out, const struct comparison *c, const struct report_options *options);

#endif
