/* Claims about reference/loader.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reference/loader.h"
#include "tests/unit/reference/number_set.h"
#include "tests/unit/reference/processes.h"

enum { LENGTH = 103, BATCH = 10, BATCHES = 11 };

/* A set and a loader of it; what a test changes is set before open(). */
struct fixture {
	struct number_set set;
	struct loader_config config;
	struct loader *loader;
	struct failure f;
	unsigned descriptors;
};

static int set_up(void **state)
{
	struct fixture *fix = calloc(1, sizeof(*fix));

	number_set_init(&fix->set, LENGTH);
	fix->config =
		(struct loader_config){.batch_size = BATCH, .workers = 3, .prefetch = 2, .seed = 7};
	fix->descriptors = count_descriptors(getpid());
	*state = fix;
	alarm(60); /* a hang is a failure */
	return 0;
}

/* Every test also claims: no child and no descriptor is left. */
static int tear_down(void **state)
{
	struct fixture *fix = *state;
	int leftover;

	loader_close(fix->loader);
	leftover = has_children() || count_descriptors(getpid()) != fix->descriptors;
	number_set_release(&fix->set);
	free(fix);
	alarm(0);
	return leftover ? -1 : 0;
}

static void open_loader(struct fixture *fix)
{
	assert_int_equal(loader_open(&fix->loader, &fix->set.dataset, &fix->config, &fix->f), 0);
}

static struct iterator *iterate(struct fixture *fix, int32_t epoch)
{
	struct iterator *it;

	assert_int_equal(loader_iterate(&it, fix->loader, LOOPMEM_STAGE_TRAIN, epoch, &fix->f), 0);
	return it;
}

static struct iterator *open_and_iterate(struct fixture *fix)
{
	open_loader(fix);
	return iterate(fix, 0);
}

/* Takes up to `most` batches; writes the numbers of their items and returns how many items. */
static uint32_t take(struct fixture *fix, struct iterator *it, unsigned most, uint32_t *numbers)
{
	struct batch batch;
	uint32_t count = 0;

	while (most-- && iterator_next(it, &batch, &fix->f) == 1) {
		const struct number_item *items = batch.items;

		for (uint32_t i = 0; i < batch.count; i++)
			numbers[count++] = items[i].number;
		batch_release(&batch);
	}
	return count;
}

static void batches_come_in_order_however_fast_the_workers_are(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it;
	struct batch batch;

	fix->set.jitter_us = 2000;
	it = open_and_iterate(fix);
	for (uint32_t n = 0; n < BATCHES; n++) {
		const struct number_item *items;

		assert_int_equal(iterator_next(it, &batch, &fix->f), 1);
		items = batch.items;
		assert_int_equal(batch.number, n);
		assert_int_equal(batch.count, n < BATCHES - 1 ? BATCH : LENGTH % BATCH);
		for (uint32_t i = 0; i < batch.count; i++) {
			assert_int_equal(items[i].number, n * BATCH + i);
			assert_int_equal(items[i].worker, n % 3);
		}
		batch_release(&batch);
	}
	assert_int_equal(iterator_next(it, &batch, &fix->f), 0);
	iterator_close(it);
}

static void without_workers_the_same_items_come(void **state)
{
	struct fixture *fix = *state;
	uint32_t numbers[LENGTH];
	struct iterator *it;

	fix->config.workers = 0;
	it = open_and_iterate(fix);
	assert_int_equal(take(fix, it, BATCHES + 1, numbers), LENGTH);
	for (uint32_t i = 0; i < LENGTH; i++)
		assert_int_equal(numbers[i], i);
	assert_int_equal(fix->set.counts->closed, 1);
	iterator_close(it);
}

static void the_last_partial_batch_is_dropped_on_request(void **state)
{
	struct fixture *fix = *state;
	uint32_t numbers[LENGTH];
	struct iterator *it;

	fix->config.flags = LOADER_DROP_LAST;
	it = open_and_iterate(fix);
	assert_int_equal(loader_length(fix->loader), BATCHES - 1);
	assert_int_equal(take(fix, it, BATCHES + 1, numbers), LENGTH - LENGTH % BATCH);
	iterator_close(it);
}

static void shuffled(struct fixture *fix, int32_t epoch, uint32_t *numbers)
{
	struct iterator *it = iterate(fix, epoch);

	assert_int_equal(take(fix, it, BATCHES + 1, numbers), LENGTH);
	iterator_close(it);
}

static void a_shuffled_epoch_has_every_item_once(void **state)
{
	struct fixture *fix = *state;
	uint32_t numbers[LENGTH];
	char seen[LENGTH] = {0};
	int moved = 0;

	fix->config.flags = LOADER_SHUFFLE;
	open_loader(fix);
	shuffled(fix, 0, numbers);
	for (uint32_t i = 0; i < LENGTH; i++) {
		assert_true(numbers[i] < LENGTH);
		assert_false(seen[numbers[i]]);
		seen[numbers[i]] = 1;
		moved += numbers[i] != i;
	}
	assert_true(moved > LENGTH / 2);
}

static void the_order_depends_on_seed_and_epoch_alone(void **state)
{
	struct fixture *fix = *state;
	uint32_t first[LENGTH], again[LENGTH], later[LENGTH], other[LENGTH];

	fix->config.flags = LOADER_SHUFFLE;
	open_loader(fix);
	shuffled(fix, 0, first);
	shuffled(fix, 1, later);
	loader_close(fix->loader);
	fix->config.workers = 1;
	open_loader(fix);
	shuffled(fix, 0, again);
	loader_close(fix->loader);
	fix->config.seed++;
	open_loader(fix);
	shuffled(fix, 0, other);
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, later, sizeof(first));
	assert_memory_not_equal(first, other, sizeof(first));
}

/* Waits until the count stays the same for a while. */
static unsigned settled(atomic_uint *count)
{
	unsigned before, now = atomic_load(count);

	do {
		before = now;
		usleep(50000);
		now = atomic_load(count);
	} while (now != before);
	return now;
}

static void workers_load_no_more_than_prefetch_ahead(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix);
	unsigned ahead = fix->config.workers * fix->config.prefetch * BATCH;
	uint32_t numbers[LENGTH];

	assert_int_equal(settled(&fix->set.counts->loaded), ahead);
	take(fix, it, 1, numbers);
	assert_int_equal(settled(&fix->set.counts->loaded), ahead + BATCH);
	take(fix, it, 2, numbers);
	assert_int_equal(settled(&fix->set.counts->loaded), ahead + 3 * BATCH);
	iterator_close(it);
}

static void finished_batches_are_held_by_descriptors_of_their_worker(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix);
	uint32_t numbers[LENGTH];
	size_t bytes;

	take(fix, it, 1, numbers);
	settled(&fix->set.counts->loaded);
	for (unsigned i = 0; i < fix->config.workers; i++) {
		assert_int_equal(count_memory_objects(iterator_worker(it, i), &bytes),
				 fix->config.prefetch);
		assert_true(bytes >= fix->config.prefetch * BATCH * sizeof(struct number_item));
	}
	assert_int_equal(count_memory_objects(getpid(), &bytes), 0);
	take(fix, it, BATCHES, numbers);
	iterator_close(it);
}

static void at_the_end_a_worker_holds_no_batch(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix);
	uint32_t numbers[LENGTH];
	size_t bytes;

	take(fix, it, BATCHES, numbers);
	usleep(50000); /* they read the last acknowledgement */
	for (unsigned i = 0; i < fix->config.workers; i++)
		assert_int_equal(count_memory_objects(iterator_worker(it, i), &bytes), 0);
	iterator_close(it);
}

static void the_pool_outlives_its_last_batch_until_the_next_call(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix);
	uint32_t numbers[LENGTH];
	pid_t worker = iterator_worker(it, 2);
	struct batch batch;

	assert_int_equal(take(fix, it, BATCHES, numbers), LENGTH);
	assert_true(is_alive(worker));
	assert_int_equal(iterator_next(it, &batch, &fix->f), 0);
	assert_false(is_alive(worker));
	assert_int_equal(iterator_worker(it, 2), 0);
	assert_int_equal(iterator_next(it, &batch, &fix->f), 0);
	assert_int_equal(fix->set.counts->closed, 3);
	iterator_close(it);
}

static void an_iterator_can_be_closed_in_the_middle(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it;
	uint32_t numbers[LENGTH];

	fix->set.jitter_us = 2000;
	it = open_and_iterate(fix);
	take(fix, it, 2, numbers);
	iterator_close(it);
	assert_false(has_children());
	assert_true(fix->set.counts->loaded < LENGTH);
}

static void a_killed_worker_is_reported_not_waited_for(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix);
	pid_t victim = iterator_worker(it, 1);
	struct batch batch;
	int got;

	kill(victim, SIGKILL);
	while ((got = iterator_next(it, &batch, &fix->f)) == 1)
		batch_release(&batch);
	assert_int_equal(got, FAILURE_WORKER);
	assert_int_equal(fix->f.pid, victim);
	assert_int_equal(fix->f.signal, SIGKILL);
	assert_non_null(strstr(fix->f.text, "worker 1 (pid "));
	assert_non_null(strstr(fix->f.text, "killed by signal 9 (Killed)"));
	assert_false(has_children()); /* the others were ended */
	assert_int_equal(iterator_next(it, &batch, &fix->f), FAILURE_USAGE);
	iterator_close(it);
}

static void a_worker_that_exits_is_reported_with_its_status(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it;
	uint32_t numbers[LENGTH];

	fix->set.exits_at = 25;
	it = open_and_iterate(fix);
	assert_int_equal(take(fix, it, BATCHES, numbers), 20);
	assert_int_equal(fix->f.kind, FAILURE_WORKER);
	assert_non_null(strstr(fix->f.text, "ended with status 3"));
	iterator_close(it);
}

static void a_spoilt_item_is_reported_in_its_turn(void **state)
{
	struct fixture *fix = *state;

	fix->set.fails_at = 42;
	for (fix->config.workers = 0; fix->config.workers < 3; fix->config.workers += 2) {
		struct iterator *it = open_and_iterate(fix);
		uint32_t numbers[LENGTH];

		assert_int_equal(take(fix, it, BATCHES, numbers), 40);
		assert_int_equal(fix->f.kind, FAILURE_DATASET);
		assert_non_null(strstr(fix->f.text, "item 42 is spoilt"));
		iterator_close(it);
		loader_close(fix->loader);
		fix->loader = NULL;
	}
}

static void a_set_that_cannot_be_opened_is_reported_at_once(void **state)
{
	struct fixture *fix = *state;

	fix->set.open_fails = 1;
	for (fix->config.workers = 0; fix->config.workers < 3; fix->config.workers += 2) {
		struct iterator *it = NULL;

		open_loader(fix);
		assert_int_equal(loader_iterate(&it, fix->loader, LOOPMEM_STAGE_TRAIN, 0, &fix->f),
				 FAILURE_DATASET);
		assert_non_null(strstr(fix->f.text, "no numbers today"));
		assert_null(it);
		assert_false(has_children());
		loader_close(fix->loader);
		fix->loader = NULL;
	}
}

static void a_stopped_worker_does_not_hold_up_the_end_for_ever(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix);

	kill(iterator_worker(it, 0), SIGSTOP);
	iterator_close(it);
	assert_false(has_children());
}

static void persistent_workers_serve_every_epoch(void **state)
{
	struct fixture *fix = *state;
	uint32_t numbers[LENGTH];
	struct iterator *it, *again;
	pid_t worker;

	fix->config.flags = LOADER_PERSISTENT;
	it = open_and_iterate(fix);
	worker = iterator_worker(it, 0);
	assert_int_equal(take(fix, it, BATCHES + 1, numbers), LENGTH);
	iterator_close(it);
	again = iterate(fix, 1);
	assert_ptr_equal(it, again);
	assert_int_equal(iterator_worker(again, 0), worker);
	assert_int_equal(take(fix, again, BATCHES + 1, numbers), LENGTH);
	assert_int_equal(fix->set.counts->opened, 3);
}

static void other_workers_serve_one_epoch(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix), *again;

	iterator_close(it);
	again = iterate(fix, 1);
	iterator_close(again);
	assert_int_equal(fix->set.counts->opened, 6);
}

static void a_persistent_epoch_cut_short_leaves_nothing_to_the_next(void **state)
{
	struct fixture *fix = *state;
	uint32_t numbers[LENGTH], expected[LENGTH];
	struct iterator *it;

	fix->config.flags = LOADER_PERSISTENT | LOADER_SHUFFLE;
	it = open_and_iterate(fix);
	take(fix, it, BATCHES, numbers);
	it = iterate(fix, 1);
	take(fix, it, BATCHES, expected);
	it = iterate(fix, 0);
	take(fix, it, 4, numbers);
	it = iterate(fix, 1);
	assert_int_equal(take(fix, it, BATCHES, numbers), LENGTH);
	assert_memory_equal(numbers, expected, sizeof(numbers));
}

static void a_persistent_pool_that_failed_is_replaced(void **state)
{
	struct fixture *fix = *state;
	uint32_t numbers[LENGTH];
	struct iterator *it;

	fix->config.flags = LOADER_PERSISTENT;
	it = open_and_iterate(fix);
	kill(iterator_worker(it, 0), SIGKILL);
	assert_true(take(fix, it, BATCHES, numbers) < LENGTH);
	it = iterate(fix, 1);
	assert_int_equal(take(fix, it, BATCHES, numbers), LENGTH);
}

static void more_workers_than_batches_are_no_problem(void **state)
{
	struct fixture *fix = *state;
	uint32_t numbers[LENGTH];
	struct iterator *it;

	fix->config.workers = BATCHES + 4;
	it = open_and_iterate(fix);
	assert_int_equal(take(fix, it, BATCHES + 1, numbers), LENGTH);
	iterator_close(it);
}

static void a_batch_is_not_inherited_by_workers_forked_later(void **state)
{
	struct fixture *fix = *state;
	struct iterator *it = open_and_iterate(fix), *later;
	struct batch batch;
	char maps[64], line[512];
	FILE *file;

	assert_int_equal(iterator_next(it, &batch, &fix->f), 1);
	later = iterate(fix, 1);
	settled(&fix->set.counts->loaded);
	snprintf(maps, sizeof(maps), "/proc/%d/maps", (int)iterator_worker(later, 0));
	file = fopen(maps, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		assert_null(strstr(line, "/memfd:"));
	fclose(file);
	batch_release(&batch);
	iterator_close(it);
	iterator_close(later);
}

static void refuse(struct fixture *fix, const struct loader_config *config)
{
	assert_int_equal(loader_open(&fix->loader, &fix->set.dataset, config, &fix->f),
			 FAILURE_USAGE);
	assert_null(fix->loader);
}

static void nonsense_is_refused(void **state)
{
	struct fixture *fix = *state;

	refuse(fix, &(struct loader_config){.batch_size = 0, .workers = 1, .prefetch = 1});
	refuse(fix, &(struct loader_config){.batch_size = 1, .workers = 1, .prefetch = 0});
	refuse(fix, &(struct loader_config){.batch_size = 1, .workers = 1, .prefetch = 65});
	refuse(fix, &(struct loader_config){.batch_size = 1, .workers = 257, .prefetch = 1});
	refuse(fix, &(struct loader_config){.batch_size = 1, .flags = LOADER_PERSISTENT});
	fix->set.dataset.length = 0;
	refuse(fix, &(struct loader_config){.batch_size = 1});
}

#define CLAIM(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(batches_come_in_order_however_fast_the_workers_are),
		CLAIM(without_workers_the_same_items_come),
		CLAIM(the_last_partial_batch_is_dropped_on_request),
		CLAIM(a_shuffled_epoch_has_every_item_once),
		CLAIM(the_order_depends_on_seed_and_epoch_alone),
		CLAIM(workers_load_no_more_than_prefetch_ahead),
		CLAIM(finished_batches_are_held_by_descriptors_of_their_worker),
		CLAIM(at_the_end_a_worker_holds_no_batch),
		CLAIM(the_pool_outlives_its_last_batch_until_the_next_call),
		CLAIM(an_iterator_can_be_closed_in_the_middle),
		CLAIM(a_killed_worker_is_reported_not_waited_for),
		CLAIM(a_worker_that_exits_is_reported_with_its_status),
		CLAIM(a_spoilt_item_is_reported_in_its_turn),
		CLAIM(a_set_that_cannot_be_opened_is_reported_at_once),
		CLAIM(a_stopped_worker_does_not_hold_up_the_end_for_ever),
		CLAIM(persistent_workers_serve_every_epoch),
		CLAIM(other_workers_serve_one_epoch),
		CLAIM(a_persistent_epoch_cut_short_leaves_nothing_to_the_next),
		CLAIM(a_persistent_pool_that_failed_is_replaced),
		CLAIM(more_workers_than_batches_are_no_problem),
		CLAIM(a_batch_is_not_inherited_by_workers_forked_later),
		CLAIM(nonsense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
