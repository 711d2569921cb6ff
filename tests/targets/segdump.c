/*
 * segdump: prints a segment, or every segment of a directory, as `key value` lines for tests to read.
 * Each segment begins with `segment FILE`. Exits 1 when nothing could be read.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/segment.h"
#include "inject/sites.h"

static struct loopmem_segment segment;

static const char *const event_names[] = {"none",    "begin",     "worker", "deliver", "first",
					  "park",    "exhausted", "reuse",  "end",     "phase",
					  "phend",   "fork",      "exec",   "exit",    "release",
					  "closing", "trim",      "kill",   "reaped"};
static const char *const state_names[] = {"free",   "starting",  "delivering",
					  "parked", "exhausted", "ended"};
static const char *const kind_names[] = {"anon", "shared", "file"};

/* As a reader sums: no further than the segment says that anybody counted. */
static int is_used(int thread, int context)
{
	return (thread == LOOPMEM_THREADS || thread < (int)segment.threads_used) &&
	       context < (int)segment.contexts_used;
}

static void print_total(void)
{
	struct loopmem_counters sum = {0};

	for (int t = 0; t <= LOOPMEM_THREADS; t++)
		for (int c = 0; c < LOOPMEM_CONTEXTS; c++) {
			const struct loopmem_counters *one = &segment.counters[t][c];
			if (!is_used(t, c))
				continue;
			sum.alloc_bytes += one->alloc_bytes;
			sum.allocs += one->allocs;
			sum.free_bytes += one->free_bytes;
			sum.frees += one->frees;
		}
	printf("alloc_bytes %" PRIu64 "\nallocs %" PRIu64 "\nfree_bytes %" PRIu64 "\nfrees %" PRIu64
	       "\n",
	       sum.alloc_bytes, sum.allocs, sum.free_bytes, sum.frees);
	printf("live_bytes %" PRId64 "\n", (int64_t)(sum.alloc_bytes - sum.free_bytes));
}

static void print_rows(void)
{
	for (int t = 0; t <= LOOPMEM_THREADS; t++)
		for (int c = 0; c < LOOPMEM_CONTEXTS; c++) {
			const struct loopmem_counters *one = &segment.counters[t][c];
			if (one->allocs || one->frees)
				printf("row %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
				       "\n",
				       t, c, one->alloc_bytes, one->allocs, one->free_bytes,
				       one->frees);
		}
}

static void print_identity(void)
{
	printf("pid %d\nparent_pid %d\nstart_ticks %" PRIu64 "\n", segment.pid, segment.parent_pid,
	       segment.start_ticks);
	printf("forked %d\ninherited_live_bytes %" PRIu64 "\n", segment.fork_ns != 0,
	       segment.inherited_live_bytes);
	printf("cmdline %.*s\nallocator %.*s\n", LOOPMEM_CMDLINE, segment.cmdline, LOOPMEM_LABEL,
	       segment.allocator);
	printf("exec %d\nexit %d\nexit_status %d\n", segment.exec_ns != 0, segment.exit_ns != 0,
	       segment.exit_status);
	printf("python_state %u\npython_version %x\npython_reason %.*s\n", segment.python_state,
	       segment.python_version, LOOPMEM_REASON, segment.python_reason);
	printf("inherited_free_bytes %" PRIu64 "\ninherited_frees %" PRIu64 "\n",
	       segment.inherited_free_bytes, segment.inherited_frees);
	for (int i = 0; i < LOOPMEM_DROPS; i++)
		printf("drop %d %" PRIu64 "\n", i, segment.drops[i]);
}

static void print_regions(void)
{
	for (int kind = 0; kind < LOOPMEM_REGION_KINDS; kind++) {
		const struct loopmem_region_counters *r = &segment.regions[kind];
		printf("region %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
		       kind_names[kind], r->map_bytes, r->maps, r->unmap_bytes, r->unmaps,
		       r->discard_bytes);
	}
	printf("shm_sized_bytes %" PRIu64 "\n", segment.shm_sized_bytes);
}

static void print_pools(void)
{
	printf("pools_begun %" PRIu64 "\ndelivering %u\n", segment.pools_begun, segment.delivering);
	for (int i = 0; i < LOOPMEM_POOLS; i++) {
		const struct loopmem_pool_row *p = &segment.pools[i];
		if (!p->id)
			continue;
		printf("pool %u row %d state %s stage %u start %u flags %u epoch %d workers %d "
		       "batch_size %d prefetch %d uses %u expected %" PRId64 " batches %" PRIu64
		       " use %" PRIu64 " label '%s' dataset '%s' origin '%s'\n",
		       p->id, i, p->state < 6 ? state_names[p->state] : "?", p->stage, p->start,
		       p->flags, p->epoch, p->workers, p->batch_size, p->prefetch, p->uses,
		       p->expected_batches, p->batches, p->batches_this_use, p->label, p->dataset,
		       p->origin);
	}
	for (int i = 0; i < LOOPMEM_WORKERS; i++)
		if (segment.workers[i].pool_id)
			printf("worker %u %d %d\n", segment.workers[i].pool_id,
			       segment.workers[i].pid, segment.workers[i].worker_id);
}

static void print_events(void)
{
	uint64_t last = segment.event_seq;
	uint64_t first = last > LOOPMEM_EVENTS ? last - LOOPMEM_EVENTS + 1 : 1;

	printf("event_seq %" PRIu64 "\n", last);
	for (uint64_t seq = first; seq <= last; seq++) {
		const struct loopmem_event *e = &segment.events[(seq - 1) % LOOPMEM_EVENTS];
		if (e->seq != seq)
			continue;
		printf("event %s %u %" PRId64 " %" PRId64 " %.*s\n",
		       e->kind < sizeof(event_names) / sizeof(event_names[0]) ? event_names[e->kind]
									      : "?",
		       e->pool_id, e->value, e->value2, (int)sizeof(e->text), e->text);
	}
}

static int dump(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, &segment, sizeof(segment));

	if (fd >= 0)
		close(fd);
	if (n != sizeof(segment) || segment.magic != LOOPMEM_SEGMENT_MAGIC ||
	    segment.version != LOOPMEM_SEGMENT_VERSION) {
		fprintf(stderr, "segdump: %s: not a segment\n", path);
		return -1;
	}
	printf("segment %s\n", path);
	print_identity();
	print_total();
	print_rows();
	print_regions();
	print_pools();
	print_events();
	return 0;
}

static int dump_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int done = 0;

	while (directory && (entry = readdir(directory))) {
		char file[4096];
		if (entry->d_name[0] == '.' || strstr(entry->d_name, LOOPMEM_SITES_SUFFIX))
			continue;
		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		done += dump(file) == 0;
	}
	if (directory)
		closedir(directory);
	return done ? 0 : -1;
}

int main(int argc, char **argv)
{
	struct stat stat_;

	if (argc != 2 || stat(argv[1], &stat_) < 0) {
		fprintf(stderr, "usage: segdump FILE|DIRECTORY\n");
		return 2;
	}
	return (S_ISDIR(stat_.st_mode) ? dump_directory(argv[1]) : dump(argv[1])) < 0;
}
