/*
 * loopmem.h: the public API of a profiled program: pools, deliveries and phases.
 *
 * A loader or a training loop written in any language that can call C names its own structure with
 * these calls. Without the shim (libloopmem.so) in the process every call is a no-op and every pool
 * is 0: the header needs no library at link time, the functions are weak symbols, and a macro of the
 * same name (below) looks whether the shim provided it. The shim itself defines LOOPMEM_SHIM.
 *
 * Link time: the calls are resolved when the program starts, so it must be position independent
 * (compiled with -fPIE or -fPIC, the default of most systems) to find the shim.
 *
 * Threads: all calls may come from any thread, none from a signal handler. No call waits for another
 * longer than a row takes to write. loopmem_next_begin and loopmem_next_end pair on one thread.
 * Errors: none are reported to the caller. Nonsense (an unknown pool, a pool that has ended) is
 * counted as a drop in the segment and ignored. errno is kept and nothing is allocated, but by the
 * first pool or phase of a job that runs without `loopmem run`: it starts the collector.
 */
#ifndef LOOPMEM_H
#define LOOPMEM_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A pool: one live loader iterator with the workers that serve it. 0 is "no pool". */
typedef uint32_t loopmem_pool;

/* What a pool feeds, and what an owner is doing. The values are part of the segment: append only. */
enum loopmem_stage {
	LOOPMEM_STAGE_OTHER = 0,
	LOOPMEM_STAGE_TRAIN = 1,
	LOOPMEM_STAGE_SANITY = 2,
	LOOPMEM_STAGE_VALIDATE = 3,
	LOOPMEM_STAGE_TEST = 4,
	LOOPMEM_STAGE_PREDICT = 5,
};

/* How the workers of a pool come to life. */
enum loopmem_start {
	LOOPMEM_START_NONE = 0, /* no worker processes: the owner loads */
	LOOPMEM_START_FORK = 1,
	LOOPMEM_START_SPAWN = 2,
	LOOPMEM_START_FORKSERVER = 3,
	LOOPMEM_START_THREAD = 4,
};

enum loopmem_pool_flags {
	LOOPMEM_POOL_PERSISTENT = 1 << 0, /* the iterator is re-used for the next epoch */
	LOOPMEM_POOL_STATEFUL = 1 << 1,   /* the loader keeps resumable state in it */
	LOOPMEM_POOL_NAMED = 1 << 2,      /* `label` is a person's: names show it, not the stage */
	LOOPMEM_POOL_GROUP =
		1 << 3, /* processes with one origin that serve no loader: no batches */
};

#define LOOPMEM_UNKNOWN (-1)

/* Describes a pool at birth. Strings are copied, cut to the sizes of segment.h; NULL means unknown. */
struct loopmem_pool_spec {
	enum loopmem_stage stage;
	enum loopmem_start start;
	uint32_t flags;           /* enum loopmem_pool_flags */
	int32_t epoch;            /* from 0; LOOPMEM_UNKNOWN */
	int32_t workers;          /* declared worker processes, 0 = the owner loads */
	int32_t batch_size;       /* items a batch; LOOPMEM_UNKNOWN */
	int32_t prefetch;         /* batches asked ahead per worker; LOOPMEM_UNKNOWN */
	int64_t expected_batches; /* the loop's own limit or the loader's length; LOOPMEM_UNKNOWN */
	const char *label;        /* a person's name for it: "train_loader", "hard negatives" */
	const char *dataset;      /* type of the dataset: "CocoTrain" */
	const char *origin;       /* "file.py:246" where the iterator was made */
};

/* A pool is born. Call before its first worker is forked where that is possible: the workers' counters
 * and the overlap with older pools start here. Returns 0 when not profiled or when the table is full. */
loopmem_pool loopmem_pool_begin(const struct loopmem_pool_spec *spec) __attribute__((weak));

/* Worker `worker_id` (0..workers-1) of the pool is process `pid`, as the caller's pid namespace sees it. */
void loopmem_pool_worker(loopmem_pool pool, pid_t pid, int worker_id) __attribute__((weak));

/* The loop will take only `batches` batches from the pool (a sanity check of 2 steps, a limit, a stop).
 * When that many were handed out the pool is exhausted. */
void loopmem_pool_expect(loopmem_pool pool, int64_t batches) __attribute__((weak));

/* The owner asks the pool for a batch / has what it asked for. `batches` is 0 when the pool was at its
 * end, else how many were handed out. The allocations of this thread in between belong to the pool. */
void loopmem_next_begin(loopmem_pool pool) __attribute__((weak));
void loopmem_next_end(loopmem_pool pool, uint32_t batches) __attribute__((weak));

/* The last batch that the pool will ever hand out was handed out. Idempotent. */
void loopmem_pool_exhausted(loopmem_pool pool) __attribute__((weak));

/* A persistent pool starts over: it delivers again, for epoch `epoch` (LOOPMEM_UNKNOWN allowed). */
void loopmem_pool_reuse(loopmem_pool pool, int32_t epoch) __attribute__((weak));

/* The pool's workers are being told to end: what passes until loopmem_pool_end is the time that they take to leave. May be left out. */
void loopmem_pool_closing(loopmem_pool pool) __attribute__((weak));

/* The pool's workers were told to end and have ended, or it never had any. */
void loopmem_pool_end(loopmem_pool pool) __attribute__((weak));

/* The owner enters a stage of its loop / leaves it. Phases nest (validation inside an epoch); `name` is a
 * person's word for it ("warmup") or NULL. Where no phase is given it follows the delivering pool. */
void loopmem_phase_begin(enum loopmem_stage stage, int32_t epoch, const char *name)
	__attribute__((weak));
void loopmem_phase_end(void) __attribute__((weak));

#ifndef LOOPMEM_SHIM
#define LOOPMEM_IF_LOADED(function, ...) (function ? function(__VA_ARGS__) : (void)0)

#define loopmem_pool_begin(spec)           (loopmem_pool_begin ? loopmem_pool_begin(spec) : 0)
#define loopmem_pool_worker(pool, pid, id) LOOPMEM_IF_LOADED(loopmem_pool_worker, pool, pid, id)
#define loopmem_pool_expect(pool, batches) LOOPMEM_IF_LOADED(loopmem_pool_expect, pool, batches)
#define loopmem_next_begin(pool)           LOOPMEM_IF_LOADED(loopmem_next_begin, pool)
#define loopmem_next_end(pool, batches)    LOOPMEM_IF_LOADED(loopmem_next_end, pool, batches)
#define loopmem_pool_exhausted(pool)       LOOPMEM_IF_LOADED(loopmem_pool_exhausted, pool)
#define loopmem_pool_reuse(pool, epoch)    LOOPMEM_IF_LOADED(loopmem_pool_reuse, pool, epoch)
#define loopmem_pool_closing(pool)         LOOPMEM_IF_LOADED(loopmem_pool_closing, pool)
#define loopmem_pool_end(pool)             LOOPMEM_IF_LOADED(loopmem_pool_end, pool)
#define loopmem_phase_begin(stage, epoch, name) \
	LOOPMEM_IF_LOADED(loopmem_phase_begin, stage, epoch, name)
#define loopmem_phase_end() LOOPMEM_IF_LOADED(loopmem_phase_end, )
#endif

#ifdef __cplusplus
}
#endif
#endif
