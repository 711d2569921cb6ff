/* Claims about the job at every round, its totals, overlap, limits and what the parts add up to. */
#include "script.h"

static const struct model_round *round_at(const struct model *m, double t)
{
	return &m->rounds[model_round_at(m, script_ns(t))];
}

static void a_process_that_vanished_spoils_one_round_and_is_no_peak(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "vanished");
	script_process(&s, 2, 0, 0, 0, -1);
	for (int i = 0; i < 4; i++) {
		script_walk(&s, i, OWNER, i == 2 ? 500 : 100,
			    0); /* pages of the dying one fall to it */
		if (i < 2)
			script_walk(&s, i, 2, 50, 0);
	}
	m = script_finish(&s, 4);
	assert_int_equal(round_at(m, 1)->incomplete, 0);
	assert_int_equal(round_at(m, 2)->incomplete, 1);
	assert_int_equal(round_at(m, 3)->incomplete, 0);
	assert_mib(m->totals.peak_bytes, 150);
	model_close(m);
}

static void a_child_that_was_not_found_yet_spoils_the_round(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "unfound");
	script_process(&s, 2, 0, 0, 0.9, -1);
	script_walk(&s, 0, OWNER, 200, 0);
	script_walk(&s, 1, OWNER, 0, 100); /* halved: the other half is the child's */
	script_walk(&s, 1.5, OWNER, 0, 100);
	script_walk(&s, 1.5, 2, 0, 100);
	m = script_finish(&s, 4);
	assert_int_equal(round_at(m, 0)->incomplete, 0);
	assert_int_equal(round_at(m, 1)->incomplete, 1);
	assert_int_equal(round_at(m, 1.5)->incomplete, 0);
	model_close(m);
}

static void an_end_that_is_known_spoils_nothing(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "ended");
	script_process(&s, 2, 0, 0, 0, 1.5);
	for (int i = 0; i < 4; i++) {
		script_walk(&s, i, OWNER, 100, 0);
		if (i < 2)
			script_walk(&s, i, 2, 50, 0);
	}
	m = script_finish(&s, 4);
	for (size_t i = 0; i < m->round_count; i++)
		assert_int_equal(m->rounds[i].incomplete, 0);
	assert_mib(round_at(m, 2)->total_bytes, 100);
	model_close(m);
}

static void a_reading_that_failed_once_is_bridged(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "bridged");
	script_process(&s, 2, 0, 0, 0, -1);
	for (int i = 0; i < 4; i++) {
		script_walk(&s, i, OWNER, 100, 0);
		if (i != 2)
			script_walk(&s, i, 2, 50, 0);
	}
	m = script_finish(&s, 4);
	assert_int_equal(round_at(m, 2)->incomplete, 1);
	assert_mib(round_at(m, 2)->total_bytes, 150);
	model_close(m);
}

/* Train pool 1 with worker 2 (private 100), exhausted at 4, ends at 6; train pool 2 with worker 3 (60) from 5 on. */
static void two_train_pools(struct script *s, const char *name)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1);
	script_pool(s, 2, "train", 1, 5);
	script_process(s, 2, 1, 0, 1, 6);
	script_process(s, 3, 2, 0, 5, -1);
	script_event(s, 1, "pool-begin", 1);
	script_event(s, 2, "pool-first", 1);
	script_event(s, 4, "pool-exhausted", 1);
	script_event(s, 5, "pool-begin", 2);
	script_event(s, 6, "pool-end", 1);
	script_event(s, 7, "pool-first", 2);
	for (double t = 0; t <= 9; t += 0.5) {
		script_walk(s, t, OWNER, 40, 0);
		if (t >= 1 && t < 6)
			script_walk(s, t, 2, 100, 0);
		if (t >= 5)
			script_walk(s, t, 3, 60, 0);
	}
}

static void a_new_pool_built_before_the_old_is_dropped_is_an_overlap(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	two_train_pools(&s, "overlap");
	m = script_finish(&s, 9);
	assert_int_equal(m->totals.overlaps, 1);
	assert_s(m->totals.overlap_ns, 1);
	assert_mib(m->totals.overlap_max_bytes, 100);
	assert_mib(round_at(m, 5)->overlap_bytes, 100);
	assert_int_equal(round_at(m, 4.5)->overlap_bytes, 0);
	assert_int_equal(m->totals.pools_alive_max, 2);
	model_close(m);
}

static void an_overlap_between_two_rounds_is_not_missed(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "short");
	script_pool(&s, 1, "train", 0, 1);
	script_pool(&s, 2, "train", 1, 4.1);
	script_process(&s, 2, 1, 0, 1, 4.15);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 4, "pool-exhausted", 1);
	script_event(&s, 4.15, "pool-end", 1);
	script_event(&s, 5, "pool-first", 2);
	for (int t = 0; t < 8; t++) {
		script_walk(&s, t, OWNER, 40, 0);
		if (t >= 1 && t <= 4)
			script_walk(&s, t, 2, 100, 0);
	}
	m = script_finish(&s, 8);
	assert_int_equal(m->totals.overlaps, 1);
	assert_mib(m->totals.overlap_max_bytes, 100);
	model_close(m);
}

static void pools_of_two_stages_do_not_overlap(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "stages");
	script_pool(&s, 1, "train", 0, 1);
	script_pool(&s, 2, "validate", 0, 3);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 3, "pool-exhausted", 1);
	script_event(&s, 4, "pool-first", 2);
	for (int t = 0; t < 8; t++)
		script_walk(&s, t, OWNER, 40, 0);
	m = script_finish(&s, 8);
	assert_int_equal(m->totals.overlaps, 0);
	model_close(m);
}

static void peaks_with_and_without_idle_pools_are_of_one_instant_each(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	two_train_pools(&s, "peaks");
	m = script_finish(&s, 9);
	assert_mib(m->totals.peak_bytes, 200);              /* 40 + 100 idle + 60 at 5 s */
	assert_mib(m->totals.peak_without_idle_bytes, 140); /* 40 + 100 while it delivered */
	assert_mib(m->totals.peak_with_release_bytes, 140);
	assert_s(m->totals.peak_at_ns, 5);
	assert_mib(m->totals.idle_max_bytes, 100);
	assert_s(m->totals.idle_ns, 2);
	assert_float_equal(m->totals.idle_byte_seconds / MIB, 200, 0.1);
	assert_mib(m->totals.idle_average_bytes, 200.0 / 9);
	assert_mib(m->stages[MODEL_STAGE_TRAIN].idle_max_bytes, 100);
	assert_mib(m->stages[MODEL_STAGE_TRAIN].private_max_bytes, 160);
	model_close(m);
}

static void parked_batches_are_held_idle_and_leave_with_their_worker(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	two_train_pools(&s, "batches");
	script_parked(&s, 2, 2, 8);
	script_parked(&s, 4, 2, 12);
	m = script_finish(&s, 9);
	assert_mib(round_at(m, 3)->total_bytes, 148);
	assert_int_equal(round_at(m, 3)->parked_batch_bytes, 0); /* it is being asked */
	assert_mib(round_at(m, 4)->held_idle_bytes, 112);
	assert_mib(m->pools[0].parked_batch_max, 12);
	assert_mib(m->totals.parked_batch_max_bytes, 12);
	/* no walk told that the objects are gone, but their worker is */
	assert_mib(round_at(m, 7)->total_bytes, 100);
	model_close(m);
}

static void the_limit_is_the_cgroups_unless_the_machine_has_less(void **state)
{
	static const struct {
		double limit, expected;
		const char *source;
	} cases[] = {{512, 512, "cgroup"}, {-1, 1024, "RAM"}, {1 << 20, 1024, "RAM"}};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct script s;
		struct model *m;

		script_begin(&s, "limit");
		script_walk(&s, 0, OWNER, 40, 0);
		script_system(&s, 0, cases[i].limit, -1);
		m = script_finish(&s, 9);
		assert_mib(m->totals.limit_bytes, cases[i].expected);
		assert_string_equal(m->totals.limit_source, cases[i].source);
		model_close(m);
	}
}

static void the_cgroups_charge_is_explained_part_by_part(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "check");
	script_walk(&s, 0, OWNER, 100, 0);
	session_put_system(s.w, &(struct session_system){.limit_bytes = SESSION_NULL,
							 .current_bytes = 140 * MIB,
							 .anon_bytes = 100 * MIB,
							 .shmem_bytes = 0,
							 .file_bytes = 20 * MIB,
							 .kernel_bytes = 15 * MIB,
							 .oom_kills = 0,
							 .available_bytes = SESSION_NULL,
							 .machine_shmem_bytes = SESSION_NULL,
							 .n = 1});
	m = script_finish(&s, 1);
	assert_mib(m->reconciliation.cgroup_bytes, 140);
	assert_mib(m->reconciliation.proportional_bytes, 100);
	assert_mib(m->reconciliation.cgroup_file_bytes, 20);
	assert_mib(m->reconciliation.unexplained_bytes, 5);
	model_close(m);
}

static void a_session_without_samples_or_pools_opens(void **state)
{
	struct model_moment at;
	struct model_round bucket;
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "empty");
	m = script_leave(&s);
	assert_int_equal(m->round_count, 0);
	assert_int_equal(m->totals.peak_at_ns, MODEL_NONE);
	assert_int_equal(m->finding_count, 0);
	assert_int_equal(model_at(m, 0, &at), 0);
	model_moment_release(&at);
	model_reduce(m, 0, 10, 1, &bucket);
	assert_int_equal(bucket.t_ns, MODEL_NONE);
	model_close(m);
}

static void a_killed_run_is_told_by_its_meta_or_by_its_root(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "killed");
	script_walk(&s, 0, OWNER, 40, 0);
	session_put_int(s.w, "exit_signal", 9);
	session_put_int(s.w, "oom_killed", 1);
	m = script_leave(&s);
	assert_int_equal(m->end, MODEL_KILLED);
	assert_int_equal(m->oom_killed, 1);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_that_vanished_spoils_one_round_and_is_no_peak),
		cmocka_unit_test(a_child_that_was_not_found_yet_spoils_the_round),
		cmocka_unit_test(an_end_that_is_known_spoils_nothing),
		cmocka_unit_test(a_reading_that_failed_once_is_bridged),
		cmocka_unit_test(a_new_pool_built_before_the_old_is_dropped_is_an_overlap),
		cmocka_unit_test(an_overlap_between_two_rounds_is_not_missed),
		cmocka_unit_test(pools_of_two_stages_do_not_overlap),
		cmocka_unit_test(peaks_with_and_without_idle_pools_are_of_one_instant_each),
		cmocka_unit_test(parked_batches_are_held_idle_and_leave_with_their_worker),
		cmocka_unit_test(the_limit_is_the_cgroups_unless_the_machine_has_less),
		cmocka_unit_test(the_cgroups_charge_is_explained_part_by_part),
		cmocka_unit_test(a_session_without_samples_or_pools_opens),
		cmocka_unit_test(a_killed_run_is_told_by_its_meta_or_by_its_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
