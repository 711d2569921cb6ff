/*
 * sites.h: the list of call sites as text: whole, as a tree, or as the difference of two runs.
 */
#ifndef PROFILER_VIEW_SITES_H
#define PROFILER_VIEW_SITES_H

#include <stdio.h>

#include "profiler/model/model.h"

struct sites_options {
	struct model_site_filter filter;
	struct model_site_filter
		base_filter; /* of the difference: pools have other numbers there */
	int width, utf8;
	int full; /* all rows, not only those above a hundredth */
	int tree; /* below each row its stack */
	const struct model_phase
		*phase; /* that filter.t_ns lies in, to be named; NULL = need not */
};

/* 0, or -1 when out of memory; write errors are left in `out`. */
int sites_text(FILE *out, const struct model *m, const struct sites_options *options);

/* `head` against `base`: by file and function, each at its own peak, the largest change first. */
int sites_difference(FILE *out, const struct model *base, const struct model *head,
		     const struct sites_options *options);

#endif
