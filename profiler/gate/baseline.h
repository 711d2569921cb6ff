/*
 * baseline.h: the figures of earlier runs, from baseline files or sessions. A file is JSON of at most 16 KiB with the newest 10 runs of
 * one environment, made to be kept by CI (docs/budget.md, "Baseline files"):
 *
 *   {"schema": 1, "kind": "baseline",
 *    "environment": {"arch": "x86_64", ...},
 *    "runs": [{"commit": "1a2b3c4", "time": "2026-12-01T10:00:00Z", "metrics": {"total.peak_pss_bytes": 6442450944, ...},
 *              "findings": ["idle-pool-retained"]}, ...]}        oldest first
 *
 * Nothing is fetched: no network, no git; the commit is a text that the user gave.
 */
#ifndef PROFILER_GATE_BASELINE_H
#define PROFILER_GATE_BASELINE_H

#include <jansson.h>

#include "profiler/gate/rules.h"
#include "profiler/gate/run.h"

enum { BASELINE_RUNS = 10, BASELINE_MAX_BYTES = 16384 };

/* A difference between the environment of a baseline and that of the head. */
struct baseline_difference {
	const char *words, *base, *head;
	enum model_weight weight;
};

struct baseline_run {
	const char *commit; /* "" = unknown */
	const char *name;   /* the commit, or the session's file */
	const char *time;   /* "2026-12-01T10:00:00Z" */
	json_t *metrics;    /* key -> number */
	json_t *findings;   /* ids */
	int hard, sampling; /* the environment differs: not comparable at all; in sampled figures */
};

struct baseline {
	ARRAY(struct baseline_run)
	runs; /* oldest first within each file, files in the order given */
	ARRAY(struct baseline_difference) differences;
	ARRAY(const char *) missing; /* files that do not exist */
	struct strings strings;
	int wanted; /* --baseline was given */
};

/* Adds a baseline file. One that does not exist is noted in `missing`. 0 or a negative error_kind: ERROR_UNREADABLE when it is none. */
int baseline_add_file(struct baseline *b, const char *file, const struct run *head,
		      struct error *e);

/* The JSON of a baseline file, checked as far as its form goes: `runs` is an array. NULL with an error. */
json_t *baseline_load(const char *file, struct error *e);

/* Whether FILE begins like a baseline file; else it is taken for a session. */
int baseline_is_file(const char *file);

/* Adds the figures of a run. */
int baseline_add_run(struct baseline *b, const struct run *run, const struct run *head,
		     struct error *e);
void baseline_release(struct baseline *b);

/* The figure of a run by its key; NaN = it has none. */
double baseline_value(const struct baseline_run *run, const char *key);

/* Appends the runs to FILE (made when missing; runs of another environment are dropped) and keeps the newest that fit. The file
 * is replaced as a whole. Figures that a rule of `budget` compares come first, should not all fit. 0 or a negative error_kind. */
struct baseline_written {
	size_t runs;     /* that the file holds now */
	size_t dropped;  /* of another environment */
	size_t left_out; /* figures that a rule compares and that did not fit */
};
int baseline_write(const char *file, const struct run *runs, size_t run_count, const char *commit,
		   const struct budget *budget, struct baseline_written *written, struct error *e);

#endif
