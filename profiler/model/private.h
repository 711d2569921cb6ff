/*
 * private.h: what the model keeps beside its public face, and the steps of a refresh in their order. Every step reads what those before it
 * made; none reads the session's rows again.
 */
#ifndef PROFILER_MODEL_PRIVATE_H
#define PROFILER_MODEL_PRIVATE_H

#include "profiler/model/load.h"
#include "profiler/model/model.h"
#include "profiler/model/series.h"

/* A pool in one round: sums over its workers at that instant. */
struct pool_point {
	int64_t memory, private_bytes, live, unshared, shm, parked;
	int workers;
};

/* Of a pool, parallel to model.pools. */
struct pool_store {
	ARRAY(struct model_span) spans;
	ARRAY(int) members;
	ARRAY(struct pool_point) points; /* of the rounds from first_round on */
	size_t first_round;
};

/* Of a site, by time. */
struct site_point {
	int64_t t_ns;
	struct model_site_amount amount;
};

struct site_module {
	int64_t id;
	const char *path, *build_id; /* NULL = none */
};

/* Of a native frame, learned after the session was read: see frame_names.h. */
struct site_name {
	int64_t frame; /* id */
	size_t order;  /* of arrival */
	const char *function, *file;
	int64_t line;
};

struct site_frame {
	int64_t id, module, address;
	int native, asked; /* asked: for its name, see frame_names.h */
	size_t first_line, line_count;
};

struct site_store {
	ARRAY(struct site_point) points;
	int stage; /* as in the file, -1 = none */
};

/* Call sites as the session has them; ids are turned into indices when they are read. */
struct site_tables {
	ARRAY(struct model_line) lines;
	ARRAY(struct model_stack) stacks;
	ARRAY(struct model_site) sites;
	ARRAY(struct site_store) stores;   /* parallel to sites */
	ARRAY(struct session_site) rows;   /* parallel to sites */
	ARRAY(struct site_module) modules; /* by id, as the two below */
	ARRAY(struct site_frame) frames;
	ARRAY(int64_t) stack_ids;
	ARRAY(struct site_name) names; /* by frame and order */
	int64_t sample_ns;
	int named; /* the native frames have the names they get at the end */
	int failed;
};

struct model_private {
	struct session_reader *reader;
	struct tables tables;
	ARRAY(struct model_process) processes;
	ARRAY(struct model_pool) pools;
	ARRAY(struct pool_store) stores; /* parallel to pools */
	ARRAY(struct model_phase) phases;
	ARRAY(struct model_round) rounds;
	ARRAY(struct model_finding) findings;
	ARRAY(struct model_note) notes;
	struct site_tables sites;
	ARRAY(void *) blocks; /* memory of the findings */
	ARRAY(const char *) argv;
	ARRAY(struct model_fact) facts;
	const char *limit_source; /* of system.limit_bytes; "" = not told */
	int64_t thinned_ns;       /* how far the file was thinned when all of it was read */
	size_t reload_rows;       /* so many samples more, and it is read anew */
	/* scratch of one round, parallel to the processes */
	struct figures *figures;
	struct series_cursor *cursors;
	int *counts, *alive;
	size_t scratch_count;
};

/* All return 0, or -1 when out of memory. `m->priv` and `m->priv->tables` are read and filled. */

int run_read(struct model *m);       /* what was run, how it ended, what it cost */
int subjects_build(struct model *m); /* processes, pools and their names */
int groups_build(struct model *m);   /* ends and sizes of groups, from their members */
int spans_build(struct model *m,
		int64_t *dirty_ns); /* lowers *dirty_ns to the first change of any pool's state */
int rounds_build(struct model *m, int64_t dirty_ns); /* rounds and pool points from dirty_ns on */
int phases_build(struct model *m);
int retention_build(struct model *m); /* maxima and held idle of pools, totals */
int capacity_build(struct model *m);  /* workers that fit under the limit */
void overlap_build(struct model *m);
void reconcile_build(struct model *m);
int findings_build(struct model *m);
int sites_build(struct model *m);      /* call sites; reads their tables itself */
int in_owner_build(struct model *m);   /* what loaders without workers hold, from their sites */
int sites_name_again(struct model *m); /* after names were learned */
void sites_drop(struct model *m);

/* Figures of all processes at t_ns into m->priv->figures; m->priv->alive lists the alive. Returns how many. */
size_t figures_at(const struct model *m, int64_t t_ns);
int scratch_reserve(struct model *m);

/* What the memory at a moment is made of, from figures_at() of the same moment. */
void composition_make(const struct model *m, int64_t t_ns, size_t alive,
		      struct model_composition *out);

/* The point of a pool in a round; NULL when it has none there. */
const struct pool_point *pool_point_at(const struct model *m, size_t pool, size_t round);

/* Held idle by its definition, at a moment of round `round`: 0 unless exhausted. */
int64_t held_idle(const struct model *m, size_t pool, size_t round, int64_t t_ns);

/* The rank of a process that owns pools, where the session has several ranks; else MODEL_NONE. */
int64_t owner_rank(const struct model *m, int process);

/* Whether a site is what a loader without workers loaded. */
int in_owner_counts(const struct model *m, size_t site);

/* The last span that had begun at a moment, after the pool's end too; NULL before its birth. */
const struct model_span *pool_span_at(const struct model_pool *pool, int64_t t_ns);

/* Whether a pool takes the place of an older one, which is exhausted since exhausted_ns: of its owner and stage, and not read beside it;
 * where no stage is known or workers are persistent, which are meant to stay, of the same loader as far as label, dataset and line tell. */
int pool_succeeds(const struct model_pool *newer, const struct model_pool *older,
		  int64_t exhausted_ns);

/* How often a pool was used again. */
int pool_reuses(const struct model *m, size_t pool);

#endif
