/* Claims about profiler/collect/shm_table.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/collect/shm_table.h"

static const struct shm_holder owner = {.process = 1, .born_ns = 10, .is_owner = 1};
static const struct shm_holder train = {.process = 2, .born_ns = 20, .is_worker = 1};
static const struct shm_holder val = {.process = 3, .born_ns = 30, .is_worker = 1};

struct result {
	int count;
	struct shm_sum sums[8];
};

static void take(const struct shm_sum *sum, void *arg)
{
	struct result *result = arg;

	assert_in_range(result->count, 0, 7);
	result->sums[result->count++] = *sum;
}

static void held(struct shm_table *t, uint64_t inode, const struct shm_holder *who)
{
	const struct shm_sighting what = {.device = 1, .inode = inode, .bytes = 100, .creator = -1};

	assert_int_equal(shm_walk_see(t, &what, who), 0);
}

static void mapped(struct shm_table *t, uint64_t inode, const struct shm_holder *who)
{
	const struct shm_sighting what = {
		.device = 1, .inode = inode, .bytes = -1, .creator = -1, .mapped = 1};

	assert_int_equal(shm_walk_see(t, &what, who), 0);
}

static struct result end(struct shm_table *t)
{
	struct result result = {0};

	shm_walk_end(t, take, &result);
	return result;
}

static void a_batch_waiting_in_its_worker_is_parked_and_in_no_pss(void **state)
{
	struct shm_table t = {0};
	struct result r;

	(void)state;
	shm_walk_begin(&t);
	held(&t, 7, &train);
	held(&t, 8, &train);
	r = end(&t);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.sums[0].creator, train.process);
	assert_int_equal(r.sums[0].class_id, SHM_PARKED);
	assert_int_equal(r.sums[0].objects, 2);
	assert_int_equal(r.sums[0].bytes, 200);
	assert_int_equal(r.sums[0].unmapped_bytes, 200);
	shm_table_release(&t);
}

static void many_holders_count_a_batch_once(void **state)
{
	struct shm_table t = {0};
	struct result r;

	(void)state;
	shm_walk_begin(&t);
	held(&t, 7, &val);
	held(&t, 7, &owner);
	held(&t, 7, &train);
	mapped(&t, 7, &owner);
	r = end(&t);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.sums[0].bytes, 100);
	assert_int_equal(r.sums[0].unmapped_bytes, 0);
	assert_int_equal(r.sums[0].class_id, SHM_IN_USE);
	/* the oldest worker made it: the others inherited or received it */
	assert_int_equal(r.sums[0].creator, train.process);
	shm_table_release(&t);
}

static void an_owner_that_maps_without_a_descriptor_uses_it(void **state)
{
	struct shm_table t = {0};
	struct result r;

	(void)state;
	shm_walk_begin(&t);
	held(&t, 7, &train);
	mapped(&t, 7, &owner);
	r = end(&t);
	assert_int_equal(r.sums[0].class_id, SHM_IN_USE);
	assert_int_equal(r.sums[0].unmapped_bytes, 0);
	assert_int_equal(r.sums[0].creator, train.process);
	shm_table_release(&t);
}

static void a_batch_that_only_a_later_pool_holds_is_a_hostage(void **state)
{
	struct shm_table t = {0};
	struct result r;

	(void)state;
	shm_walk_begin(&t);
	held(&t, 7, &train);
	held(&t, 7, &owner);
	end(&t);
	shm_walk_begin(&t); /* train pool and owner have let go of it */
	held(&t, 7, &val);
	r = end(&t);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.sums[0].class_id, SHM_HOSTAGE);
	assert_int_equal(r.sums[0].creator, train.process);
	shm_table_release(&t);
}

static void the_creator_in_the_name_is_believed(void **state)
{
	const struct shm_sighting named = {.device = 1, .inode = 7, .bytes = 100, .creator = 2};
	struct shm_table t = {0};
	struct result r;

	(void)state;
	shm_walk_begin(&t);
	assert_int_equal(shm_walk_see(&t, &named, &val), 0);
	r = end(&t);
	assert_int_equal(r.sums[0].creator, 2);
	assert_int_equal(r.sums[0].class_id, SHM_HOSTAGE);
	shm_table_release(&t);
}

static void a_name_alone_is_parked(void **state)
{
	const struct shm_sighting named = {.device = 1, .inode = 7, .bytes = 100, .creator = 2};
	struct shm_table t = {0};
	struct result r;

	(void)state;
	shm_walk_begin(&t);
	assert_int_equal(shm_walk_see_name(&t, &named), 0);
	r = end(&t);
	assert_int_equal(r.sums[0].class_id, SHM_PARKED);
	assert_int_equal(r.sums[0].unmapped_bytes, 100);
	shm_table_release(&t);
}

static void what_is_not_seen_again_is_forgotten(void **state)
{
	struct shm_table t = {0};
	struct result r;

	(void)state;
	shm_walk_begin(&t);
	for (uint64_t i = 0; i < 1000; i++)
		held(&t, i, &train);
	assert_int_equal(end(&t).sums[0].objects, 1000);
	shm_walk_begin(&t);
	held(&t, 5, &train);
	r = end(&t);
	assert_int_equal(r.count, 1);
	assert_int_equal(r.sums[0].objects, 1);
	assert_int_equal(t.count, 1);
	shm_table_release(&t);
}

static void a_mapping_of_an_unknown_object_is_not_counted(void **state)
{
	struct shm_table t = {0};

	(void)state;
	shm_walk_begin(&t);
	mapped(&t, 7, &owner);
	assert_int_equal(end(&t).count, 0);
	shm_table_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_batch_waiting_in_its_worker_is_parked_and_in_no_pss),
		cmocka_unit_test(many_holders_count_a_batch_once),
		cmocka_unit_test(an_owner_that_maps_without_a_descriptor_uses_it),
		cmocka_unit_test(a_batch_that_only_a_later_pool_holds_is_a_hostage),
		cmocka_unit_test(the_creator_in_the_name_is_believed),
		cmocka_unit_test(a_name_alone_is_parked),
		cmocka_unit_test(what_is_not_seen_again_is_forgotten),
		cmocka_unit_test(a_mapping_of_an_unknown_object_is_not_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
