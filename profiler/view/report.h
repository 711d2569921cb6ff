/*
 * report.h: the whole story of a session, or of the ranks of one job. Each format is one function; report_formats is the list that the command, its
 * help and its error message are made from.
 */
#ifndef PROFILER_VIEW_REPORT_H
#define PROFILER_VIEW_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "profiler/model/what_if.h"
#include "profiler/view/output_format.h"

struct report_options {
	int width; /* columns; lines never wrap inside a number */
	int full;  /* no folding of long lists */
	int utf8;  /* else ASCII only */
	/* 0 = the format's own; only of formats that have a limit */
	size_t max_bytes;
	/* a question about the one model and its answer; NULL = none */
	const struct what_if *what_if;
	const struct what_if_result *what_if_result;
};

/* The options that only some formats heed. */
enum report_takes {
	REPORT_FULL = 1,
	REPORT_WIDTH = 2,
	REPORT_ASCII = 4,
	REPORT_MAX_BYTES = 8,
};

struct report_format {
	struct output_format format; /* first */
	unsigned int takes;          /* of enum report_takes */
	/* Several models are the ranks of one job. 0, or -1 when out of memory; write errors are left in `out`. */
	int (*write)(FILE *out, struct model *const *models, size_t count,
		     const struct report_options *options);
};

extern const struct output_formats report_formats; /* of struct report_format */

int report_text(FILE *out, struct model *const *models, size_t count,
		const struct report_options *options);
int report_markdown(FILE *out, struct model *const *models, size_t count,
		    const struct report_options *options);
int report_html(FILE *out, struct model *const *models, size_t count,
		const struct report_options *options);
int report_json(FILE *out, struct model *const *models, size_t count,
		const struct report_options *options);

#endif
