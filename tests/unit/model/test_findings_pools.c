/* Claims about findings on how pools follow each other, what their workers copy, and how processes end. */
#include "script.h"

#include <signal.h>

/* Train pools of 5 s, one worker of 100 MiB each; a pool lives on for `kept` seconds after its last batch, at 4 s of its life. */
static struct model *epochs_of(struct script *s, const char *name, int count, double kept,
			       int persistent)
{
	script_begin(s, name);
	for (int e = 0; e < count; e++) {
		double begin = 1 + 5.0 * e, end = begin + 4 + kept;

		script_pool(s, e + 1, "train", e, begin)->persistent = persistent;
		script_process(s, 2 + e, e + 1, 0, begin, end);
		script_event(s, begin + 0.5, "pool-first", e + 1);
		script_event(s, begin + 4, "pool-exhausted", e + 1);
		script_event(s, end, "pool-end", e + 1);
		for (double t = begin; t < end; t += 0.5)
			script_walk(s, t, 2 + e, 100, 0);
	}
	for (double t = 0; t < 5.0 * count + kept + 2; t += 0.5)
		script_walk(s, t, OWNER, 50, 0);
	return script_finish(s, 5.0 * count + kept + 2);
}

static struct model *epochs(struct script *s, const char *name, int count, double kept)
{
	return epochs_of(s, name, count, kept, 0);
}

static void a_pool_built_before_the_old_is_dropped_is_an_overlap(void **state)
{
	struct script s;
	struct model *m = epochs(&s, "overlap", 3, 2);
	const struct model_finding *f = script_finding(m, "pool-overlap");

	(void)state;
	assert_non_null(f);
	assert_mib(f->bytes, 100);
	assert_int_equal(f->evidence[1].value, 2);
	assert_float_equal(f->evidence[2].value, 2.0,
			   0.01); /* twice from 5 to 6 s of a pool's life */
	assert_true(f->severity < MODEL_ERROR);
	assert_int_equal(f->release_too, 1);
	model_close(m);
}

static void a_switch_that_would_end_none_of_the_pools_is_not_advised(void **state)
{
	struct script s;
	struct model *m = epochs_of(&s, "overlap-persistent", 3, 2, 1);
	const struct model_finding *f = script_finding(m, "pool-overlap");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->release_too, 0);
	model_close(m);
}

/* Two pools of no known stage, the second built a second before the first is dropped. */
static struct model *two_others(struct script *s, const char *name, const char *label)
{
	script_begin(s, name);
	for (int i = 0; i < 2; i++) {
		struct session_pool *pool = script_pool(s, i + 1, "other", i, 1 + 4.0 * i);

		pool->label = i ? label : "table";
		pool->origin = "train.py:7";
		script_process(s, 2 + i, i + 1, 0, 1 + 4.0 * i, 6 + 4.0 * i);
		script_event(s, 1.5 + 4.0 * i, "pool-first", i + 1);
		script_event(s, 4 + 4.0 * i, "pool-exhausted", i + 1);
		script_event(s, 6 + 4.0 * i, "pool-end", i + 1);
		for (double t = 1 + 4.0 * i; t < 6 + 4.0 * i; t += 0.5)
			script_walk(s, t, 2 + i, 100, 0);
	}
	for (double t = 0; t < 11; t += 0.5)
		script_walk(s, t, OWNER, 50, 0);
	return script_finish(s, 11);
}

static void two_loaders_of_no_known_stage_do_not_follow_each_other(void **state)
{
	struct script s;
	struct model *m = two_others(&s, "others", "pictures");

	(void)state;
	assert_null(script_finding(m, "pool-overlap"));
	assert_int_equal(m->totals.overlap_max_bytes, 0);
	model_close(m);
	m = two_others(&s, "same-other", "table");
	assert_non_null(script_finding(m, "pool-overlap"));
	model_close(m);
}

static void a_loop_is_not_held_idle_during_itself(void **state)
{
	struct script s;
	const struct model_finding *f;
	struct model *m;

	(void)state;
	script_begin(&s, "persistent-other");
	script_pool(&s, 1, "other", 0, 1)->persistent = 1;
	script_process(&s, 2, 1, 0, 1, 9);
	script_event(&s, 1, "pool-begin", 1);
	script_event(&s, 1.5, "pool-deliver", 1);
	script_event(&s, 1.6, "pool-first", 1);
	script_event(&s, 4, "pool-exhausted", 1);
	script_event(&s, 9, "pool-end", 1);
	for (double t = 0; t < 10; t += 0.5) {
		script_walk(&s, t, OWNER, 50, 0);
		if (t >= 1 && t < 9)
			script_walk(&s, t, 2, 100, 0);
	}
	m = script_finish(&s, 10);
	f = script_finding(m, "idle-pool-retained");
	assert_non_null(f);
	assert_string_equal(f->brief, "of loader workers alive with nothing left to do");
	model_close(m);
}

static void pools_that_follow_each_other_do_not_overlap(void **state)
{
	struct script s;
	struct model *m = epochs(&s, "apart", 3, 0.5);

	(void)state;
	assert_null(script_finding(m, "pool-overlap"));
	assert_null(script_finding(m, "pool-count-growth"));
	model_close(m);
}

/* Five loaders of one worker, read side by side: all are born before the first batch of any is used up. */
static void loaders_that_are_read_together_do_not_pile_up(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "together");
	for (int i = 1; i <= 5; i++) {
		script_pool(&s, i, "train", 0, 1 + 0.1 * i)->workers = 1;
		script_process(&s, 1 + i, i, 0, 1 + 0.1 * i, 9);
	}
	for (int i = 1; i <= 5; i++)
		script_event(&s, 2 + 0.1 * i, "pool-first", i);
	for (int i = 1; i <= 5; i++)
		script_event(&s, 8 + 0.1 * i, "pool-exhausted", i);
	for (int i = 1; i <= 5; i++)
		script_event(&s, 9, "pool-end", i);
	for (double t = 0; t < 10; t += 0.5)
		for (int i = 1; i <= 6; i++)
			if (i == OWNER || (t >= 2 && t < 9))
				script_walk(&s, t, i, 50, 0);
	m = script_finish(&s, 10);
	assert_null(script_finding(m, "pool-count-growth"));
	assert_null(script_finding(m, "pool-overlap"));
	model_close(m);
}

static void pools_that_pile_up_are_counted(void **state)
{
	struct script s;
	struct model *m = epochs(&s, "pile", 6, 40);
	const struct model_finding *f = script_finding(m, "pool-count-growth");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->evidence[0].value, 6);
	assert_int_equal(f->severity, MODEL_WARNING);
	model_close(m);
}

/* A worker forked beside 300 MiB of shared pages makes `copied` of them its own. */
static struct model *copying(struct script *s, const char *name, double owner, double copied,
			     double new_mib)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1)->batch_size = 10;
	s->pools[1].batches = 100;
	script_process(s, 2, 1, 0, 1, 9);
	s->processes[2].shared_at_fork_bytes = 300 * MIB;
	session_put_process(s->w, &s->processes[2]);
	script_event(s, 2, "pool-first", 1);
	script_event(s, 8, "pool-exhausted", 1);
	script_event(s, 9, "pool-end", 1);
	for (double t = 0; t < 10; t += 0.5) {
		double done = t < 1 ? 0 : t > 8 ? 1 : (t - 1) / 7;
		int64_t private_bytes = (int64_t)((copied + new_mib) * done * (double)MIB);

		script_walk(s, t, OWNER, owner, 0);
		if (t < 1 || t >= 9)
			continue;
		session_put_sample(s->w, &(struct session_sample){script_ns(t), 2,
								  310 * MIB + private_bytes,
								  300 * MIB + private_bytes, 1});
		session_put_rollup(
			s->w, &(struct session_rollup){
				      .t_ns = script_ns(t),
				      .process = 2,
				      .rss_bytes = 310 * MIB + private_bytes,
				      .pss_bytes = 160 * MIB + private_bytes,
				      .pss_anon_bytes = 150 * MIB + private_bytes,
				      .shared_dirty_bytes =
					      300 * MIB - (int64_t)(copied * done * (double)MIB),
				      .private_dirty_bytes = private_bytes,
				      .anonymous_bytes =
					      300 * MIB + (int64_t)(new_mib * done * (double)MIB),
				      .minor_faults = private_bytes / 4096});
	}
	return script_finish(s, 10);
}

static void copied_memory_is_told_with_bytes_an_item(void **state)
{
	struct script s;
	struct model *m = copying(&s, "copied", 400, 200, 0);
	const struct model_finding *f = script_finding(m, "unshared-growth");

	(void)state;
	assert_non_null(f);
	assert_float_equal((double)f->bytes / (double)MIB, 200, 10);
	assert_int_equal(f->evidence_count, 4);
	assert_float_equal(f->evidence[3].value, 200.0 * (double)MIB / 1000, 12000);
	model_close(m);
}

/* 24 MiB in a run of 200, and in one of 600. */
static void a_little_that_is_copied_is_told_in_a_small_run_only(void **state)
{
	struct script s;
	struct model *m = copying(&s, "small", 20, 24, 0);
	const struct model_finding *f = script_finding(m, "unshared-growth");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	model_close(m);
	m = copying(&s, "large", 400, 24, 0);
	assert_null(script_finding(m, "unshared-growth"));
	model_close(m);
	m = copying(&s, "libraries", 20, 14, 0);
	assert_null(script_finding(m, "unshared-growth"));
	model_close(m);
}

static void new_memory_is_not_copied_memory(void **state)
{
	struct script s;
	struct model *m = copying(&s, "new", 400, 0, 200);

	(void)state;
	assert_null(script_finding(m, "unshared-growth"));
	model_close(m);
}

/* The owner ends at 5 s; its worker lives on. */
static struct model *orphan(struct script *s, const char *name, double worker_end)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1);
	script_process(s, 2, 1, 0, 1, -1);
	script_event(s, 2, "pool-first", 1);
	for (double t = 0; t < worker_end; t += 0.5) {
		if (t < 5)
			script_walk(s, t, OWNER, 50, 0);
		if (t >= 1)
			script_walk(s, t, 2, 70, 0);
	}
	script_end_process(s, OWNER, 5, SESSION_NULL, SIGKILL);
	if (worker_end < 30)
		script_end_process(s, 2, worker_end, 0, SESSION_NULL);
	return script_finish(s, worker_end);
}

static void a_worker_that_outlives_its_owner_is_named(void **state)
{
	struct script s;
	struct model *m = orphan(&s, "orphan", 30);
	const struct model_finding *f = script_finding(m, "orphan-workers");

	(void)state;
	assert_non_null(f);
	assert_mib(f->bytes, 70);
	assert_non_null(strstr(f->advice, "kill "));
	model_close(m);
}

static void a_worker_that_notices_in_time_is_no_orphan(void **state)
{
	struct script s;
	struct model *m = orphan(&s, "noticed", 9);

	(void)state;
	assert_null(script_finding(m, "orphan-workers"));
	model_close(m);
}

static void the_victim_of_the_oom_killer_is_named_with_what_was_idle(void **state)
{
	struct script s;
	struct model *m;
	const struct model_finding *f;

	(void)state;
	script_begin(&s, "oom");
	session_put_int(s.w, "oom_killed", 1);
	script_pool(&s, 1, "train", 0, 1);
	script_process(&s, 2, 1, 3, 1, 8);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 4, "pool-exhausted", 1);
	for (double t = 0; t < 8; t += 0.5) {
		script_walk(&s, t, OWNER, 50, 0);
		if (t >= 1)
			script_walk(&s, t, 2, 70, 0);
	}
	script_end_process(&s, 2, 8, SESSION_NULL, SIGKILL);
	m = script_finish(&s, 8.5);
	f = script_finding(m, "oom-victim");
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_ERROR);
	assert_non_null(strstr(f->text, "worker 3 of train #1 e0"));
	assert_mib(f->evidence[1].value, 70);
	assert_mib(f->evidence[2].value, 70);
	assert_int_equal(f->pool_count, 1);
	assert_non_null(strstr(f->text, "Idle then: train #1 e0;"));
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_built_before_the_old_is_dropped_is_an_overlap),
		cmocka_unit_test(a_switch_that_would_end_none_of_the_pools_is_not_advised),
		cmocka_unit_test(two_loaders_of_no_known_stage_do_not_follow_each_other),
		cmocka_unit_test(a_loop_is_not_held_idle_during_itself),
		cmocka_unit_test(pools_that_follow_each_other_do_not_overlap),
		cmocka_unit_test(pools_that_pile_up_are_counted),
		cmocka_unit_test(loaders_that_are_read_together_do_not_pile_up),
		cmocka_unit_test(copied_memory_is_told_with_bytes_an_item),
		cmocka_unit_test(a_little_that_is_copied_is_told_in_a_small_run_only),
		cmocka_unit_test(new_memory_is_not_copied_memory),
		cmocka_unit_test(a_worker_that_outlives_its_owner_is_named),
		cmocka_unit_test(a_worker_that_notices_in_time_is_no_orphan),
		cmocka_unit_test(the_victim_of_the_oom_killer_is_named_with_what_was_idle),
	};

	return cmocka_run_group_tests_name("findings about pools", tests, NULL, NULL);
}
