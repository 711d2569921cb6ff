/*
 * check_request.h: one check of sessions against a budget and a baseline, with all its outputs: what `loopmem check` and
 * `loopmem run --check` do once they know what is asked for.
 */
#ifndef PROFILER_CMD_CHECK_REQUEST_H
#define PROFILER_CMD_CHECK_REQUEST_H

#include <stddef.h>
#include <stdio.h>

#include "profiler/model/array.h"

struct check_flag {
	int is_tolerance; /* --tolerance, else --max */
	const char *text;
};

struct check_request {
	ARRAY(const char *) files, budgets, baselines;
	ARRAY(struct check_flag) flags; /* in the order given: they come after the files */
	const char *write_baseline, *commit, *suggest_output, *junit, *code_quality, *json;
	int suggest, require_baseline, ignore_environment;
	int quiet, verbose, explain, github;
};

/* Everything that was asked for is written before the exit code is chosen: 0 within, 1 over, 2 the request is wrong, 3 a session is
 * unreadable or empty, or something could not be checked. The text goes to `out`, errors to stderr as `name: what: why`. */
int check_perform(const struct check_request *request, const char *name, FILE *out);

/* Reads the rules alone: 0, or 2 after saying what is wrong with them. */
int check_rules(const struct check_request *request, const char *name);

void check_request_release(struct check_request *request);

#endif
