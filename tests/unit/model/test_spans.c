/* Claims about the states of a pool over its life. */
#include "script.h"

/* Owner and one worker of pool 1, sampled every half second from 0 to `until`. */
static void sample_both(struct script *s, double until)
{
	for (double t = 0; t <= until; t += 0.5) {
		script_walk(s, t, OWNER, 100, 0);
		if (t >= 1)
			script_walk(s, t, 2, 50, 0);
	}
}

static struct script *begin(struct script *s, const char *name, const char *stage)
{
	script_begin(s, name);
	script_pool(s, 1, stage, 0, 1);
	script_process(s, 2, 1, 0, 1, -1);
	script_event(s, 1, "pool-begin", 1);
	script_event(s, 1.5, "pool-deliver", 1);
	script_event(s, 2, "pool-first", 1);
	return s;
}

static void assert_spans(const struct model_pool *pool, const enum model_state *states,
			 const double *starts, size_t count)
{
	assert_int_equal(pool->span_count, count);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(model_state_name(pool->spans[i].state),
				    model_state_name(states[i]));
		assert_s(pool->spans[i].start_ns, starts[i]);
		if (i + 1 < count)
			assert_int_equal(pool->spans[i].end_ns, pool->spans[i + 1].start_ns);
	}
}

#define SPANS(pool, states, starts) \
	assert_spans(pool, states, starts, sizeof(states) / sizeof(states[0]))

static void a_sanity_pool_cut_at_its_limit_is_held_idle(void **state)
{
	const enum model_state states[] = {MODEL_STARTING, MODEL_DELIVERING, MODEL_EXHAUSTED};
	const double starts[] = {1, 2, 3};
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "sanity", "sanity");
	s.pools[1].expected_batches = 2;
	script_event(&s, 3, "pool-exhausted", 1);
	sample_both(&s, 10);
	script_event(&s, 8, "pool-end", 1);
	script_end_process(&s, 2, 8, 0, 0);
	m = script_finish(&s, 10);
	SPANS(&m->pools[0], states, starts);
	assert_s(m->pools[0].idle_ns, 5);
	assert_mib(m->pools[0].idle_max_bytes, 50);
	assert_float_equal(m->pools[0].idle_byte_seconds / MIB, 250, 1);
	model_close(m);
}

static void a_limit_that_was_met_is_an_end_though_no_edge_tells_it(void **state)
{
	const enum model_state states[] = {MODEL_STARTING, MODEL_DELIVERING, MODEL_EXHAUSTED};
	const double starts[] = {1, 2, 3};
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "counted");
	script_pool(&s, 1, "sanity", -1, 1);
	script_process(&s, 2, 1, 0, 1, 8);
	s.pools[1].first_batch_ns = script_ns(2);
	s.pools[1].last_batch_ns = script_ns(3);
	s.pools[1].end_ns = script_ns(8);
	s.pools[1].batches = s.pools[1].expected_batches = 2;
	script_put_pools(&s);
	sample_both(&s, 10);
	m = script_finish(&s, 10);
	SPANS(&m->pools[0], states, starts);
	assert_int_equal(m->pools[0].spans[2].hindsight, 0);
	model_close(m);
}

static void the_pool_table_alone_gives_spans(void **state)
{
	const enum model_state states[] = {MODEL_STARTING, MODEL_DELIVERING, MODEL_EXHAUSTED};
	const double starts[] = {1, 2, 4};
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "table");
	script_pool(&s, 1, "train", 0, 1);
	script_process(&s, 2, 1, 0, 1, 8);
	s.pools[1].first_batch_ns = script_ns(2);
	s.pools[1].exhausted_ns = script_ns(4);
	s.pools[1].end_ns = script_ns(8);
	script_put_pools(&s);
	sample_both(&s, 10);
	m = script_finish(&s, 10);
	SPANS(&m->pools[0], states, starts);
	assert_int_equal(model_pool_state(&m->pools[0], script_ns(0.5)), MODEL_LATER);
	assert_int_equal(model_pool_state(&m->pools[0], script_ns(1)), MODEL_STARTING);
	assert_int_equal(model_pool_state(&m->pools[0], script_ns(7.9)), MODEL_EXHAUSTED);
	assert_int_equal(model_pool_state(&m->pools[0], script_ns(8)), MODEL_ENDED);
	model_close(m);
}

static void validation_in_mid_epoch_parks_the_train_pool_and_holds_nothing(void **state)
{
	const enum model_state states[] = {MODEL_STARTING, MODEL_DELIVERING, MODEL_PARKED,
					   MODEL_DELIVERING};
	const double starts[] = {1, 2, 3, 6};
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "parked", "train");
	script_event(&s, 3, "pool-park", 1);
	script_event(&s, 6, "pool-deliver", 1);
	s.pools[1].last_batch_ns = script_ns(7);
	sample_both(&s, 10);
	script_event(&s, 8, "pool-end", 1);
	script_end_process(&s, 2, 8, 0, 0);
	m = script_finish(&s, 10);
	SPANS(&m->pools[0], states, starts);
	assert_int_equal(m->totals.idle_max_bytes, 0);
	assert_mib(m->rounds[model_round_at(m, script_ns(4))].parked_bytes, 50);
	model_close(m);
}

static void a_pool_that_is_never_asked_again_was_idle_in_hindsight(void **state)
{
	const struct model_round *round;
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "hindsight", "train");
	script_event(&s, 3, "pool-park", 1);
	sample_both(&s, 10);
	script_event(&s, 8, "pool-end", 1);
	script_end_process(&s, 2, 8, 0, 0);
	m = script_finish(&s, 10);
	assert_int_equal(m->pools[0].spans[2].state, MODEL_EXHAUSTED);
	assert_int_equal(m->pools[0].spans[2].hindsight, 1);
	assert_s(m->pools[0].idle_ns, 5);
	round = &m->rounds[model_round_at(m, script_ns(4))];
	assert_mib(round->held_idle_bytes, 50);
	/* the hook could not have known: the command would not have ended it */
	assert_int_equal(round->held_idle_releasable_bytes, 0);
	model_close(m);
}

static void hindsight_waits_until_the_pool_or_the_run_is_over(void **state)
{
	struct script s;
	struct model *m;
	struct error e;

	(void)state;
	begin(&s, "running", "train");
	script_event(&s, 3, "pool-park", 1);
	sample_both(&s, 10);
	m = script_leave(&s);
	assert_int_equal(m->end, MODEL_RUNNING);
	assert_int_equal(m->pools[0].spans[2].state, MODEL_PARKED);
	assert_int_equal(m->totals.idle_max_bytes, 0);
	assert_int_equal(model_abandon(m, &e), 0);
	assert_int_equal(m->end, MODEL_UNKNOWN_END);
	assert_int_equal(m->pools[0].spans[2].state, MODEL_EXHAUSTED);
	assert_mib(m->totals.idle_max_bytes, 50);
	assert_mib(m->rounds[model_round_at(m, script_ns(4))].held_idle_bytes, 50);
	model_close(m);
}

static void a_question_without_an_answer_does_not_end_hindsight(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "asked", "train");
	script_event(&s, 3, "pool-park", 1);
	script_event(&s, 7.9, "pool-deliver", 1); /* StopIteration came of it */
	sample_both(&s, 10);
	script_event(&s, 8, "pool-end", 1);
	script_end_process(&s, 2, 8, 0, 0);
	m = script_finish(&s, 10);
	assert_int_equal(m->pools[0].spans[2].state, MODEL_EXHAUSTED);
	assert_int_equal(m->pools[0].spans[2].hindsight, 1);
	model_close(m);
}

static void a_pool_shut_down_at_its_end_holds_nothing(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "shutdown", "train");
	script_event(&s, 5, "pool-exhausted", 1);
	sample_both(&s, 5.5); /* a round between the last batch and the end */
	script_event(&s, 5.7, "pool-end", 1);
	script_end_process(&s, 2, 5.7, 0, 0);
	script_walk(&s, 6, OWNER, 100, 0);
	m = script_finish(&s, 10);
	assert_int_equal(m->totals.idle_max_bytes, 0);
	assert_int_equal(m->totals.idle_ns, 0);
	assert_mib(m->rounds[model_round_at(m, script_ns(5.5))].delivering_bytes, 50);
	assert_s(m->pools[0].exhausted_ns, 5);
	model_close(m);
}

static void a_short_idle_time_counts_when_the_owner_turned_to_another_pool(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "turned", "train");
	script_event(&s, 5, "pool-exhausted", 1);
	script_pool(&s, 2, "train", 1, 5.2);
	sample_both(&s, 5.5);
	script_event(&s, 5.7, "pool-end", 1);
	script_end_process(&s, 2, 5.7, 0, 0);
	script_walk(&s, 6, OWNER, 100, 0);
	script_event(&s, 6.5, "pool-end", 2);
	m = script_finish(&s, 10);
	assert_mib(m->totals.idle_max_bytes, 50);
	assert_s(m->pools[0].idle_ns, 0.7);
	model_close(m);
}

static void a_released_pool_holds_nothing_however_slow_its_workers_leave(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "released", "train");
	script_event(&s, 3, "pool-exhausted", 1);
	script_event(&s, 7, "release", 1);
	sample_both(&s, 7);
	script_event(&s, 7, "pool-end", 1);
	script_end_process(&s, 2, 7.2, 0, 0);
	m = script_finish(&s, 10);
	assert_int_equal(m->totals.idle_max_bytes, 0);
	assert_int_equal(m->pools[0].released, 1);
	assert_int_equal(m->totals.released_pools, 1);
	assert_mib(m->totals.released_max_bytes, 50);
	model_close(m);
}

static void a_persistent_pool_is_idle_between_its_uses(void **state)
{
	const enum model_state states[] = {MODEL_STARTING, MODEL_DELIVERING, MODEL_EXHAUSTED,
					   MODEL_DELIVERING, MODEL_EXHAUSTED};
	const double starts[] = {1, 2, 3, 5, 8};
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "persistent", "train");
	s.pools[1].persistent = 1;
	script_event(&s, 3, "pool-exhausted", 1);
	script_event(&s, 5, "pool-reuse", 1);
	script_event(&s, 5.1, "pool-first", 1);
	script_event(&s, 8, "pool-exhausted", 1);
	sample_both(&s, 10);
	script_event(&s, 10, "pool-end", 1);
	script_end_process(&s, 2, 10, 0, 0);
	m = script_finish(&s, 11);
	SPANS(&m->pools[0], states, starts);
	assert_s(m->pools[0].idle_ns, 4);
	assert_int_equal(m->pools[0].releasable, 0);
	assert_int_equal(m->totals.peak_with_release_bytes, m->totals.peak_bytes);
	model_close(m);
}

static void a_pool_ends_with_its_owner(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "orphan", "train");
	sample_both(&s, 6);
	script_end_process(&s, OWNER, 6, 0, 9);
	for (double t = 6.5; t < 9; t += 0.5)
		script_walk(&s, t, 2, 50, 0);
	m = script_leave(&s);
	assert_int_equal(m->end, MODEL_KILLED);
	assert_int_equal(m->exit_signal, 9);
	assert_s(m->pools[0].spans[m->pools[0].span_count - 1].end_ns, 6);
	assert_int_equal(m->processes[1].orphan, 1);
	/* its worker is still counted */
	assert_mib(m->rounds[m->round_count - 1].total_bytes, 50);
	assert_mib(m->rounds[m->round_count - 1].owner_bytes, 50);
	model_close(m);
}

static void a_pool_without_workers_holds_its_parked_batches_only(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "none");
	script_pool(&s, 1, "train", 0, 1)->workers = 0;
	s.pools[1].start_method = "none";
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 3, "pool-exhausted", 1);
	for (double t = 0; t < 8; t += 0.5)
		script_walk(&s, t, OWNER, 100, 0);
	m = script_finish(&s, 8);
	assert_int_equal(m->totals.idle_max_bytes, 0);
	assert_int_equal(m->totals.idle_ns, 0);
	assert_int_equal(m->pools[0].releasable, 0);
	model_close(m);
}

static void threads_of_the_owner_are_no_workers_memory(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "threads");
	script_pool(&s, 1, "train", 0, 1)->start_method = "thread";
	session_put_pool_worker(s.w, &(struct session_pool_worker){1, OWNER, 0});
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 3, "pool-exhausted", 1);
	for (double t = 0; t < 8; t += 0.5)
		script_walk(&s, t, OWNER, 100, 0);
	m = script_finish(&s, 8);
	assert_int_equal(m->pools[0].member_count, 0);
	assert_int_equal(m->totals.idle_max_bytes, 0);
	assert_mib(m->rounds[4].owner_bytes, 100);
	model_close(m);
}

static void a_pool_knows_whose_loop_asks_it(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "framework");
	for (int64_t i = 1; i <= 3; i++)
		script_pool(&s, i, "train", i - 1, (double)i);
	script_birth(&s, 1, 1, "lightning 2.6.1");
	script_birth(&s, 2, 2, "keras");
	script_birth(&s, 3, 3, NULL);
	script_put_pools(&s);
	m = script_finish(&s, 10);
	assert_string_equal(m->pools[0].framework, "lightning");
	assert_string_equal(m->pools[0].framework_version, "2.6.1");
	assert_string_equal(m->pools[1].framework, "keras");
	assert_string_equal(m->pools[1].framework_version, "");
	assert_string_equal(m->pools[2].framework, "");
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sanity_pool_cut_at_its_limit_is_held_idle),
		cmocka_unit_test(a_limit_that_was_met_is_an_end_though_no_edge_tells_it),
		cmocka_unit_test(the_pool_table_alone_gives_spans),
		cmocka_unit_test(validation_in_mid_epoch_parks_the_train_pool_and_holds_nothing),
		cmocka_unit_test(a_pool_that_is_never_asked_again_was_idle_in_hindsight),
		cmocka_unit_test(hindsight_waits_until_the_pool_or_the_run_is_over),
		cmocka_unit_test(a_question_without_an_answer_does_not_end_hindsight),
		cmocka_unit_test(a_pool_shut_down_at_its_end_holds_nothing),
		cmocka_unit_test(a_short_idle_time_counts_when_the_owner_turned_to_another_pool),
		cmocka_unit_test(a_released_pool_holds_nothing_however_slow_its_workers_leave),
		cmocka_unit_test(a_persistent_pool_is_idle_between_its_uses),
		cmocka_unit_test(a_pool_ends_with_its_owner),
		cmocka_unit_test(a_pool_without_workers_holds_its_parked_batches_only),
		cmocka_unit_test(threads_of_the_owner_are_no_workers_memory),
		cmocka_unit_test(a_pool_knows_whose_loop_asks_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
