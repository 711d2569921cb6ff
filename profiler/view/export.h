/*
 * export.h: a session in the formats of other tools. Each format is one function; export_formats is the list that the command, its help
 * and its error message are made from.
 */
#ifndef PROFILER_VIEW_EXPORT_H
#define PROFILER_VIEW_EXPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profiler/error.h"
#include "profiler/model/model.h"
#include "profiler/view/output_format.h"

/* Options that only some formats take. */
enum export_takes {
	EXPORT_PER_WORKER = 1,
	EXPORT_TOTALS = 2,
	EXPORT_TABLE = 4,
	EXPORT_ROUND = 8,
	EXPORT_SITES = 16,
};

struct export_options {
	unsigned given; /* of enum export_takes */
	const char *table;
	int64_t round_bytes; /* 0 = exact */
	size_t sites;        /* so many of the largest */
};

struct export_format {
	struct output_format format; /* first */
	const char *help;            /* what reads it */
	unsigned takes;              /* of enum export_takes */
	/* 0 or a negative error_kind; write errors are left in `out`. */
	int (*write)(FILE *out, const struct model *m, const struct export_options *options,
		     struct error *e);
};

extern const struct output_formats export_formats; /* of struct export_format */

int export_openmetrics(FILE *out, const struct model *m, const struct export_options *options,
		       struct error *e);
int export_perfetto(FILE *out, const struct model *m, const struct export_options *options,
		    struct error *e);
int export_csv(FILE *out, const struct model *m, const struct export_options *options,
	       struct error *e);

/* The words of --table, "pools|workers|...", for the help. */
extern const char export_csv_tables[];

#endif
