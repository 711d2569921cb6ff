/* Claims about profiler/collect/segment_reader.h: right figures from a good segment, no harm from a
 * bad one. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/segment_reader.h"

static int open_bytes(struct segment_reader *r, const void *bytes, size_t size)
{
	crafted_file(crafted_path("bytes.seg"), bytes, size);
	return segment_open(r, AT_FDCWD, crafted_path("bytes.seg"));
}

static int open_crafted(struct segment_reader *r, const struct loopmem_segment *segment)
{
	return open_bytes(r, segment, sizeof(*segment));
}

static void an_unpublished_segment_is_tried_again(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_reader r;

	(void)state;
	s->magic = 0;
	assert_int_equal(open_crafted(&r, s), -EAGAIN);
	assert_int_equal(open_bytes(&r, "", 0), -EAGAIN);
	assert_null(r.map);
}

static void another_version_or_size_is_refused(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_reader r;

	(void)state;
	s->version++;
	assert_int_equal(open_crafted(&r, s), -EPROTO);
	s->version--;
	s->size_bytes--;
	assert_int_equal(open_crafted(&r, s), -EPROTO);
	s->size_bytes++;
	s->magic ^= 1;
	assert_int_equal(open_crafted(&r, s), -EINVAL);
}

static void a_segment_cut_short_is_refused(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_reader r;

	(void)state;
	assert_int_equal(open_bytes(&r, s, sizeof(*s) - 1), -EINVAL);
	assert_int_equal(open_bytes(&r, s, 64), -EINVAL);
}

static void a_link_is_not_followed(void **state)
{
	struct segment_reader r;

	(void)state;
	crafted_file(crafted_path("real.seg"), crafted_segment(), sizeof(struct loopmem_segment));
	unlink(crafted_path("link.seg"));
	assert_int_equal(symlink(crafted_path("real.seg"), crafted_path("link.seg")), 0);
	assert_int_equal(segment_open(&r, AT_FDCWD, crafted_path("link.seg")), -ELOOP);
}

static void strings_without_an_end_are_cut(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_identity identity;
	struct segment_state changing;
	struct segment_reader r;

	(void)state;
	memset(s->cmdline, 'x', sizeof(s->cmdline));
	memset(s->allocator, 'y', sizeof(s->allocator));
	memset(s->python_reason, 'z', sizeof(s->python_reason));
	assert_int_equal(open_crafted(&r, s), 0);
	segment_identity(&r, &identity);
	segment_state(&r, &changing);
	assert_int_equal(strlen(identity.cmdline), sizeof(s->cmdline) - 1);
	assert_int_equal(strlen(identity.allocator), sizeof(s->allocator) - 1);
	assert_int_equal(strlen(changing.python_reason), sizeof(s->python_reason) - 1);
	segment_close(&r);
}

static void counters_are_summed_over_threads_and_contexts(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_heap heap;
	struct segment_reader r;

	(void)state;
	s->counters[0][0] = (struct loopmem_counters){1000, 10, 100, 1};
	s->counters[LOOPMEM_THREADS][LOOPMEM_CONTEXTS - 1] = (struct loopmem_counters){7, 6, 5, 4};
	s->inherited_free_bytes = 33;
	s->regions[LOOPMEM_REGION_ANON].map_bytes = 8192;
	s->regions[LOOPMEM_REGION_ANON].unmap_bytes = 4096;
	s->regions[LOOPMEM_REGION_FILE].unmap_bytes = 4096; /* mapped before it was counted */
	assert_int_equal(open_crafted(&r, s), 0);
	segment_heap(&r, &heap);
	assert_int_equal(heap.counters.alloc_bytes, 1007);
	assert_int_equal(heap.counters.allocs, 16);
	assert_int_equal(heap.counters.free_bytes, 105);
	assert_int_equal(heap.counters.frees, 5);
	assert_int_equal(heap.inherited_free_bytes, 33);
	assert_int_equal(heap.mapped_bytes[LOOPMEM_REGION_ANON], 4096);
	assert_int_equal(heap.mapped_bytes[LOOPMEM_REGION_FILE], 0);
	segment_close(&r);
}

static void rows_that_were_never_used_are_not_read(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_heap heap;
	struct segment_reader r;

	(void)state;
	s->threads_used = 2;
	s->contexts_used = 3;
	s->counters[1][2].alloc_bytes = 1;
	s->counters[LOOPMEM_THREADS][2].alloc_bytes = 10;
	s->counters[2][2].alloc_bytes = s->counters[1][3].alloc_bytes = 100;
	assert_int_equal(open_crafted(&r, s), 0);
	segment_heap(&r, &heap);
	assert_int_equal(heap.counters.alloc_bytes, 11);
	segment_close(&r);
	s->threads_used = s->contexts_used = UINT32_MAX; /* a segment is not trusted */
	assert_int_equal(open_crafted(&r, s), 0);
	segment_heap(&r, &heap);
	assert_int_equal(heap.counters.alloc_bytes, 211);
	segment_close(&r);
}

static void a_pool_counts_from_its_birth(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_pool pool;
	struct segment_reader r;

	(void)state;
	s->pools[3] = (struct loopmem_pool_row){.id = 4,
						.state = LOOPMEM_POOL_DELIVERING,
						.base = {.alloc_bytes = 100, .free_bytes = 50}};
	memset(s->pools[3].label, 'l', LOOPMEM_LABEL);
	s->counters[0][1 + 3] = (struct loopmem_counters){150, 2, 70, 1};
	s->counters[2][1 + 3] = (struct loopmem_counters){50, 1, 0, 0};
	assert_int_equal(open_crafted(&r, s), 0);
	assert_int_equal(segment_pool(&r, 2, &pool), 0);
	assert_int_equal(segment_pool(&r, 3, &pool), 1);
	assert_int_equal(pool.row.id, 4);
	assert_int_equal(pool.alloc_bytes, 100);
	assert_int_equal(pool.free_bytes, 20);
	assert_int_equal(strlen(pool.row.label), LOOPMEM_LABEL - 1);
	segment_close(&r);
}

static void events_come_in_order_and_once(void **state)
{
	struct loopmem_segment *s = crafted_map(crafted_path("events.seg"), crafted_segment());
	struct loopmem_event event;
	struct segment_reader r;
	uint64_t lost = 0;

	(void)state;
	assert_int_equal(segment_open(&r, AT_FDCWD, crafted_path("events.seg")), 0);
	assert_int_equal(segment_has_events(&r), 0);
	crafted_event(s, LOOPMEM_EVENT_POOL_BEGIN, 1, 0);
	crafted_event(s, LOOPMEM_EVENT_POOL_END, 1, 7);
	assert_int_equal(segment_has_events(&r), 1);
	assert_int_equal(segment_next_event(&r, 0, &event, &lost), 1);
	assert_int_equal(event.kind, LOOPMEM_EVENT_POOL_BEGIN);
	assert_int_equal(segment_next_event(&r, 0, &event, &lost), 1);
	assert_int_equal(event.value, 7);
	assert_int_equal(segment_next_event(&r, 0, &event, &lost), 0);
	assert_int_equal(segment_has_events(&r), 0);
	assert_int_equal(lost, 0);
	segment_close(&r);
	crafted_unmap(s);
}

static void overwritten_events_are_counted_as_lost(void **state)
{
	struct loopmem_segment *s = crafted_map(crafted_path("ring.seg"), crafted_segment());
	struct loopmem_event event;
	struct segment_reader r;
	uint64_t lost = 0;
	int seen = 0;

	(void)state;
	assert_int_equal(segment_open(&r, AT_FDCWD, crafted_path("ring.seg")), 0);
	for (int i = 0; i < LOOPMEM_EVENTS + 10; i++)
		crafted_event(s, LOOPMEM_EVENT_POOL_PARK, 1, i);
	while (segment_next_event(&r, 0, &event, &lost)) {
		assert_int_equal(event.value, 10 + seen);
		seen++;
	}
	assert_int_equal(seen, LOOPMEM_EVENTS);
	assert_int_equal(lost, 10);
	segment_close(&r);
	crafted_unmap(s);
}

static void an_unfinished_event_is_awaited_while_its_process_lives(void **state)
{
	struct loopmem_segment *s = crafted_map(crafted_path("unfinished.seg"), crafted_segment());
	struct loopmem_event event;
	struct segment_reader r;
	uint64_t lost = 0;

	(void)state;
	assert_int_equal(segment_open(&r, AT_FDCWD, crafted_path("unfinished.seg")), 0);
	crafted_event(s, LOOPMEM_EVENT_POOL_BEGIN, 1, 1);
	crafted_event(s, LOOPMEM_EVENT_POOL_END, 1, 2);
	s->events[0].seq = 0;
	assert_int_equal(segment_next_event(&r, 0, &event, &lost), 0);
	assert_int_equal(lost, 0);
	assert_int_equal(segment_next_event(&r, 1, &event, &lost), 1);
	assert_int_equal(event.value, 2);
	assert_int_equal(lost, 1);
	segment_close(&r);
	crafted_unmap(s);
}

static void a_mad_sequence_number_ends(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct loopmem_event event;
	struct segment_reader r;
	uint64_t lost = 0;

	(void)state;
	s->event_seq = UINT64_MAX;
	assert_int_equal(open_crafted(&r, s), 0);
	assert_int_equal(segment_next_event(&r, 0, &event, &lost), 0);
	assert_true(lost > 0);
	segment_close(&r);
}

static void count_worker(const struct loopmem_worker_row *row, void *arg)
{
	assert_int_equal(row->pool_id, 5);
	*(int *)arg += row->pid;
}

static void workers_are_told_when_there_are_new_ones(void **state)
{
	struct loopmem_segment *s = crafted_map(crafted_path("workers.seg"), crafted_segment());
	struct segment_reader r;
	int sum = 0;

	(void)state;
	assert_int_equal(segment_open(&r, AT_FDCWD, crafted_path("workers.seg")), 0);
	segment_each_worker(&r, count_worker, &sum);
	assert_int_equal(sum, 0);
	s->workers[9] = (struct loopmem_worker_row){.pool_id = 5, .pid = 40, .worker_id = 0};
	s->workers[10] = (struct loopmem_worker_row){.pool_id = 5, .pid = 2, .worker_id = 1};
	s->workers_begun = 2;
	segment_each_worker(&r, count_worker, &sum);
	assert_int_equal(sum, 42);
	segment_each_worker(&r, count_worker, &sum);
	assert_int_equal(sum, 42);
	segment_close(&r);
	crafted_unmap(s);
}

/* Cut behind the head, so that the magic is still there; and the file of another process is whole. */
static void a_segment_cut_short_while_it_is_mapped_is_lost_and_reads_as_nothing(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	struct segment_reader r, other;
	struct segment_heap heap;
	struct segment_pool pool;
	struct segment_state changing;

	(void)state;
	s->pools[2] = (struct loopmem_pool_row){.id = 7};
	s->counters[1][0].alloc_bytes = 100;
	crafted_file(crafted_path("other.seg"), s, sizeof(*s));
	assert_int_equal(open_crafted(&r, s), 0);
	assert_int_equal(segment_open(&other, AT_FDCWD, crafted_path("other.seg")), 0);
	assert_int_equal(segment_heap(&r, &heap), 0);
	assert_int_equal(truncate(crafted_path("bytes.seg"), 4096), 0);
	assert_int_equal(segment_heap(&r, &heap), -EIO);
	assert_true(segment_is_lost(&r));
	assert_int_equal(segment_state(&r, &changing), -EIO);
	assert_int_equal(segment_pool(&r, 2, &pool), 0);
	assert_int_equal(segment_has_events(&r), 0);
	assert_int_equal(segment_heap(&other, &heap), 0);
	assert_int_equal(heap.counters.alloc_bytes, 100);
	segment_close(&r);
	segment_close(&other);
}

static void a_segment_made_longer_again_is_lost_too(void **state)
{
	struct segment_reader r;
	struct segment_heap heap;

	(void)state;
	assert_int_equal(open_crafted(&r, crafted_segment()), 0);
	assert_int_equal(truncate(crafted_path("bytes.seg"), 0), 0);
	assert_int_equal(truncate(crafted_path("bytes.seg"), sizeof(struct loopmem_segment)), 0);
	assert_int_equal(segment_heap(&r, &heap), -EIO);
	segment_close(&r);
}

/* Whatever bytes: every reading function returns. Run under the sanitizers it also touches nothing
 * beyond. */
static void random_bytes_do_no_harm(void **state)
{
	struct loopmem_segment *s = crafted_segment();
	unsigned char *bytes = (unsigned char *)s;
	struct segment_reader r;

	(void)state;
	srandom(1);
	for (size_t i = 16; i < sizeof(*s); i++)
		bytes[i] = (unsigned char)random();
	assert_int_equal(open_crafted(&r, s), 0);
	for (unsigned i = 0; i < 2 * LOOPMEM_POOLS; i++) {
		struct segment_pool pool;

		segment_pool(&r, i, &pool);
	}
	for (int i = 0; i < 5000; i++) {
		struct loopmem_event event;
		uint64_t lost = 0;

		if (segment_next_event(&r, i % 2, &event, &lost))
			assert_int_equal(event.text[sizeof(event.text) - 1], 0);
	}
	segment_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_unpublished_segment_is_tried_again),
		cmocka_unit_test(another_version_or_size_is_refused),
		cmocka_unit_test(a_segment_cut_short_is_refused),
		cmocka_unit_test(a_link_is_not_followed),
		cmocka_unit_test(strings_without_an_end_are_cut),
		cmocka_unit_test(counters_are_summed_over_threads_and_contexts),
		cmocka_unit_test(rows_that_were_never_used_are_not_read),
		cmocka_unit_test(a_pool_counts_from_its_birth),
		cmocka_unit_test(events_come_in_order_and_once),
		cmocka_unit_test(overwritten_events_are_counted_as_lost),
		cmocka_unit_test(an_unfinished_event_is_awaited_while_its_process_lives),
		cmocka_unit_test(a_mad_sequence_number_ends),
		cmocka_unit_test(workers_are_told_when_there_are_new_ones),
		cmocka_unit_test(
			a_segment_cut_short_while_it_is_mapped_is_lost_and_reads_as_nothing),
		cmocka_unit_test(a_segment_made_longer_again_is_lost_too),
		cmocka_unit_test(random_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
