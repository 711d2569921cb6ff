/*
 * segment.h: THE SEAM. The bytes that the shim writes and the collector reads; nothing else crosses.
 *
 * One file a process, LOOPMEM_DIR/<pid>-<birth_ns in hex>.seg, mapped MAP_SHARED by the process and read-only by
 * the collector. The process updates it in place, so a process that ends by _exit, SIGKILL or the OOM killer
 * leaves everything it counted. The collector never writes here: data goes one way.
 *
 *   offset 0
 *   ┌──────────┬───────┬─────────┬──────────────┬──────────────┬─────────────────────────────────┐
 *   │ identity │ state │ regions │ pools[32]    │ workers[512] │ events[1024] ring               │
 *   ├──────────┴───────┴─────────┴──────────────┴──────────────┴─────────────────────────────────┤
 *   │ counters[64 + 1 threads][1 + 32 contexts]          (touched only where a thread was active) │
 *   └────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * Rules for the writer: reserve the file's space first (posix_fallocate), and leave the file empty
 * when there is none; publish `magic` last, with release order; a counter has one writer (its thread
 * slot) except in the overflow slot, which is updated atomically.
 * Rules for the reader: trust nothing: check magic, version and sizes, bound every index and string,
 * treat every counter as a value that may be torn across fields but not within one 64-bit word.
 * A change to any of this changes LOOPMEM_SEGMENT_VERSION; shim and collector must match exactly.
 *
 * Times are CLOCK_MONOTONIC nanoseconds. Sizes are bytes; block sizes are malloc_usable_size().
 */
#ifndef LOOPMEM_SEGMENT_H
#define LOOPMEM_SEGMENT_H

#include <stdint.h>

#define LOOPMEM_SEGMENT_MAGIC   UINT64_C(0x314d454d504f4f4c) /* "LOOPMEM1" read as little endian */
#define LOOPMEM_SEGMENT_VERSION 4u
#define LOOPMEM_SEGMENT_SUFFIX  ".seg"

enum {
	LOOPMEM_POOLS = 32,    /* pool rows: the living and the lately ended */
	LOOPMEM_WORKERS = 512, /* worker rows, a ring */
	LOOPMEM_EVENTS = 1024, /* edges, a ring */
	/* exclusive thread slots; slot LOOPMEM_THREADS is shared by the rest */
	LOOPMEM_THREADS = 64,
	/* 0 = outside any pool, 1 + row = inside next of that pool */
	LOOPMEM_CONTEXTS = 1 + LOOPMEM_POOLS,
	LOOPMEM_LABEL = 64,
	LOOPMEM_ORIGIN = 160,
	LOOPMEM_CMDLINE = 256,
	LOOPMEM_REASON = 128,
	LOOPMEM_TEXT = 40,
};

/* What one thread counted in one context. Monotonic. The live heap of the process is
 * inherited_live_bytes + sum(alloc_bytes) - sum(free_bytes) - sum(inherited_free_bytes); its own live heap is
 * sum(alloc_bytes) - sum(free_bytes), exact to the byte. realloc counts as a free and an allocation. */
struct loopmem_counters {
	uint64_t alloc_bytes;
	uint64_t allocs;
	uint64_t free_bytes; /* of blocks this process allocated itself */
	uint64_t frees;
};

/* Mapped memory by kind: what the program mapped itself, through libc's entry points. (The allocator's own
 * mappings do not pass there: they are heap.) */
enum loopmem_region_kind {
	LOOPMEM_REGION_ANON = 0,   /* private anonymous: pymalloc arenas, caching allocators */
	LOOPMEM_REGION_SHARED = 1, /* shared anonymous, memfd, /dev/shm */
	LOOPMEM_REGION_FILE = 2,   /* everything else with a file */
	LOOPMEM_REGION_KINDS = 3,
};

struct loopmem_region_counters {
	uint64_t map_bytes; /* monotonic, whole pages */
	uint64_t maps;
	uint64_t unmap_bytes;
	uint64_t unmaps;
	uint64_t discard_bytes; /* madvise DONTNEED, FREE, REMOVE */
};

enum loopmem_pool_state {
	LOOPMEM_POOL_FREE = 0, /* the row was never used */
	LOOPMEM_POOL_STARTING = 1,
	LOOPMEM_POOL_DELIVERING = 2,
	/* the owner delivers from another pool, or left this one's phase */
	LOOPMEM_POOL_PARKED = 3,
	LOOPMEM_POOL_EXHAUSTED = 4,
	LOOPMEM_POOL_ENDED = 5,
};

/* A pool as its owner knows it. `id` is the process's pool number, never re-used: from 1, in the child
 * of a fork from the parent's last. row = a slot of the table, re-used after the pool ended. The
 * writer sets id to 0, fills the row, then publishes id (release); a reader reads id before and
 * after and drops the row if it moved. */
struct loopmem_pool_row {
	uint32_t id;
	uint32_t state; /* enum loopmem_pool_state */
	uint32_t stage; /* enum loopmem_stage */
	uint32_t start; /* enum loopmem_start */
	uint32_t flags; /* enum loopmem_pool_flags */
	int32_t epoch;
	int32_t workers;
	int32_t batch_size;
	int32_t prefetch;
	uint32_t uses; /* times it was started over */
	int64_t expected_batches;
	uint64_t batches; /* handed out, over all uses */
	uint64_t batches_this_use;
	uint64_t stall_ns; /* time inside next */
	uint64_t begin_ns;
	uint64_t first_batch_ns; /* 0 = not yet; same for the three below */
	uint64_t last_batch_ns;
	uint64_t exhausted_ns; /* of the present use */
	uint64_t end_ns;
	/* sum of this row's context over all threads when the pool was born */
	struct loopmem_counters base;
	char label[LOOPMEM_LABEL];
	char dataset[LOOPMEM_LABEL];
	char origin[LOOPMEM_ORIGIN];
};

struct loopmem_worker_row {
	uint32_t pool_id; /* 0 = unused; published last */
	int32_t pid;
	int32_t worker_id;
	uint32_t reserved;
	uint64_t time_ns;
};

/* Edges: what the collector must know the moment of. Counters carry the rest. */
enum loopmem_event_kind {
	LOOPMEM_EVENT_NONE = 0,
	/* text = the framework whose loop began it and its version, "lightning 2.6.1"; "" = not known */
	LOOPMEM_EVENT_POOL_BEGIN = 1,
	LOOPMEM_EVENT_POOL_WORKER = 2,    /* value = pid, value2 = worker id */
	LOOPMEM_EVENT_POOL_DELIVER = 3,   /* the owner asks this pool, after another or none */
	LOOPMEM_EVENT_POOL_FIRST = 4,     /* the first batch of a use was handed out */
	LOOPMEM_EVENT_POOL_PARK = 5,      /* no longer asked, not known to be at its end */
	LOOPMEM_EVENT_POOL_EXHAUSTED = 6, /* value = batches of this use */
	LOOPMEM_EVENT_POOL_REUSE = 7,     /* value = epoch, value2 = stage */
	LOOPMEM_EVENT_POOL_END = 8,
	LOOPMEM_EVENT_PHASE_BEGIN = 9, /* value = stage, value2 = epoch, text = name */
	LOOPMEM_EVENT_PHASE_END = 10,
	/* in the parent; value = child pid, value2 = 1 when a pool will claim the child; text = the line or
	 * the code that forked, "" when not known */
	LOOPMEM_EVENT_FORK = 11,
	/* about to exec; the next image has a segment of its own */
	LOOPMEM_EVENT_EXEC = 12,
	LOOPMEM_EVENT_EXIT = 13, /* value = status given to _exit */
	/* the hook ends an idle pool, or says why not: value = enum loopmem_release */
	LOOPMEM_EVENT_RELEASE = 14,
	LOOPMEM_EVENT_POOL_CLOSING = 15, /* its workers are being told to end */
	/* malloc_trim(0) was called: value = private bytes before, value2 = after; or text = why it cannot be */
	LOOPMEM_EVENT_TRIM = 16,
	/* it sends value2, a signal that ends processes: value = pid, 0 or less = a group, as of kill() */
	LOOPMEM_EVENT_KILL = 17,
	/* its child value was ended by a signal: value2 = the status, as of wait() */
	LOOPMEM_EVENT_REAPED = 18,
};

enum loopmem_release {
	LOOPMEM_RELEASED = 0,
	LOOPMEM_KEPT_PERSISTENT = 1, /* persistent workers are meant to stay */
	LOOPMEM_KEPT_STATEFUL = 2,   /* the loader's state lives in its iterator */
	LOOPMEM_KEPT_NEEDED = 3, /* validation within an epoch: its next batches are still wanted */
};

/* seq = 1 + position in the stream, published last; the row of seq s is (s - 1) % LOOPMEM_EVENTS. A reader that
 * finds a larger seq than it expects has lost the difference and says so. */
struct loopmem_event {
	uint64_t seq;
	uint64_t time_ns;
	uint32_t kind;
	uint32_t pool_id;
	int64_t value;
	int64_t value2;
	char text[LOOPMEM_TEXT];
};

enum loopmem_python_state {
	LOOPMEM_PYTHON_ABSENT = 0,  /* no interpreter seen in this process */
	LOOPMEM_PYTHON_WAITING = 1, /* found; start-up has not finished */
	/* the hook is in; it waits for torch's loader to be imported */
	LOOPMEM_PYTHON_INSTALLED = 2,
	LOOPMEM_PYTHON_HOOKED = 3,  /* torch's loader is followed; python_reason: "torch 2.13.0" */
	LOOPMEM_PYTHON_REFUSED = 4, /* python_reason says why */
};

enum loopmem_drop {
	LOOPMEM_DROP_POOL = 0,   /* pool table full */
	LOOPMEM_DROP_WORKER = 1, /* a call on an unknown or ended pool */
	LOOPMEM_DROP_REGION = 2, /* region table full */
	LOOPMEM_DROP_OWN = 3,    /* a block could not be marked as this process's own */
	/* the Python hook raised and switched itself off or skipped a step */
	LOOPMEM_DROP_HOOK = 4,
	LOOPMEM_DROP_THREAD = 5, /* a thread had to use the shared slot */
	LOOPMEM_DROPS = 8,
};

struct loopmem_segment {
	/* identity: written once */
	uint64_t magic;
	uint32_t version;
	uint32_t size_bytes; /* of this struct */
	int32_t pid;         /* as this process sees itself */
	int32_t parent_pid;
	/* field 22 of /proc/self/stat: (pid, start) names a process for ever */
	uint64_t start_ticks;
	/* this segment was made; fork_ns when the process came by fork, else 0 */
	uint64_t birth_ns;
	uint64_t fork_ns;
	/* live heap of the parent at the fork, all of it inherited */
	uint64_t inherited_live_bytes;
	char cmdline[LOOPMEM_CMDLINE]; /* words divided by blanks, cut */
	char allocator[LOOPMEM_LABEL]; /* "glibc", or the file that provides malloc */

	/* state */
	uint64_t exec_ns; /* 0 or when the process asked to be replaced */
	uint64_t exit_ns; /* 0 or when _exit was called */
	int32_t exit_status;
	uint32_t python_state;         /* enum loopmem_python_state */
	uint32_t python_version;       /* PY_VERSION_HEX, 0 = none */
	uint32_t delivering;           /* pool id that the owner asks now, 0 = none */
	uint64_t inherited_free_bytes; /* blocks of the parent freed here, atomically added */
	uint64_t inherited_frees;
	uint64_t drops[LOOPMEM_DROPS];
	char python_reason[LOOPMEM_REASON];

	struct loopmem_region_counters regions[LOOPMEM_REGION_KINDS]; /* atomically added */
	/* ftruncate and fallocate of objects from shm_open and memfd_create */
	uint64_t shm_sized_bytes;

	uint64_t pools_begun; /* last pool id given out */
	struct loopmem_pool_row pools[LOOPMEM_POOLS];
	uint64_t workers_begun;
	struct loopmem_worker_row workers[LOOPMEM_WORKERS];
	uint64_t event_seq; /* seq of the newest event that is being or was written */
	struct loopmem_event events[LOOPMEM_EVENTS];

	/* What of the table was ever touched, written before the first count: exclusive slots from 0 on
	 * (the shared one is apart), contexts from 0 on. All rows beyond are zeros, and on no page. */
	uint32_t threads_used;
	uint32_t contexts_used;
	struct loopmem_counters counters[LOOPMEM_THREADS + 1][LOOPMEM_CONTEXTS];
};

#endif
