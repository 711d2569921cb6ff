/*
 * regions.c: the process's region table under its lock, the counters of segment.h, and which
 * descriptors are shared memory objects.
 */
#include "inject/regions.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "inject/locks.h"
#include "inject/region_table.h"
#include "inject/self.h"

enum { MARKED_FDS = 65536 };

static struct region_table table; /* LOCK_REGIONS */

/* Descriptors that came from shm_open or memfd_create; atomic. A set bit may be stale (close is not
 * hooked), so it is only a reason to look: any other ftruncate costs no system call more. */
static uint64_t marked[MARKED_FDS / 64];

static bool is_marked(int fd)
{
	return fd >= 0 && fd < MARKED_FDS &&
	       __atomic_load_n(&marked[fd / 64], __ATOMIC_RELAXED) >> (fd % 64) & 1;
}

void regions_shared_object(int fd)
{
	if (fd >= 0 && fd < MARKED_FDS)
		__atomic_fetch_or(&marked[fd / 64], UINT64_C(1) << (fd % 64), __ATOMIC_RELAXED);
}

/* Is it shared memory? A program sizes and maps object after object of one file system, so the device is remembered and
 * the file system asked only about another one. */
static bool is_memory_file(int fd, struct stat *stat)
{
	static uint64_t known; /* a device of memory, plus 1; atomic */
	struct statfs fs;
	int saved = errno;
	bool is = fstat(fd, stat) == 0;

	if (is && __atomic_load_n(&known, __ATOMIC_RELAXED) != stat->st_dev + 1) {
		is = fstatfs(fd, &fs) == 0 &&
		     (fs.f_type == TMPFS_MAGIC || fs.f_type == HUGETLBFS_MAGIC);
		if (is)
			__atomic_store_n(&known, stat->st_dev + 1, __ATOMIC_RELAXED);
	}
	errno = saved;
	return is;
}

static enum loopmem_region_kind kind_of_mapping(int flags, int fd)
{
	bool shared = (flags & MAP_TYPE) != MAP_PRIVATE;
	struct stat stat;

	if (flags & MAP_ANONYMOUS)
		return shared ? LOOPMEM_REGION_SHARED : LOOPMEM_REGION_ANON;
	return shared && is_memory_file(fd, &stat) ? LOOPMEM_REGION_SHARED : LOOPMEM_REGION_FILE;
}

static uint64_t page_up(uint64_t address)
{
	uint64_t page = (uint64_t)getpagesize();

	return (address + page - 1) & ~(page - 1);
}

static void count(uint64_t *bytes, uint64_t *times, uint64_t more)
{
	__atomic_fetch_add(bytes, more, __ATOMIC_RELAXED);
	if (times)
		__atomic_fetch_add(times, 1, __ATOMIC_RELAXED);
}

static void count_map(enum loopmem_region_kind kind, uint64_t bytes)
{
	struct loopmem_region_counters *counters = &self_segment->regions[kind];

	count(&counters->map_bytes, &counters->maps, bytes);
}

static void count_unmap(const uint64_t bytes[LOOPMEM_REGION_KINDS])
{
	for (int kind = 0; kind < LOOPMEM_REGION_KINDS; kind++) {
		struct loopmem_region_counters *counters = &self_segment->regions[kind];
		if (bytes[kind])
			count(&counters->unmap_bytes, &counters->unmaps, bytes[kind]);
	}
}

/* Both drop and count: a row that found no place is in no figure, so mapped - unmapped stays true. */
static void add_row(uint64_t start, uint64_t end, enum loopmem_region_kind kind)
{
	if (region_table_add(&table, start, end, kind))
		count_map(kind, end - start);
	else
		self_drop(LOOPMEM_DROP_REGION);
}

static void cut_rows(uint64_t start, uint64_t end)
{
	uint64_t bytes[LOOPMEM_REGION_KINDS] = {0};

	if (!region_table_cut(&table, start, end, bytes))
		self_drop(LOOPMEM_DROP_REGION);
	count_unmap(bytes);
}

static bool enter(void)
{
	bool entered = lock_enter(LOCK_REGIONS);

	if (!entered)
		self_drop(LOOPMEM_DROP_REGION);
	return entered;
}

void regions_mapped(void *start, size_t bytes, int flags, int fd)
{
	enum loopmem_region_kind kind = kind_of_mapping(flags, fd);
	uint64_t from = (uintptr_t)start, to = page_up(from + bytes);

	if (!enter())
		return;
	cut_rows(from, to); /* MAP_FIXED replaces what was there */
	add_row(from, to, kind);
	lock_leave(LOCK_REGIONS);
}

void regions_unmapped(void *start, size_t bytes)
{
	uint64_t from = (uintptr_t)start;

	if (from != page_up(from) || !enter()) /* unaligned: munmap will refuse it */
		return;
	cut_rows(from, page_up(from + bytes));
	lock_leave(LOCK_REGIONS);
}

void regions_discarded(void *start, size_t bytes)
{
	uint64_t overlap[LOOPMEM_REGION_KINDS] = {0}, from = (uintptr_t)start;

	if (!enter())
		return;
	region_table_overlap(&table, from, page_up(from + bytes), overlap);
	lock_leave(LOCK_REGIONS);
	for (int kind = 0; kind < LOOPMEM_REGION_KINDS; kind++)
		if (overlap[kind])
			count(&self_segment->regions[kind].discard_bytes, NULL, overlap[kind]);
}

struct region_move regions_move_begin(void *old, size_t old_bytes)
{
	uint64_t taken[LOOPMEM_REGION_KINDS] = {0}, from = (uintptr_t)old;
	struct region_move move = {.kind = -1, .start = from, .end = page_up(from + old_bytes)};

	if (!enter())
		return move;
	move.kind = region_table_kind(&table, from);
	if (move.kind >= 0 && !region_table_cut(&table, from, move.end, taken))
		self_drop(LOOPMEM_DROP_REGION);
	lock_leave(LOCK_REGIONS);
	if (move.kind >= 0)
		move.bytes = taken[move.kind];
	return move;
}

/* Back to where it was, and nothing is counted. */
static void put_back(const struct region_move *move)
{
	if (move->bytes == 0)
		return;
	if (move->bytes != move->end - move->start ||
	    !region_table_add(&table, move->start, move->end, move->kind))
		self_drop(LOOPMEM_DROP_REGION);
}

void regions_move_end(const struct region_move *move, void *moved, size_t bytes)
{
	uint64_t left[LOOPMEM_REGION_KINDS] = {0}, to = (uintptr_t)moved;

	if (move->kind < 0 || !enter())
		return;
	if (moved == MAP_FAILED) {
		put_back(move);
	} else {
		left[move->kind] = move->bytes;
		count_unmap(left);
		cut_rows(to, page_up(to + bytes));
		add_row(to, page_up(to + bytes), move->kind);
	}
	lock_leave(LOCK_REGIONS);
}

int64_t regions_object_bytes(int fd)
{
	struct stat stat;

	return is_marked(fd) && is_memory_file(fd, &stat) ? (int64_t)stat.st_size : -1;
}

void regions_object_sized(int fd, int64_t before_bytes)
{
	int64_t after_bytes;

	if (before_bytes < 0)
		return;
	after_bytes = regions_object_bytes(fd);
	if (after_bytes > before_bytes)
		count(&self_segment->shm_sized_bytes, NULL, (uint64_t)(after_bytes - before_bytes));
}

/* The child inherits mappings and descriptors, not their accounts. */
void regions_forked(void)
{
	table.count = 0;
}
