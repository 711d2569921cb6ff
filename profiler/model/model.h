/*
 * model.h: what a session means. Pure: reads a session, computes pools, phases, the job's memory over time,
 * idle-worker retention and findings; prints nothing, opens nothing else. Every view (text, JSON, HTML, dashboard, gate)
 * reads these structs and derives no figure of its own, so the same figure is the same everywhere.
 *
 * Lifetime: strings and structs are owned by the model and valid until model_refresh or model_close. Arrays may move on
 * refresh; indices stay. One thread at a time. Times are ns since the session began; NONE = unknown, not yet.
 *
 * How the bytes are made (docs/design.md, "Figures"):
 *   proportional(process, t)  Pss of the last smaps_rollup at or before t + growth of anonymous memory since (statm);
 *                             measured exactly at edges, `estimated` in between. Its share of shared pages follows the
 *                             number of processes that share them (series.h)
 *   private(process, t)       Private_Clean + Private_Dirty of it, carried forward the same way
 *   total(t)                  sum of proportional over all processes + unmapped shared-memory objects, at one round
 *   held idle(pool, t)        private bytes of its workers + its parked batch bytes, while it is exhausted and alive
 *   without idle              max over rounds of total - held idle of all pools
 */
#ifndef PROFILER_MODEL_MODEL_H
#define PROFILER_MODEL_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/error.h"

#define MODEL_NONE INT64_MIN

/* the order of enum loopmem_stage; names by model_stage_name */
enum model_stage {
	MODEL_STAGE_OTHER,
	MODEL_STAGE_TRAIN,
	MODEL_STAGE_SANITY,
	MODEL_STAGE_VALIDATE,
	MODEL_STAGE_TEST,
	MODEL_STAGE_PREDICT,
	MODEL_STAGES
};

/* of a pool at a moment; words by model_state_name */
enum model_state {
	MODEL_LATER,
	MODEL_STARTING,
	MODEL_DELIVERING,
	MODEL_PARKED,
	MODEL_EXHAUSTED, /* held idle when it has workers or parked bytes */
	MODEL_ENDED,
	MODEL_STATES
};

enum model_role {
	MODEL_ROLE_ROOT,
	MODEL_ROLE_OWNER,
	MODEL_ROLE_WORKER,
	MODEL_ROLE_HELPER, /* forkserver, resource tracker, shm manager: named by role_text */
	MODEL_ROLE_CHILD,  /* claimed by no pool: shown under its parent */
};

struct model_process {
	int64_t id, pid;
	int parent; /* index, -1 = none */
	int pool;   /* index of the (last) pool it serves, -1 = none */
	int64_t worker_id;
	enum model_role role;
	const char *role_text, *cmdline;
	int instrumented, orphan;
	int has_loaders; /* it owns a pool that is no group: then it works for no group either */
	int64_t born_ns, ended_ns, exit_code, exit_signal, rank; /* MODEL_NONE where unknown */
	const char *allocator, *python, *python_state, *python_reason; /* NULL = unknown */
	/* maxima over its life */
	int64_t proportional_max, private_max, live_heap_max, unshared_max;
	int64_t unshared_walked_max; /* without what it only may have copied, as its relatives did */
	/* descriptors: most open at once, and how many it may have; MODEL_NONE = unknown */
	int64_t fds_max, fd_limit;
};

/* A span of a pool's life. The spans of a pool follow each other without gaps from begin to end. */
struct model_span {
	int64_t start_ns, end_ns; /* end of the last one = now while the session runs */
	enum model_state state;
	/* parked while it ran, known to be exhausted only since nothing was delivered after */
	int hindsight;
};

/* Why --release-idle-workers left a pool alone: the values of the event `release`; names by model_kept_name. */
enum model_kept {
	MODEL_NOT_KEPT,
	MODEL_KEPT_PERSISTENT,
	MODEL_KEPT_STATEFUL,
	MODEL_KEPT_NEEDED,
	MODEL_KEPTS
};

struct model_pool {
	int64_t number; /* order of birth, from 1: "train #4 e1" */
	int owner;      /* process index */
	enum model_stage stage;
	int64_t epoch; /* MODEL_NONE */
	/* "train #4 e1", or "\"hard negatives\" #4 e1": as every view shows it */
	const char *name;
	const char *short_name;                              /* "train #4" */
	const char *label, *dataset, *origin, *start_method; /* "" = unknown */
	int64_t workers, batch_size, prefetch, expected_batches;
	int64_t batches; /* MODEL_NONE of a guessed pool and of a group */
	int persistent, stateful, guessed;
	/* processes with one origin that serve no loader: "Pool prepare.py:12 #3". No batches, never idle;
	 * `workers` = declared, else how many lived at once; it ends with the last of its members */
	int grouped;
	int replaces; /* a group that was told how many workers it has: what dies is replaced, so a status of theirs is no answer */
	int named;    /* the label is a person's: it stands in `name` in place of the stage */
	/* whose loop asks it: "lightning", "2.6.1"; "torch" for a loop of the program's own; "" = not known */
	const char *framework, *framework_version;
	int64_t rank; /* its owner's, where the session has several ranks; else MODEL_NONE */
	int64_t begin_ns, first_batch_ns, exhausted_ns, end_ns;
	int64_t closing_ns; /* its workers were told to end; MODEL_NONE = not, or not told */
	int64_t stall_ns;   /* the owner waited for it */
	int64_t start_ns;   /* price of a restart: begin to first batch; MODEL_NONE */
	const struct model_span *spans;
	size_t span_count;
	const int *members; /* process indices, by worker id */
	size_t member_count;
	/* maxima over its life: each at its own moment, a sum over its workers at one instant */
	int64_t memory_max; /* proportional + its batches in flight */
	int64_t private_max, live_heap_max, unshared_max, shm_max;
	int64_t parked_batch_max; /* while exhausted */
	/* of a loader without workers: live bytes of what its owner allocated inside its next, also after its end. An estimate
	 * from samples; a part of the owner's memory, never added to it */
	int64_t in_owner_max;
	/* idle-worker retention: the three figures */
	int64_t idle_max_bytes, idle_max_at_ns;
	int64_t idle_ns;
	double idle_byte_seconds;
	int releasable; /* --release-idle-workers would end it: torch's, not persistent, not stateful, has workers */
	int over;               /* it ended, or the run did: nothing more can happen to it */
	int released;           /* the hook ended it because it was exhausted */
	enum model_kept kept;   /* the hook left it alone */
	int64_t released_bytes; /* what it held then; 0 unless released */
};

struct model_phase {
	int owner;
	int pool; /* whose deliveries make the phase, -1 = the program named it */
	/* 1 = no stage: after a phase; stage and epoch are those of the phase before, the name is "between" */
	int between;
	enum model_stage stage;
	int64_t epoch;
	const char *name; /* a person's word for it, or "validate e1" */
	int64_t start_ns, end_ns, peak_bytes, stall_ns;
};

/* The job at one instant, a sum over all processes. total = owner + delivering + parked + idle + other. */
struct model_round {
	int64_t t_ns;
	int64_t total_bytes;
	/* owners and whatever belongs to no pool, less shares below */
	int64_t owner_bytes;
	/* pools starting or delivering: memory of their workers + batches */
	int64_t delivering_bytes;
	int64_t parked_bytes;
	/* whole memory of exhausted pools: the hatched part of the chart */
	int64_t idle_bytes;
	/* idle-worker retention by its definition (private + parked batches) */
	int64_t held_idle_bytes;
	int64_t held_idle_releasable_bytes;
	/* private bytes of exhausted pools while a newer one of their stage and owner lives */
	int64_t overlap_bytes;
	int64_t parked_batch_bytes; /* of pools that are not asked: parked or exhausted */
	int64_t rss_sum_bytes;      /* for the "Check" line only; never a total */
	int64_t limit_bytes;        /* MODEL_NONE */
	int64_t cgroup_bytes;       /* MODEL_NONE */
	int pools_alive, processes;
	int estimated; /* 1 = some process's figure is carried forward, not measured now */
	int incomplete; /* 1 = a process vanished in this round, or was not found yet: not to be taken as a peak */
};

/* What the memory of one instant is made of; the kinds sum to `total`. */
struct model_composition {
	int64_t total;
	int64_t live_heap; /* private bytes explained by the shim's live counters */
	int64_t unshared;  /* copy-on-write undone */
	int64_t files;     /* file-backed */
	int64_t shm;       /* shared memory in use */
	int64_t parked;    /* finished batches that only descriptors hold: nobody took them yet */
	int64_t allocator; /* anonymous private memory that no live allocation explains */
	int64_t other;
};

struct model_pool_moment {
	enum model_state state;
	int hindsight;
	int64_t since_ns; /* in this state */
	int64_t memory, private_bytes, live_heap, unshared, shm, held_idle;
	int64_t in_owner; /* as in_owner_max of the pool */
	int64_t batches;  /* MODEL_NONE = only the present number is known, and t is before it */
	int64_t workers_alive;
	int stale; /* the smaps figures are older than 2 s */
};

struct model_process_moment {
	int alive;
	int64_t proportional, private_bytes, live_heap, unshared, rss;
	int64_t fds;       /* open descriptors, as last counted; MODEL_NONE = unknown */
	const char *state; /* busy idle stuck ended killed orphan; "" unknown */
	int stale;
};

/* Everything at one moment. The arrays run parallel to model.pools and model.processes; the caller owns the struct and
 * releases it with model_moment_release. */
struct model_moment {
	int64_t t_ns;
	struct model_round round;
	struct model_composition composition;
	struct model_pool_moment *pools;
	struct model_process_moment *processes;
	int phase; /* index into phases, -1 */
};

enum model_severity { MODEL_NOTICE, MODEL_WARNING, MODEL_ERROR };

struct model_evidence {
	const char *key;   /* JSON name with its unit: "idle_retained_bytes" */
	const char *label; /* as a person reads it: "held idle at most" */
	enum { MODEL_BYTES, MODEL_SECONDS, MODEL_COUNT, MODEL_PID, MODEL_RATIO, MODEL_TEXT } kind;
	double value;
	const char *text; /* MODEL_TEXT only */
	int listed; /* 1 = short outputs list it after the title: parts of the whole, or what is compared */
};

struct model_finding {
	const char *id; /* "idle-pool-retained" */
	enum model_severity severity;
	const char *title; /* one line, no figure repeated from the evidence */
	const char *text;  /* the explanation, one paragraph */
	/* completes one line that begins with brief_bytes: "of train workers alive during validation" */
	const char *brief;
	int64_t brief_bytes;
	const char *
		advice; /* what to change: words, a file:line, or "" when release_helps says it all */
	const char *
		framework; /* whose own switches the advice names: "lightning"; "" = it is for every program */
	int release_helps; /* --release-idle-workers is the remedy: views print the whole command */
	int release_too;   /* it does what the advice asks for: views say so beside it */
	int leads;         /* no matter of bytes: before all others of its severity */
	int64_t bytes;     /* that would come back: the order within a severity */
	const struct model_evidence *evidence;
	size_t evidence_count;
	/* which line of code (index into lines) allocated the largest part of it that still lives, and how much that is, an
	 * estimate from samples; line_bytes 0 = not known */
	int line;
	int64_t line_bytes;
	const int64_t *moments; /* ns, worst first */
	size_t moment_count;
	const int *pools; /* indices */
	size_t pool_count;
};

/* Of all pools of one stage together, each maximum a sum at one instant. */
struct model_stage_totals {
	int64_t pools, private_max_bytes, idle_max_bytes, idle_average_bytes;
	double idle_byte_seconds;
};

struct model_totals {
	int64_t duration_ns;
	int64_t peak_bytes, peak_at_ns; /* max of round.total_bytes */
	int64_t peak_rss_sum_bytes;
	int64_t peak_without_idle_bytes, peak_without_idle_at_ns;
	/* the effect of --release-idle-workers: releasable pools only */
	int64_t peak_with_release_bytes;
	int64_t idle_max_bytes, idle_max_at_ns, idle_ns;
	double idle_byte_seconds;
	int64_t idle_average_bytes; /* byte-seconds / duration */
	int64_t overlap_max_bytes, overlap_max_at_ns, overlaps, overlap_ns;
	int64_t parked_batch_max_bytes; /* of pools that are not asked: parked or exhausted */
	int64_t released_pools, released_max_bytes; /* the largest of them */
	int64_t oom_kills; /* in the job's cgroup while it ran; 0 also when not known */
	int64_t pools_alive_max;
	int64_t limit_bytes;      /* MODEL_NONE */
	const char *limit_source; /* "cgroup", "RAM", "" */
};

/*
 * How many workers fit under the limit: the most for which total + (N / workers - 1) x (private bytes + batches of the pools that
 * are counted) stays within the limit in every round, by the formula of what_if.h. An estimate.
 */
struct model_capacity {
	int64_t workers; /* of each pool, as it is; MODEL_NONE = nothing is known: no limit, no pools with workers, or guessed ones */
	int stage; /* enum model_stage of the pools that are counted; -1 = all, as they have equally many workers */
	int64_t as_it_runs;    /* MODEL_CAPACITY_MOST = so many or more */
	int64_t idle_released; /* with --release-idle-workers */
	int64_t worker_bytes; /* that one worker more of the largest pool takes: private, and batches in flight */
	enum model_stage worker_stage; /* that pool's */
};
#define MODEL_CAPACITY_MOST 1024

/* The reconciliation line, at the peak: what the parts explain and what nothing explains. */
struct model_reconciliation {
	int64_t at_ns;
	int64_t heap_bytes;    /* live heap and mapped memory seen by the shim, all processes */
	int64_t private_bytes; /* sum */
	int64_t proportional_bytes; /* sum of Pss */
	int64_t unmapped_shm_bytes;
	/* MODEL_NONE = no cgroup of its own. cgroup_file: file pages charged beyond those that the processes map; less than 0
	 * when what they map was read first, and is charged, elsewhere. */
	int64_t cgroup_bytes, cgroup_file_bytes, cgroup_kernel_bytes;
	/* cgroup - proportional - unmapped shm - file - kernel; MODEL_NONE */
	int64_t unexplained_bytes;
};

/* A line of code in a stack. A native frame into which functions were inlined has several, the innermost first. Equal texts
 * have equal addresses. */
struct model_line {
	const char *function, *file; /* NULL = unknown */
	int64_t line;                /* 0 = unknown */
	const char *module;          /* native: path of the ELF object, NULL = generated code */
	const char *build_id;        /* of the module, hexadecimal; NULL = it has none */
	int64_t address;             /* native: in the module's file */
	int native;
};

/* A stack is the lines of its innermost frame and the stack of the caller. */
struct model_stack {
	int parent; /* index, always less than its own; -1 = outermost */
	size_t first_line, line_count;
	/* index of the line that a person looks for: innermost of their own code, else of all; -1 = it has none */
	int yours;
};

/* What one stack allocated in one process: estimates from samples (docs/sampling.md). */
struct model_site {
	int process; /* index */
	int pool; /* whose memory it is: the pool a worker serves, or inside whose next the owner allocated; -1 = neither */
	int stack; /* index; -1 = the rest: samples whose stack is not known */
	/* memory that the program mapped itself, counted whether it was touched or not */
	int mapped;
	int stage; /* enum model_stage of the phase it was allocated in, a worker's pool's; -1 = in none */
};

/* One row of a list of sites: those of one pool (or, outside of pools, one process) and one line. */
struct model_site_row {
	int pool;    /* index, -1 = of `process` alone */
	int process; /* index: the first of them */
	int line;    /* index into lines, -1 = the rest */
	int site;    /* the largest of them: its stack stands for all */
	int mapped;  /* as in model_site */
	size_t processes;
	int64_t live_bytes, live_blocks;   /* at the asked moment */
	int64_t alloc_bytes, alloc_blocks; /* ever until then */
};

struct model_site_filter {
	int64_t t_ns; /* MODEL_NONE = the job's peak, or the first reading of sites after it when there is none before */
	int stage;      /* enum model_stage of the pool, -1 = all */
	int pool;       /* index, -1 = all */
	int64_t pid;    /* 0 = all */
	int from_stage; /* 1 + enum model_stage of the phase it was allocated in, 0 = all */
};

struct model_note {
	const char *level, *text;
	int64_t count;
};

/* What figures depend on besides the program: a row of facts.def. */
enum model_weight { MODEL_SOFT, MODEL_SAMPLING, MODEL_HARD };

struct model_fact {
	const char *key, *words, *value;
	enum model_weight weight;
};

/* MODEL_UNKNOWN_END: the collector died first */
enum model_end { MODEL_RUNNING, MODEL_EXITED, MODEL_KILLED, MODEL_UNKNOWN_END };

struct model {
	/* the run */
	const char *file, *command, *host, *kernel, *version;
	const char *const *argv;
	size_t argc;
	const char *job;                /* id of the scheduler's job it is a part of; "" = none */
	const struct model_fact *facts; /* those that are known */
	size_t fact_count;
	int64_t started_unix_ns, ram_bytes;
	int64_t cpu_count; /* MODEL_NONE */
	/* /dev/shm, and what was used of it at most, by whomever; MODEL_NONE */
	int64_t shm_size_bytes, shm_used_max_bytes, shm_used_max_ns;
	int complete; /* the collector closed the session */
	int released; /* ran with --release-idle-workers */
	int trims;    /* ran with --trim-test */
	int attached; /* watched from outside, without the shim: pools and states are guesses */
	enum model_end end;
	int64_t exit_code, exit_signal;
	int oom_killed;
	int64_t ended_ns;   /* the command ended; MODEL_NONE */
	int64_t last_ns;    /* last round, or the command's end: the duration */
	const char *damage; /* NULL, or what could not be read */

	struct model_process *processes;
	size_t process_count;
	struct model_pool *pools;
	size_t pool_count;
	struct model_phase *phases; /* by start */
	size_t phase_count;
	struct model_round *rounds; /* by time */
	size_t round_count;
	struct model_finding *findings; /* worst first */
	size_t finding_count;
	struct model_note *notes;
	size_t note_count;
	struct model_line *lines;
	size_t line_count;
	struct model_stack *stacks;
	size_t stack_count;
	struct model_site *sites;
	size_t site_count;
	int64_t sample_bytes;      /* mean between two samples, the finest; MODEL_NONE = not told */
	int64_t sample_bytes_most; /* and the coarsest of any process */
	struct model_totals totals;
	struct model_capacity capacity;
	struct model_stage_totals stages[MODEL_STAGES];
	struct model_composition peak; /* what the peak is made of */
	struct model_reconciliation reconciliation;

	/* the collector's own cost */
	double collector_cpu_seconds, collector_wall_seconds;
	int64_t collector_memory_bytes, samples, skipped, dropped;
	int64_t thinned_before_ns, thinned_span_ns; /* 0 = every round is kept */
	int64_t collector_pid;                      /* MODEL_NONE */
	int abandoned;                              /* model_abandon was called */

	struct model_private *priv;
};

/* Opens and reads FILE; also of a run that goes on. 0 or a negative error_kind. */
int model_open(struct model **out, const char *file, struct error *e);

/* Reads what is new since the last call, in one read transaction. 1 = something changed, 0 = nothing, negative = error (the
 * model keeps what it had). */
int model_refresh(struct model *m, struct error *e);
void model_close(struct model *m);

/* Tells the model that nothing will be added although the session was never closed (the collector is gone): what is parked is
 * then known to be idle. 0 or a negative error_kind. */
int model_abandon(struct model *m, struct error *e);

/* The state of everything at t (clamped to the session). 0, or ERROR_SYSTEM when out of memory. */
int model_at(const struct model *m, int64_t t_ns, struct model_moment *out);
void model_moment_release(struct model_moment *moment);

/* The sites at a moment in rows, largest live bytes first; *rows is to be freed. 0, or ERROR_SYSTEM when out of memory. */
int model_sites_rank(const struct model *m, const struct model_site_filter *filter,
		     struct model_site_row **rows, size_t *count);

/* What is live in all of these rows. */
int64_t model_site_rows_live(const struct model_site_row *rows, size_t count);

/* Which of `rows` a site is part of, at whatever moment they were ranked; -1 = none. The filter they were ranked with
 * is the caller's to ask. */
int model_site_row_find(const struct model *m, size_t site, const struct model_site_row *rows,
			size_t count);

/* What a site stood for at a moment: live and allocated bytes and blocks; zero before its first sample, nothing live after its
 * process ended. */
struct model_site_amount {
	int64_t live_bytes, live_blocks, alloc_bytes, alloc_blocks;
	int64_t edge_live_bytes; /* live at its process's last edge between two phases; MODEL_NONE = it has no phases */
};
struct model_site_amount model_site_at(const struct model *m, size_t site, int64_t t_ns);

/* Whether a filter lets a site through; its moment plays no part. */
int model_site_is_wanted(const struct model *m, const struct model_site *site,
			 const struct model_site_filter *filter);

/* The moment that a filter asks for. */
int64_t model_sites_moment(const struct model *m, const struct model_site_filter *filter);

/* Which phase shows best what outlives `stage`: of the phases of other stages that come after one of it, the one with the
 * highest total; NULL = none comes. *t_ns: when that total was, or sites were first read in the phase where that is later. */
const struct model_phase *model_phase_after(const struct model *m, enum model_stage stage,
					    int64_t *t_ns);

/* Order of lines of code by what they say: 0 = the same line, in whichever stack. by_function: the same function. Two lines
 * without a function are the same only at one address. Either may be -1, no line. */
int model_line_compare(const struct model *m, int a, int b, int by_function);

/* Code that a person installed rather than wrote: the interpreter's, of packages, of the system, or from nobody knows where. */
int model_line_is_library(const struct model_line *line);

/* When sites were read for the first time: a run that ends soon may have its peak before. MODEL_NONE = never. */
int64_t model_sites_read_from(const struct model *m);

/* The command ended by a signal, or with a status other than 0. */
int model_has_failed(const struct model *m);

/* The shim was in a process of the run, at some time. */
int model_has_shim(const struct model *m);

/* Index of the round at or before t; -1 before the first. */
int model_round_at(const struct model *m, int64_t t_ns);

/* State of pool `pool` at t. */
enum model_state model_pool_state(const struct model_pool *pool, int64_t t_ns);

/* Peak-preserving reduction: [start, end) cut into `buckets`; each gets a copy of the round with the largest total in it
 * (incomplete ones only when there is no other). Where no round lies in a bucket, the one before it holds; t_ns = MODEL_NONE before
 * the first round, after the last, and where sampling paused. */
void model_reduce(const struct model *m, int64_t start_ns, int64_t end_ns, size_t buckets,
		  struct model_round *out);

const char *model_stage_name(enum model_stage stage);          /* "train" */
enum model_stage model_stage_named(const char *name);          /* unknown ones are "other" */
const char *model_state_name(enum model_state state);          /* "exhausted" */
const char *model_kept_name(enum model_kept kept);             /* "persistent"; NULL = not kept */
const char *model_severity_name(enum model_severity severity); /* "error" */

#endif
