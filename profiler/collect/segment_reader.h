/*
 * segment_reader.h: one process's segment (inject/segment.h), mapped read-only. The only file that
 * touches its bytes.
 *
 * Nothing in a segment is trusted: the size is checked before it is mapped, every index is bounded,
 * every string is cut and ended, counters may be torn against each other. The head is read with
 * pread before it is mapped: the shim publishes `magic` only after it reserved all pages. A segment
 * that is cut short later reads as zeros: no pools, no events, and the functions that return an int
 * for it say so. What a reader hands out are copies; they stay valid after segment_close.
 */
#ifndef PROFILER_COLLECT_SEGMENT_READER_H
#define PROFILER_COLLECT_SEGMENT_READER_H

#include <stdint.h>

#include "inject/segment.h"
#include "profiler/collect/mapped_file.h"

struct segment_reader {
	const struct loopmem_segment *map; /* of `file`; NULL = closed */
	struct mapped_file *file;
	uint64_t next_event;   /* seq of the next event to hand out */
	uint64_t workers_seen; /* value of workers_begun at the last segment_each_worker */
};

struct segment_identity {
	int32_t pid, parent_pid; /* in the process's own pid namespace */
	uint64_t start_ticks, birth_ns, fork_ns, inherited_live_bytes;
	char cmdline[LOOPMEM_CMDLINE];
	char allocator[LOOPMEM_LABEL];
};

/* State that changes while the process lives. */
struct segment_state {
	uint64_t exec_ns, exit_ns;
	int32_t exit_status;
	uint32_t python_state, python_version;
	char python_reason[LOOPMEM_REASON];
	uint64_t drops[LOOPMEM_DROPS];
};

/* Sums over threads and contexts; mapped bytes are what is mapped now, never below 0. */
struct segment_heap {
	struct loopmem_counters counters;
	uint64_t inherited_free_bytes;
	uint64_t mapped_bytes[LOOPMEM_REGION_KINDS];
};

/* A pool row, and what the owner allocated and freed inside its next. */
struct segment_pool {
	struct loopmem_pool_row row;
	uint64_t alloc_bytes, free_bytes;
};

/* 0; -EAGAIN when it is not published yet; -EPROTO when it was written by another version; -EINVAL
 * when it is no segment; another -errno when it cannot be opened. */
int segment_open(struct segment_reader *r, int dir_fd, const char *name);
void segment_close(struct segment_reader *r);

/* Was it cut short since it was opened? */
int segment_is_lost(const struct segment_reader *r);

/* 0; -EIO when it is lost: *out may be zeros. */
int segment_identity(const struct segment_reader *r, struct segment_identity *out);
int segment_state(const struct segment_reader *r, struct segment_state *out);
int segment_heap(const struct segment_reader *r, struct segment_heap *out);

/* 1 and a copy of row `index` (0 .. LOOPMEM_POOLS - 1) when it holds a pool, else 0. */
int segment_pool(const struct segment_reader *r, unsigned index, struct segment_pool *out);

/* Number of pools ever begun. */
uint64_t segment_pools_begun(const struct segment_reader *r);

/* Calls fn for every worker row when workers were added since the last call; rows come again, fn
 * must be idempotent. */
void segment_each_worker(struct segment_reader *r,
			 void (*fn)(const struct loopmem_worker_row *, void *), void *arg);

/* One read of memory: is there an event that was not handed out? */
int segment_has_events(const struct segment_reader *r);

/* 1 and the next event, 0 when there is none. Events that were overwritten are added to *lost.
 * `ended` = the process is dead: an event that it began and never finished is passed over as lost
 * instead of awaited. */
int segment_next_event(struct segment_reader *r, int ended, struct loopmem_event *out,
		       uint64_t *lost);

#endif
