/* Validated reading of a segment: see the header. Words are read with relaxed or acquire atomics,
 * one by one. */
#include "profiler/collect/segment_reader.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "profiler/collect/shim_file.h"

#define RELAXED(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)
#define ACQUIRE(field) __atomic_load_n(&(field), __ATOMIC_ACQUIRE)

/* Copies word by word in order: what is read after it is newer than all of it, without a fence. */
static void copy_words(void *to, const void *from, size_t size)
{
	const uint64_t *source = from;
	char *out = to;

	for (size_t i = 0; i < size / sizeof(*source); i++) {
		uint64_t word = ACQUIRE(source[i]);

		memcpy(out + i * sizeof(word), &word, sizeof(word));
	}
}

_Static_assert(sizeof(struct loopmem_pool_row) % sizeof(uint64_t) == 0, "copied by words");
_Static_assert(sizeof(struct loopmem_event) % sizeof(uint64_t) == 0, "copied by words");

int segment_open(struct segment_reader *r, int dir_fd, const char *name)
{
	static const struct shim_file_form form = {
		.magic = LOOPMEM_SEGMENT_MAGIC,
		.version = LOOPMEM_SEGMENT_VERSION,
		.size_bytes = sizeof(struct loopmem_segment),
		.least_bytes = sizeof(struct loopmem_segment),
		.map_bytes = sizeof(struct loopmem_segment),
	};
	struct stat st;
	int error;

	*r = (struct segment_reader){.next_event = 1};
	error = shim_file_open(&r->file, &st, dir_fd, name, &form);
	if (!error)
		r->map = mapped_file_data(r->file);
	return error;
}

void segment_close(struct segment_reader *r)
{
	mapped_file_close(r->file);
	r->file = NULL;
	r->map = NULL;
}

/* Zeros may also be what a file has that was made longer again. */
int segment_is_lost(const struct segment_reader *r)
{
	return RELAXED(r->map->magic) != LOOPMEM_SEGMENT_MAGIC || mapped_file_is_lost(r->file);
}

/* Copies a string that may change meanwhile or have no end. */
static void copy_text(char *out, const char *text, size_t size)
{
	memcpy(out, text, size);
	out[size - 1] = '\0';
}

int segment_identity(const struct segment_reader *r, struct segment_identity *out)
{
	const struct loopmem_segment *s = r->map;

	*out = (struct segment_identity){
		.pid = s->pid,
		.parent_pid = s->parent_pid,
		.start_ticks = s->start_ticks,
		.birth_ns = s->birth_ns,
		.fork_ns = s->fork_ns,
		.inherited_live_bytes = s->inherited_live_bytes,
	};
	copy_text(out->cmdline, s->cmdline, sizeof(out->cmdline));
	copy_text(out->allocator, s->allocator, sizeof(out->allocator));
	return segment_is_lost(r) ? -EIO : 0;
}

int segment_state(const struct segment_reader *r, struct segment_state *out)
{
	const struct loopmem_segment *s = r->map;

	*out = (struct segment_state){
		.exec_ns = RELAXED(s->exec_ns),
		.exit_ns = RELAXED(s->exit_ns),
		.exit_status = RELAXED(s->exit_status),
		.python_state = ACQUIRE(s->python_state),
		.python_version = RELAXED(s->python_version),
	};
	copy_text(out->python_reason, s->python_reason, sizeof(out->python_reason));
	for (int i = 0; i < LOOPMEM_DROPS; i++)
		out->drops[i] = RELAXED(s->drops[i]);
	return segment_is_lost(r) ? -EIO : 0;
}

static void add(struct loopmem_counters *sum, const struct loopmem_counters *c)
{
	sum->alloc_bytes += RELAXED(c->alloc_bytes);
	sum->allocs += RELAXED(c->allocs);
	sum->free_bytes += RELAXED(c->free_bytes);
	sum->frees += RELAXED(c->frees);
}

/* A count of rows that the shim tells, bounded by those there are. */
static uint32_t up_to(const uint32_t *used, uint32_t most)
{
	uint32_t count = RELAXED(*used);

	return count < most ? count : most;
}

/* Over the threads that ever counted; the shared slot is the last. */
static struct loopmem_counters sum_of_context(const struct loopmem_segment *s, uint32_t context)
{
	uint32_t threads = up_to(&s->threads_used, LOOPMEM_THREADS);
	struct loopmem_counters sum = {0};

	for (uint32_t t = 0; t < threads; t++)
		add(&sum, &s->counters[t][context]);
	add(&sum, &s->counters[LOOPMEM_THREADS][context]);
	return sum;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

int segment_heap(const struct segment_reader *r, struct segment_heap *out)
{
	const struct loopmem_segment *s = r->map;
	uint32_t contexts = up_to(&s->contexts_used, LOOPMEM_CONTEXTS);

	*out = (struct segment_heap){.inherited_free_bytes = RELAXED(s->inherited_free_bytes)};
	for (uint32_t c = 0; c < contexts; c++) {
		struct loopmem_counters sum = sum_of_context(s, c);

		add(&out->counters, &sum);
	}
	for (int k = 0; k < LOOPMEM_REGION_KINDS; k++)
		out->mapped_bytes[k] =
			minus(RELAXED(s->regions[k].map_bytes), RELAXED(s->regions[k].unmap_bytes));
	return segment_is_lost(r) ? -EIO : 0;
}

int segment_pool(const struct segment_reader *r, unsigned index, struct segment_pool *out)
{
	const struct loopmem_pool_row *row = &r->map->pools[index % LOOPMEM_POOLS];
	struct loopmem_counters sum;
	uint32_t id = ACQUIRE(row->id);

	if (!id)
		return 0;
	copy_words(&out->row, row, sizeof(*row));
	if (RELAXED(row->id) != id)
		return 0;
	out->row.id = id;
	out->row.label[LOOPMEM_LABEL - 1] = '\0';
	out->row.dataset[LOOPMEM_LABEL - 1] = '\0';
	out->row.origin[LOOPMEM_ORIGIN - 1] = '\0';
	sum = sum_of_context(r->map, 1 + index % LOOPMEM_POOLS);
	out->alloc_bytes = minus(sum.alloc_bytes, out->row.base.alloc_bytes);
	out->free_bytes = minus(sum.free_bytes, out->row.base.free_bytes);
	return !segment_is_lost(r);
}

uint64_t segment_pools_begun(const struct segment_reader *r)
{
	return RELAXED(r->map->pools_begun);
}

void segment_each_worker(struct segment_reader *r,
			 void (*fn)(const struct loopmem_worker_row *, void *), void *arg)
{
	uint64_t begun = ACQUIRE(r->map->workers_begun);

	if (begun == r->workers_seen)
		return;
	r->workers_seen = begun;
	for (int i = 0; i < LOOPMEM_WORKERS; i++) {
		const struct loopmem_worker_row *row = &r->map->workers[i];
		struct loopmem_worker_row copy = {.pool_id = ACQUIRE(row->pool_id)};

		if (!copy.pool_id)
			continue;
		copy.pid = RELAXED(row->pid);
		copy.worker_id = RELAXED(row->worker_id);
		copy.time_ns = RELAXED(row->time_ns);
		fn(&copy, arg);
	}
}

/* 1 = copied, 0 = not published yet, -1 = overwritten by a later event. */
static int copy_event(const struct loopmem_event *row, uint64_t seq, struct loopmem_event *out)
{
	uint64_t found = ACQUIRE(row->seq);

	if (found != seq)
		return found < seq ? 0 : -1;
	copy_words(out, row, sizeof(*out));
	if (RELAXED(row->seq) != seq)
		return -1;
	out->text[sizeof(out->text) - 1] = '\0';
	return 1;
}

int segment_has_events(const struct segment_reader *r)
{
	return ACQUIRE(r->map->event_seq) >= r->next_event;
}

int segment_next_event(struct segment_reader *r, int ended, struct loopmem_event *out,
		       uint64_t *lost)
{
	uint64_t newest = ACQUIRE(r->map->event_seq);

	if (newest > r->next_event && newest - r->next_event >= LOOPMEM_EVENTS) {
		uint64_t oldest = newest - LOOPMEM_EVENTS + 1;

		*lost += oldest - r->next_event;
		r->next_event = oldest;
	}
	while (r->next_event <= newest) {
		uint64_t seq = r->next_event;
		int found = copy_event(&r->map->events[(seq - 1) % LOOPMEM_EVENTS], seq, out);

		if (!found && !ended)
			return 0;
		r->next_event++;
		if (found == 1)
			return 1;
		*lost += 1;
	}
	return 0;
}
