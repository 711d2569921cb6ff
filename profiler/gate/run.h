/*
 * run.h: what is judged. A run is one session, or the sessions of the ranks of one job; several runs are repeats. Its
 * subjects are the things that budget keys speak of: the job, its owners, pools, workers, phases, findings.
 *
 * A subject has a name that is the same in every run of the same program ("pool(train,label=train_loader)": no pid, no epoch, no value)
 * and one that tells it from its likes in this run ("train #4 e1"). Several subjects may have the same name: pools of one loader
 * in several epochs; their worst figure counts, never a sum of them.
 *
 * The models are the caller's and must outlive the runs.
 */
#ifndef PROFILER_GATE_RUN_H
#define PROFILER_GATE_RUN_H

#include "profiler/array.h"
#include "profiler/gate/selector.h"
#include "profiler/model/metrics.h"
#include "profiler/model/strings.h"

struct subject {
	int kind; /* enum model_scope, or SELECT_FINDING */
	const char *name, *where;
	struct select_subject fields;
	const void *
		object; /* what a metric of the scope reads; a finding: struct model_finding; call sites: struct site_group */
	const struct model *model; /* of the job as a whole: its first */
	int pool;                  /* index, of a pool, its worker or its finding; -1 */
	double limit_bytes;        /* of memory: what a share is of; NaN = none */
	/* of a job on several hosts: the sum over all has no limit, only its size is judged; the sum of one host only its share of that
	 * host's limit */
	enum { SUBJECT_ANY, SUBJECT_SIZES, SUBJECT_SHARES } judged;
	/* NaN for every metric that needs what this session cannot tell */
	int lacks_pools, lacks_heap;
};

struct run {
	struct model *const *models;
	size_t model_count;
	int rank_count;             /* 0 = not distributed */
	struct model_totals totals; /* of the whole job, each at one instant */
	ARRAY(struct subject) subjects;
	struct model_totals *host_totals; /* of each host when there are several */
	ARRAY(struct site_group *) site_groups;
	struct strings strings;
};

/* Fills `r` from the models of one job. 0 or a negative error_kind; run_release in any case. */
int run_make(struct run *r, struct model *const *models, size_t count, struct error *e);
void run_release(struct run *r);

/* A figure of a subject: in the metric's unit; NaN = the session does not tell. Of call sites it is the sum over those that the selector
 * of a rule means; without one (NULL) they have no figure. */
double subject_value(const struct subject *s, const struct model_metric *metric,
		     const struct selector *selector);

/* Sorts the models so that those of one job stand together; ends[i] is the index after the i-th job's last one. `ends` has room for `count`.
 * Sessions are ranks of one job when they carry the same job id and ran at the same time. ERROR_USAGE when the same
 * rank of the same job is given twice. */
int runs_group(struct model **models, size_t count, size_t *ends, size_t *jobs, struct error *e);

/* The totals of several sessions that ran together: sums over all of them at one instant, never sums of separate peaks. Moments are since
 * the begin of the first. 0, or -1 when out of memory. */
int job_totals(struct model_totals *out, struct model *const *models, size_t count);

#endif
