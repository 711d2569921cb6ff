/*
 * load.h: the session's rows in memory, one track of rows per process, each in order of time. Rows are only cleaned here:
 * times and bytes are bounded so that no sum of a damaged file can overflow. What they mean is decided elsewhere.
 *
 * Reading again reads what is new: each table from a little before its last row on, because rows of one round may be
 * committed apart. `dirty_ns` then tells from which moment on anything differs from what was known.
 */
#ifndef PROFILER_MODEL_LOAD_H
#define PROFILER_MODEL_LOAD_H

#include "profiler/array.h"
#include "profiler/model/strings.h"
#include "profiler/session/session.h"

enum event_kind {
	EVENT_OTHER,
	EVENT_POOL_BEGIN,
	EVENT_POOL_WORKER,
	EVENT_POOL_DELIVER,
	EVENT_POOL_FIRST,
	EVENT_POOL_PARK,
	EVENT_POOL_EXHAUSTED,
	EVENT_POOL_REUSE,
	EVENT_POOL_CLOSING,
	EVENT_POOL_END,
	EVENT_PHASE_BEGIN,
	EVENT_PHASE_END,
	EVENT_RELEASE,
	EVENT_OOM_KILL,
	EVENT_STALE_SHM,
	EVENT_EARLIER_SHM,
	EVENT_TRIM,
	EVENT_KILL,
	EVENT_INTERRUPT,
};

struct sample_row {
	int64_t t_ns, rss_bytes, anon_bytes;
};

/* One walk of smaps_rollup. `sharers` is no figure of the kernel: how many processes of its family were alive then, so
 * that the shares can be corrected when that number changes (series.h); 0 = not known yet. */
struct rollup_row {
	int64_t t_ns, rss_bytes, pss_bytes, pss_anon_bytes, pss_file_bytes, pss_shmem_bytes;
	int64_t shared_bytes, private_bytes, private_anon_bytes, private_dirty_bytes;
	int64_t anonymous_bytes, minor_faults;
	int64_t sharers;
	/* by relatives_find: what statm said of the process then, and whether the walk is among those of its family */
	int64_t statm_anon_bytes, collected;
};

struct heap_row {
	int64_t t_ns, live_bytes, mapped_bytes, inherited_free_bytes;
};

struct detail_row {
	int64_t t_ns, cpu_ticks, page_table_bytes, locked_bytes;
	int64_t fds; /* SESSION_NULL */
	int running; /* it ran then, or waited for a CPU */
};

/* What a forked process had copied of its inheritance when it was walked. */
struct copied_row {
	int64_t t_ns, age_ns, bytes;
	int process;
};

/* What is known of one process over time. The relations are relatives_find's. */
struct track {
	int parent;       /* index, -1 = none */
	int forked;       /* a copy of its parent, not another program */
	int family;       /* index of the process at the root of those forked from each other */
	size_t related;   /* walks that relatives_find has seen */
	const char *kind; /* stage of the pool it works for, NULL = none */
	int64_t fds_max;  /* of all details that were ever read; 0 = none told */
	ARRAY(struct copied_row) copied; /* of a root: walks of its family, by time */
	ARRAY(struct sample_row) samples;
	ARRAY(struct rollup_row) rollups;
	ARRAY(struct heap_row) heaps;
	ARRAY(struct detail_row) details;
};

enum shm_class { SHM_PARKED, SHM_IN_USE, SHM_HOSTAGE };

struct shm_row {
	int creator; /* index of a process, -1 = unknown */
	enum shm_class class;
	int64_t bytes, unmapped_bytes;
};

/* One walk over the descriptors: its rows are shm[first .. first + count). */
struct shm_walk {
	int64_t t_ns;
	size_t first, count;
};

struct system_row {
	int64_t t_ns, limit_bytes, current_bytes, file_bytes, kernel_bytes,
		oom_kills; /* SESSION_NULL */
};

struct event_row {
	int64_t t_ns, id;
	enum event_kind kind;
	int process, pool;     /* indices, -1 = none */
	int64_t value, value2; /* -1 = none */
	const char *text;      /* "" = none */
};

struct round_time {
	int64_t t_ns;
};

struct tables {
	struct strings strings;
	ARRAY(struct session_process) processes; /* index = index of the model */
	ARRAY(struct track) tracks;              /* parallel to it */
	ARRAY(struct session_pool) pools;
	ARRAY(struct session_pool_worker) links; /* pool and process are indices here */
	ARRAY(struct event_row) events;          /* by time */
	ARRAY(struct round_time) times;          /* of the rounds: every moment with a sample */
	ARRAY(struct shm_row) shm;
	ARRAY(struct shm_walk) walks;
	ARRAY(struct system_row) systems;
	ARRAY(struct session_note) notes;

	int64_t sample_ns, rollup_ns, heap_ns, detail_ns, shm_ns, system_ns,
		event_id;                      /* last seen */
	size_t sample_rows, sample_rows_known; /* in memory now, and when all was read anew */
	int64_t dirty_ns;                      /* INT64_MAX = nothing changed by the last refresh */
	size_t link_guess;                     /* where the next known link is looked for first */
	int changed, failed;
};

/* Reads what is new, inside the caller's read transaction. 0, or -1 when out of memory. */
int tables_refresh(struct tables *t, struct session_reader *r);
void tables_release(struct tables *t);

/* Drops the rows of samples, walks and the system, so that the next refresh reads them anew: as thinned as they are in the file by then.
 * Indices stay. */
void tables_forget_rows(struct tables *t);

/* Index of the process with the session's id, -1 = none. */
int tables_process(const struct tables *t, int64_t id);

/* Rows at or before t_ns; NULL = none. */
const struct system_row *tables_system_at(const struct tables *t, int64_t t_ns);
const struct shm_walk *tables_walk_at(const struct tables *t, int64_t t_ns);

#endif
