/* Claims about the figures of processes: measured, carried forward, shared. */
#include "script.h"

static const struct model_round *round_at(const struct model *m, double t)
{
	return &m->rounds[model_round_at(m, script_ns(t))];
}

static void a_walk_is_exact_and_in_between_anonymous_growth_is_added(void **state)
{
	struct model_moment at;
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "carried");
	script_walk(&s, 0, OWNER, 100, 20);
	script_sample(&s, 1, OWNER, 150);
	script_sample(&s, 2, OWNER, 90);
	script_walk(&s, 3, OWNER, 80, 20);
	m = script_finish(&s, 4);
	assert_mib(round_at(m, 0)->total_bytes, 120);
	assert_int_equal(round_at(m, 0)->estimated, 0);
	assert_mib(round_at(m, 1)->total_bytes, 150);
	assert_int_equal(round_at(m, 1)->estimated, 1);
	assert_mib(round_at(m, 2)->total_bytes, 90);
	assert_mib(round_at(m, 3)->total_bytes, 100);
	assert_int_equal(round_at(m, 3)->estimated, 0);
	assert_int_equal(model_at(m, script_ns(1), &at), 0);
	assert_mib(at.processes[0].private_bytes, 130);
	model_moment_release(&at);
	model_close(m);
}

static void an_estimate_never_exceeds_what_is_resident(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "bounded");
	script_walk(&s, 0, OWNER, 100, 0);
	/* file pages of the walk are gone: rss is less than private + growth would say */
	session_put_rollup(s.w, &(struct session_rollup){.t_ns = 0,
							 .process = OWNER,
							 .rss_bytes = 300 * MIB,
							 .pss_bytes = 300 * MIB,
							 .pss_anon_bytes = 100 * MIB,
							 .pss_file_bytes = 200 * MIB,
							 .private_clean_bytes = 200 * MIB,
							 .private_dirty_bytes = 100 * MIB,
							 .anonymous_bytes = 100 * MIB});
	session_put_sample(s.w,
			   &(struct session_sample){script_ns(1), OWNER, 105 * MIB, 100 * MIB, 1});
	m = script_finish(&s, 2);
	assert_mib(round_at(m, 0)->total_bytes, 300);
	assert_mib(round_at(m, 1)->total_bytes, 105);
	for (size_t i = 0; i < m->round_count; i++)
		assert_true(!m->rounds[i].estimated ||
			    m->rounds[i].total_bytes <= m->rounds[i].rss_sum_bytes);
	model_close(m);
}

static void a_child_that_was_not_walked_yet_counts_no_page_of_its_parent_twice(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "unwalked");
	script_process(&s, 2, 0, 0, 1, -1);
	script_walk(&s, 0, OWNER, 600, 0);
	/* forked at 1 s: it maps the parent's 600, adds 30 of its own */
	script_sample(&s, 1, OWNER, 600);
	script_sample(&s, 1, 2, 600);
	script_sample(&s, 2, OWNER, 600);
	script_sample(&s, 2, 2, 630);
	m = script_finish(&s, 3);
	assert_mib(round_at(m, 1)->total_bytes, 600);
	assert_mib(round_at(m, 2)->total_bytes, 630);
	model_close(m);
}

static void a_child_walked_before_its_parent_takes_its_share_out_of_it(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "before");
	script_process(&s, 2, 0, 0, 1, -1);
	script_walk(&s, 0, OWNER, 600, 0);
	script_sample(&s, 2, OWNER, 600);
	script_walk(&s, 2, 2, 30, 300); /* half of the parent's pages */
	m = script_finish(&s, 3);
	assert_mib(round_at(m, 2)->total_bytes, 630);
	model_close(m);
}

static void shares_shrink_when_others_join_and_grow_when_they_leave(void **state)
{
	struct model_moment at;
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "shares");
	s.processes[OWNER].ended_ns = SESSION_NULL;
	script_process(&s, 2, 0, 0, 1, -1);
	script_process(&s, 3, 0, 0, 3, 5);
	/* two sharers of 600: 300 each; a third joins: all but process 2 are walked and have 200; it leaves again */
	script_walk(&s, 2, OWNER, 0, 300);
	script_walk(&s, 2, 2, 10, 300);
	script_walk(&s, 3, OWNER, 0, 200);
	script_sample(&s, 3, 2, 310);
	script_walk(&s, 3, 3, 5, 200);
	script_walk(&s, 6, OWNER, 0, 300);
	script_sample(&s, 6, 2, 310);
	m = script_finish(&s, 7);
	assert_mib(round_at(m, 2)->total_bytes, 610);
	assert_mib(round_at(m, 3)->total_bytes, 615);
	assert_mib(round_at(m, 6)->total_bytes, 610);
	assert_int_equal(model_at(m, script_ns(3), &at), 0);
	assert_mib(at.processes[1].proportional, 210);
	assert_mib(at.processes[1].private_bytes, 10);
	model_moment_release(&at);
	model_close(m);
}

static void a_program_of_its_own_is_carried_back_to_its_start(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "back");
	script_sample(&s, 0, OWNER, 40);
	script_walk(&s, 1, OWNER, 100, 0);
	m = script_finish(&s, 2);
	assert_mib(round_at(m, 0)->total_bytes, 40);
	assert_int_equal(round_at(m, 0)->estimated, 1);
	model_close(m);
}

static void live_heap_counts_mapped_memory_as_far_as_it_is_resident(void **state)
{
	struct model_moment at;
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "live");
	script_walk(&s, 0, OWNER, 100, 0);
	script_heap(&s, 0, OWNER, 30, 50);
	script_walk(&s, 1, OWNER, 100, 0);
	script_heap(&s, 1, OWNER, 30, 64 * 1024); /* a reserved range */
	m = script_finish(&s, 2);
	assert_int_equal(model_at(m, 0, &at), 0);
	assert_mib(at.processes[0].live_heap, 80);
	assert_mib(at.composition.live_heap, 80);
	assert_mib(at.composition.allocator, 20);
	model_moment_release(&at);
	assert_int_equal(model_at(m, script_ns(1), &at), 0);
	assert_mib(at.processes[0].live_heap, 100);
	model_moment_release(&at);
	model_close(m);
}

static void without_the_shim_nothing_is_called_allocator_retention(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "bare");
	s.processes[OWNER].instrumented = 0;
	session_put_process(s.w, &s.processes[OWNER]);
	script_walk(&s, 0, OWNER, 100, 0);
	m = script_finish(&s, 2);
	assert_int_equal(m->peak.allocator, 0);
	assert_mib(m->peak.other, 100);
	model_close(m);
}

static void a_thinned_sample_anchors_a_walk_and_makes_no_round(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "anchor");
	script_walk(&s, 0, OWNER, 100, 0);
	script_walk(&s, 1, OWNER, 200, 0);
	session_put_sample(s.w,
			   &(struct session_sample){script_ns(1), OWNER, 210 * MIB, 190 * MIB, 0});
	script_sample(&s, 2, OWNER, 220);
	m = script_finish(&s, 3);
	assert_int_equal(m->round_count, 2);
	assert_mib(round_at(m, 2)->total_bytes, 230); /* 200 + 220 - 190 */
	model_close(m);
}

static void a_worker_that_was_not_walked_copied_what_its_relatives_had_at_its_age(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "copied");
	script_pool(&s, 1, "train", 0, 1);
	script_process(&s, 2, 1, 0, 1, -1);
	script_process(&s, 3, 1, 1, 1, -1);
	script_walk(&s, 1, OWNER, 0, 200);
	script_walk(&s, 1, 2, 0, 200);
	script_sample(&s, 1, 3, 200);
	/* the walked one added 30 of its own and copied 24 of 200: statm saw 230 */
	script_sample(&s, 3, OWNER, 200);
	script_walk(&s, 3, 2, 54, 176);
	script_sample(&s, 3, 3, 230);
	script_sample(&s, 4, OWNER, 200);
	script_sample(&s, 4, 2, 230);
	script_sample(&s, 4, 3, 230);
	m = script_finish(&s, 5);
	assert_mib(m->processes[1].private_max, 54);
	assert_mib(m->processes[2].private_max, 54);
	assert_mib(m->processes[2].unshared_max, 24);
	model_close(m);
}

static void relatives_of_another_kind_or_younger_tell_nothing(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "others");
	script_pool(&s, 1, "train", 0, 1);
	script_pool(&s, 2, "validate", 0, 1);
	script_process(&s, 2, 1, 0, 1, -1);
	script_process(&s, 3, 2, 0, 1, -1);
	script_process(&s, 4, 1, 1, 3.5, -1);
	script_walk(&s, 1, OWNER, 0, 200);
	script_sample(&s, 1, 2, 200);
	script_sample(&s, 1, 3, 200);
	script_walk(&s, 4, 2, 24, 176); /* at the age of 3 s */
	script_sample(&s, 4, OWNER, 200);
	script_sample(&s, 4, 3, 200);
	script_sample(&s, 4, 4, 200); /* half a second old */
	m = script_finish(&s, 5);
	assert_mib(m->processes[2].private_max, 0);
	assert_mib(m->processes[3].private_max, 0);
	model_close(m);
}

static void file_pages_are_not_handed_on_by_a_fork(void **state)
{
	struct session_rollup walk = {.process = OWNER,
				      .rss_bytes = 190 * MIB,
				      .pss_bytes = 130 * MIB,
				      .pss_anon_bytes = 100 * MIB,
				      .pss_file_bytes = 30 * MIB,
				      .shared_clean_bytes = 90 * MIB,
				      .private_dirty_bytes = 100 * MIB,
				      .anonymous_bytes = 100 * MIB};
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "files");
	script_process(&s, 2, 0, 0, 1, 3);
	script_walk(&s, 0, OWNER, 100, 0);
	session_put_rollup(s.w, &walk);
	session_put_sample(s.w, &(struct session_sample){0, OWNER, 190 * MIB, 100 * MIB, 1});
	for (int t = 1; t < 5; t++) {
		session_put_sample(s.w, &(struct session_sample){script_ns(t), OWNER, 190 * MIB,
								 100 * MIB, 1});
		if (t < 3)
			session_put_sample(s.w, &(struct session_sample){script_ns(t), 2, 105 * MIB,
									 100 * MIB, 1});
	}
	m = script_finish(&s, 5);
	for (size_t i = 0; i < m->round_count; i++)
		assert_mib(m->rounds[i].total_bytes, 130);
	model_close(m);
}

static void live_heap_grows_with_the_process_between_two_counts(void **state)
{
	struct model_moment at;
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "counts");
	script_walk(&s, 0, OWNER, 100, 0);
	script_heap(&s, 0, OWNER, 90, 0);
	script_walk(&s, 1, OWNER, 160, 0);
	script_walk(&s, 2, OWNER, 60, 0);
	m = script_finish(&s, 3);
	assert_int_equal(model_at(m, script_ns(1), &at), 0);
	assert_mib(at.composition.live_heap, 150);
	assert_mib(at.composition.allocator, 10); /* as it was when counted */
	model_moment_release(&at);
	assert_int_equal(model_at(m, script_ns(2), &at), 0);
	assert_mib(at.composition.live_heap, 50);
	model_moment_release(&at);
	model_close(m);
}

static void a_heap_shared_out_among_children_is_live_heap_all_the_same(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "shared_heap");
	script_process(&s, 2, 0, 0, 0, -1);
	script_walk(&s, 0, OWNER, 0, 100);
	script_walk(&s, 0, 2, 5, 100);
	script_heap(&s, 0, OWNER, 180, 0);
	script_heap(&s, 0, 2, 4, 0);
	m = script_finish(&s, 1);
	assert_mib(m->peak.total, 205);
	assert_mib(m->peak.live_heap, 184);
	assert_mib(m->peak.allocator, 1);
	assert_mib(m->peak.other, 20);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_walk_is_exact_and_in_between_anonymous_growth_is_added),
		cmocka_unit_test(an_estimate_never_exceeds_what_is_resident),
		cmocka_unit_test(
			a_child_that_was_not_walked_yet_counts_no_page_of_its_parent_twice),
		cmocka_unit_test(a_child_walked_before_its_parent_takes_its_share_out_of_it),
		cmocka_unit_test(shares_shrink_when_others_join_and_grow_when_they_leave),
		cmocka_unit_test(a_program_of_its_own_is_carried_back_to_its_start),
		cmocka_unit_test(live_heap_counts_mapped_memory_as_far_as_it_is_resident),
		cmocka_unit_test(without_the_shim_nothing_is_called_allocator_retention),
		cmocka_unit_test(a_thinned_sample_anchors_a_walk_and_makes_no_round),
		cmocka_unit_test(
			a_worker_that_was_not_walked_copied_what_its_relatives_had_at_its_age),
		cmocka_unit_test(relatives_of_another_kind_or_younger_tell_nothing),
		cmocka_unit_test(file_pages_are_not_handed_on_by_a_fork),
		cmocka_unit_test(live_heap_grows_with_the_process_between_two_counts),
		cmocka_unit_test(a_heap_shared_out_among_children_is_live_heap_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
