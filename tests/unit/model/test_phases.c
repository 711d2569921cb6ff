/* Claims about phases: what the owner was doing, named by itself or by the pool it takes batches from. */
#include "script.h"

static void assert_phase(const struct model *m, size_t i, const char *name, double start,
			 double end)
{
	assert_true(i < m->phase_count);
	assert_string_equal(m->phases[i].name, name);
	assert_s(m->phases[i].start_ns, start);
	assert_s(m->phases[i].end_ns, end);
}

static void sample(struct script *s, double until)
{
	for (double t = 0; t <= until; t += 1)
		script_walk(s, t, OWNER, 100 + t, 0);
}

static void phases_follow_the_pool_that_delivers(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "follow");
	script_pool(&s, 1, "train", 0, 1);
	script_pool(&s, 2, "validate", 0, 5)->stall_ns = script_ns(1.5);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 4, "pool-exhausted", 1);
	script_event(&s, 6, "pool-first", 2);
	script_event(&s, 8, "pool-exhausted", 2);
	sample(&s, 9);
	m = script_finish(&s, 10);
	assert_int_equal(m->phase_count, 4);
	assert_phase(m, 0, "train e0", 2, 4);
	assert_phase(m, 1, "between", 4, 6);
	assert_phase(m, 2, "validate e0", 6, 8);
	assert_phase(m, 3, "between", 8, 10);
	assert_mib(m->phases[0].peak_bytes, 103);
	assert_mib(m->phases[2].peak_bytes, 107);
	assert_s(m->phases[2].stall_ns, 1);
	model_close(m);
}

static void the_second_loader_of_a_stage_is_the_same_phase(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "second");
	script_pool(&s, 1, "validate", 0, 1);
	script_pool(&s, 2, "validate", 0, 5);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 4, "pool-exhausted", 1);
	script_event(&s, 6, "pool-first", 2);
	script_event(&s, 8, "pool-exhausted", 2);
	sample(&s, 9);
	m = script_finish(&s, 12);
	assert_phase(m, 0, "validate e0", 2, 8);
	model_close(m);
}

static void validation_inside_an_epoch_parts_it(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "inside");
	script_pool(&s, 1, "train", 0, 1);
	script_pool(&s, 2, "validate", 0, 4);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 4, "pool-park", 1);
	script_event(&s, 4, "pool-first", 2);
	script_event(&s, 6, "pool-exhausted", 2);
	script_event(&s, 6, "pool-end", 2);
	script_event(&s, 6, "pool-deliver", 1);
	s.pools[1].last_batch_ns = script_ns(8);
	script_event(&s, 8, "pool-end", 1);
	sample(&s, 9);
	m = script_finish(&s, 9);
	assert_phase(m, 0, "train e0", 2, 4);
	assert_phase(m, 1, "validate e0", 4, 6);
	assert_phase(m, 2, "train e0", 6, 8);
	model_close(m);
}

static void named_phases_nest_and_rule_over_pools(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "named");
	script_pool(&s, 1, "other", -1, 1);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 8, "pool-end", 1);
	script_phase(&s, 1, MODEL_STAGE_TRAIN, 3, NULL);
	script_phase(&s, 4, MODEL_STAGE_OTHER, -1, "warmup");
	script_phase_end(&s, 5);
	script_phase_end(&s, 7);
	script_phase_end(&s, 7.5); /* one too many */
	sample(&s, 9);
	m = script_finish(&s, 9);
	assert_phase(m, 0, "train e3", 1, 4);
	assert_phase(m, 1, "warmup", 4, 5);
	assert_phase(m, 2, "train e3", 5, 7);
	assert_phase(m, 3, "loader #1", 7, 8);
	model_close(m);
}

static void loops_without_an_epoch_stay_apart(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "plain");
	script_pool(&s, 1, "train", -1, 1);
	script_pool(&s, 2, "train", -1, 4);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 4, "pool-end", 1);
	script_event(&s, 4, "pool-first", 2);
	script_event(&s, 6, "pool-end", 2);
	sample(&s, 7);
	m = script_finish(&s, 7);
	assert_phase(m, 0, "train", 2, 4);
	assert_phase(m, 1, "train", 4, 6);
	model_close(m);
}

static void a_loader_within_a_worker_is_no_phase_of_the_run(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "nested");
	script_pool(&s, 1, "train", 0, 1);
	script_process(&s, 2, 1, 0, 1, 8);
	script_pool(&s, 2, "validate", 0, 1.5)->owner = 2;
	script_event(&s, 2, "pool-first",
		     2); /* before the first batch of the pool that it works for */
	script_event(&s, 3, "pool-first", 1);
	script_event(&s, 4, "pool-exhausted", 2);
	script_event(&s, 6, "pool-exhausted", 1);
	sample(&s, 9);
	m = script_finish(&s, 10);
	assert_int_equal(m->phase_count, 2);
	assert_phase(m, 0, "train e0", 3, 6);
	assert_phase(m, 1, "between", 6, 10);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_follow_the_pool_that_delivers),
		cmocka_unit_test(the_second_loader_of_a_stage_is_the_same_phase),
		cmocka_unit_test(validation_inside_an_epoch_parts_it),
		cmocka_unit_test(named_phases_nest_and_rule_over_pools),
		cmocka_unit_test(loops_without_an_epoch_stay_apart),
		cmocka_unit_test(a_loader_within_a_worker_is_no_phase_of_the_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
