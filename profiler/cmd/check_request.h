/*
 * check_request.h: one check of sessions against a budget and a baseline, with all its outputs: what `loopmem check` and
 * `loopmem run --check` do once they know what is asked for.
 */
#ifndef PROFILER_CMD_CHECK_REQUEST_H
#define PROFILER_CMD_CHECK_REQUEST_H

#include <stddef.h>
#include <stdio.h>

#include "profiler/array.h"
#include "profiler/gate/forms.h"

struct check_names {
	const char **items;
	size_t count, capacity;
};

struct check_flag {
	int is_tolerance; /* --tolerance, else --max */
	const char *text;
};

struct check_request {
	struct check_names files, budgets, baselines;
	ARRAY(struct check_flag) flags; /* in the order given: they come after the files */
	const char *write_baseline, *commit, *suggest_output;
	const char *files_of[RESULT_FORMS]; /* NULL = not asked for */
	int suggest, require_baseline, ignore_environment;
	int quiet, verbose, explain, github;
};

/* Append a name, a rule; the texts must outlive the request. Exit when out of memory. */
void check_request_add(struct check_names *names, const char *name);
void check_request_add_flag(struct check_request *request, const char *text, int is_tolerance);

/* Everything that was asked for is written before the exit code is chosen: 0 within, 1 over, 2 the request is wrong, 3 a session is
 * unreadable or empty, or something could not be checked. The text goes to `out`, errors to stderr as `name: what: why`. */
int check_perform(const struct check_request *request, const char *name, FILE *out);

/* Reads the rules alone: 0, or 2 after saying what is wrong with them. */
int check_rules(const struct check_request *request, const char *name);

void check_request_release(struct check_request *request);

#endif
