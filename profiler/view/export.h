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
#include "profiler/model/call_tree.h"
#include "profiler/view/output_format.h"

/* Options that only some formats take. */
enum export_takes {
	EXPORT_PER_WORKER = 1,
	EXPORT_TOTALS = 2,
	EXPORT_TABLE = 4,
	EXPORT_ROUND = 8,
	EXPORT_SITES = 16,
	EXPORT_FILTER = 32,
	EXPORT_WEIGHT = 64,
	EXPORT_LINES = 128,
};

struct export_options {
	unsigned given; /* of enum export_takes */
	const char *table;
	int64_t round_bytes; /* 0 = exact */
	size_t sites;        /* so many of the largest */
	struct model_site_filter filter;
	enum call_weight weight;
};

/* 0 or a negative error_kind, and then nothing of `out` is of use; write errors are left in `out`. */
typedef int export_write(FILE *out, const struct model *m, const struct export_options *options,
			 struct error *e);

struct export_format {
	struct output_format format; /* first */
	const char *help;            /* what reads it */
	unsigned takes;              /* of enum export_takes */
	export_write *write;
	int is_binary; /* no text: not for a terminal */
};

extern const struct output_formats export_formats; /* of struct export_format */

export_write export_openmetrics, export_perfetto, export_csv, export_collapsed, export_speedscope,
	export_pprof;

/* What a writer of call sites ends with that has none to write: the session has none (ERROR_UNREADABLE), or none that fits and
 * lives then (ERROR_USAGE). Fills `e` and returns its kind. */
int export_no_sites(const struct model *m, const struct model_site_filter *filter, struct error *e);

#endif
