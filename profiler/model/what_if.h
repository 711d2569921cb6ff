/*
 * what_if.h: what a run would need with another number of workers or another prefetch, and how many workers fit under its limit. Computed
 * from what was measured; nothing is run.
 *
 * Peak. Of every round (model.h) the bytes that follow the number of workers are scaled, the rest is left as it was:
 *
 *   total'(t) = total(t) + sum over pools of  private(t) x (N'/N - 1)  +  batches(t) x (F'/F - 1)
 *
 *   N, N'     workers of the pool as declared and as asked
 *   private   bytes that went away if its workers ended: what each has imported, opened, cached, copied
 *   batches   shared-memory objects that its workers made; F = min(N x prefetch, batches it handed out), those in flight
 *
 * and the peak is the largest of them. It assumes that one more worker is like those that are there. Where the workers' memory
 * still grew when they handed out their last batch, it may be a cache of the items each has read, which more workers would share out among
 * them: then `peak_shared_out_bytes` scales only what a pool had at its first batch.
 *
 * Stall. A pool of N workers that take L for a batch, asked by an owner that takes C between two batches, is followed batch by batch: batch
 * k is loaded by worker k mod N, after its batch before and when one of the N x prefetch batches before was taken. C is what was measured:
 * time from the first batch to the last, less the stall, by the number of batches. L is the largest that explains the measured stall and is
 * no longer than begin to first batch. Where the owner never waited, only that bound of L is known, and a stall with fewer workers is "at
 * most".
 *
 * CPUs. Between its first and its last batch the pool's workers used u CPUs on average and its owner o, and the workers wanted r of them: the
 * share of readings in which they ran or were ready to. With B, the time of a batch as it was, a batch costs (u + o) x B of CPU time. P is
 * the CPUs that the job may use. Where r is more than 1.3 u and half of the workers, the workers waited for CPUs that others had (programs, or the machine's
 * host): then (r - u) x B of L is that, and no part of L for other numbers of workers. If CPUs are shared out evenly among all that
 * want one, others wanted K of them, and what the job gets of P grows with its workers (w, the owner's wish, as r is theirs); if others keep what they
 * have, the job gets u + o. Both were seen: G is between the two.
 *
 *   K = (r + w) x (P / (u + o) - 1),  r' = r x N' / N,  G = sqrt((u + o) x P x (r' + w) / (r' + w + K));  else G = P
 *   L' = max(L, N' x (u + o) x B / G)
 *
 * A pool that delivered for less than two readings, a second apart, is taken to need none.
 *
 * Error: tests/integration/what_if.py and tests/python/test_what_if.py predict 1 to 4 workers from runs with 2 and run them. The peak of
 * each must lie within WHAT_IF_PEAK_ERROR of its prediction, and, where loading is waiting (for a disk, a network; there a sleep), the stall
 * within WHAT_IF_STALL_ERROR. Where it is computing, what else the machine does decides as much as the number of workers: a run that got
 * all the CPUs it wanted does not tell whether there are more. There it is WHAT_IF_STALL_ERROR_CPU, from runs with 1, 2 and 4 workers on 2
 * CPUs, idle and with two busy programs beside them.
 */
#ifndef PROFILER_MODEL_WHAT_IF_H
#define PROFILER_MODEL_WHAT_IF_H

#include "profiler/model/model.h"

#define WHAT_IF_PEAK_ERROR      0.15
#define WHAT_IF_STALL_ERROR     0.15
#define WHAT_IF_STALL_ERROR_CPU 2.0 /* of what is real: up to three times */
enum { WHAT_IF_WORKERS_MOST = 1024, WHAT_IF_PREFETCH_MOST = 1024 };

/* What is asked, by stage of the pool; MODEL_NONE = as it is. Pools without workers are left alone. */
struct what_if {
	int64_t workers[MODEL_STAGES], prefetch[MODEL_STAGES];
};

/* "workers=8,prefetch=4", "workers(train)=8": a later word overrules an earlier one. 0, or ERROR_USAGE that names the place of what cannot
 * be read, counted in characters from 1, and a hint. */
int what_if_parse(struct what_if *w, const char *text, struct error *e);

struct what_if_result {
	int64_t peak_bytes, peak_at_ns;
	int64_t peak_shared_out_bytes;   /* equal to the peak where nothing grew to the end */
	int64_t peak_with_release_bytes; /* and with --release-idle-workers */
	/* of all pools together, as measured and as predicted; MODEL_NONE = batches were not counted */
	int64_t stall_before_ns, stall_ns;
	int stall_at_most; /* `stall_ns` is a bound: the owner never waited, so how long a batch takes is not known */
	int64_t duration_ns;  /* of the run; MODEL_NONE = not known, or several owners */
	int64_t workers_most; /* in one pool */
	int cpus_known;       /* how much CPU time batches take is known, of some pool */
	int computing;        /* of some pool they take CPU time for the most part */
	int crowded;          /* workers of some pool wanted more CPUs than they got */
	/* of the pool for which the CPUs decide and whose batches take most of them: CPU time of a batch, and the workers from
	 * which on no batch comes sooner; 0 = the CPUs decide nothing */
	double limited_cpu_s, limited_workers;
};

/* 0, ERROR_USAGE when the run has no pool of workers that the question is about, ERROR_SYSTEM when out of memory. */
int what_if_predict(const struct model *m, const struct what_if *w, struct what_if_result *out,
		    struct error *e);

/*
 * The stall of one pool, the pure part: an owner that takes `step_s` between batches and `workers` that take `load_s` for each,
 * `prefetch` ahead per worker. Seconds waited after the first batch, over `batches`.
 */
struct delivery {
	int64_t workers, prefetch, batches;
	double step_s, load_s;
};
double delivery_stall_s(const struct delivery *d);

/* The largest load_s of at most `most_s` whose stall is no more than `stall_s`. */
double delivery_load_s(struct delivery d, double stall_s, double most_s);

#endif
