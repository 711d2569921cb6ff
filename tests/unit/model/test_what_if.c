/* Claims about what-if: how the question is read, what the peak and the stall become, how many workers fit. */
#include "script.h"

#include <stdlib.h>

#include "profiler/model/what_if.h"

static void ask(struct what_if *w, const char *text)
{
	struct error e;

	if (what_if_parse(w, text, &e))
		fail_msg("%s", e.text);
}

static void a_question_is_read_by_stage(void **state)
{
	struct what_if w;

	(void)state;
	ask(&w, "workers=8,prefetch(train)=4,workers(validate)=2");
	assert_int_equal(w.workers[MODEL_STAGE_TRAIN], 8);
	assert_int_equal(w.workers[MODEL_STAGE_VALIDATE], 2);
	assert_int_equal(w.prefetch[MODEL_STAGE_TRAIN], 4);
	assert_true(w.prefetch[MODEL_STAGE_VALIDATE] == MODEL_NONE);
}

static void what_cannot_be_read_is_told_with_its_place(void **state)
{
	static const struct {
		const char *text, *place;
	} wrongs[] = {
		{"", "character 1:"},
		{"workers", "character 8:"},
		{"workers=", "character 9:"},
		{"workers=0", "character 9: \"0\""},
		{"workers=1025", "character 9: \"1025\""},
		{"workers=-1", "character 9: \"-1\""},
		{"workers=4x", "character 9: \"4x\""},
		{"workers=99999999999999999999", "character 9:"},
		{"worker=4", "character 1: \"worker\""},
		{"workers=4,", "character 11:"},
		{"workers=4,,", "character 11:"},
		{"workers=4;prefetch=2", "character 9:"},
		{"workers(train=4", "character 14:"},
		{"workers(trian)=4", "character 9: \"trian\""},
		{"workers(train)4", "character 15:"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct what_if w;
		struct error e = {0};

		assert_int_equal(what_if_parse(&w, wrongs[i].text, &e), ERROR_USAGE);
		if (!strstr(e.text, wrongs[i].place))
			fail_msg("%s: %s", wrongs[i].text, e.text);
		assert_true(e.hint[0]);
	}
}

static double stall(int64_t workers, int64_t prefetch, int64_t batches, double step, double load)
{
	return delivery_stall_s(&(struct delivery){workers, prefetch, batches, step, load});
}

static void an_owner_waits_for_one_worker_what_loading_takes_longer(void **state)
{
	(void)state;
	assert_float_equal(stall(1, 2, 101, 0.1, 0.3), 100 * 0.2, 1e-9);
	assert_float_equal(stall(1, 2, 101, 0.3, 0.1), 0, 1e-9);
	assert_float_equal(stall(1, 2, 1, 0.1, 0.3), 0, 1e-9);
	assert_float_equal(stall(1, 2, 0, 0.1, 0.3), 0, 1e-9);
}

/* 3 workers hand out 3 batches every 0.6 s; the owner takes 0.1 s for each: it waits 0.3 s a round. */
static void more_workers_share_the_loading(void **state)
{
	(void)state;
	assert_float_equal(stall(3, 2, 301, 0.1, 0.6), 100 * 0.3, 0.5);
	assert_float_equal(stall(6, 2, 301, 0.1, 0.6), 0, 0.5);
	assert_true(stall(2, 2, 301, 0.1, 0.6) > stall(3, 2, 301, 0.1, 0.6));
}

static void many_batches_are_followed_by_a_part_of_them(void **state)
{
	(void)state;
	assert_float_equal(stall(2, 2, 100001, 0.1, 0.4), 10 * stall(2, 2, 10001, 0.1, 0.4), 5);
}

static void the_time_of_a_batch_is_found_from_the_stall(void **state)
{
	struct delivery d = {3, 2, 200, 0.05, 0};

	(void)state;
	assert_float_equal(delivery_load_s(d, stall(3, 2, 200, 0.05, 0.4), 10), 0.4, 0.001);
	/* no longer than the first batch took */
	assert_float_equal(delivery_load_s(d, 1e9, 0.7), 0.7, 1e-9);
	/* nothing was waited: the bound */
	assert_float_equal(delivery_load_s(d, 0, 10), 0.15, 0.001);
}

/*
 * An owner of 50 MiB; a train pool of `workers` of 100 MiB each from 1 to 9 s, exhausted at 5; then one of validation with as many of
 * 40 MiB from 6 to 9.
 */
static struct model *two_pools(struct script *s, const char *name, int workers, double limit,
			       double growth)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1)->workers = workers;
	script_pool(s, 2, "validate", 0, 6)->workers = workers;
	for (int i = 0; i < workers; i++) {
		script_process(s, 2 + i, 1, i, 1, 9);
		script_process(s, 12 + i, 2, i, 6, 9);
	}
	script_event(s, 1.5, "pool-first", 1);
	script_event(s, 5, "pool-exhausted", 1);
	script_event(s, 6.5, "pool-first", 2);
	script_event(s, 8.5, "pool-exhausted", 2);
	script_event(s, 9, "pool-end", 1);
	script_event(s, 9, "pool-end", 2);
	for (double t = 0; t < 10; t += 0.25) {
		double grown = t < 1.5 ? 0 : t > 5 ? 1 : (t - 1.5) / 3.5;

		script_system(s, t, limit, -1);
		script_walk(s, t, OWNER, 50, 0);
		for (int i = 0; i < workers && t >= 1 && t < 9; i++)
			script_walk(s, t, 2 + i, 100 - growth + growth * grown, 0);
		for (int i = 0; i < workers && t >= 6 && t < 9; i++)
			script_walk(s, t, 12 + i, 40, 0);
	}
	return script_finish(s, 10);
}

static void predict(const struct model *m, const char *text, struct what_if_result *r)
{
	struct what_if w;
	struct error e;

	ask(&w, text);
	if (what_if_predict(m, &w, r, &e))
		fail_msg("%s", e.text);
}

static void every_pool_is_scaled_in_the_round_where_that_is_the_peak(void **state)
{
	struct script s;
	struct model *m = two_pools(&s, "scaled", 2, 1000, 0);
	struct what_if_result r;

	(void)state;
	assert_mib(m->totals.peak_bytes, 50 + 2 * 100 + 2 * 40);
	predict(m, "workers=2", &r);
	assert_mib(r.peak_bytes, 330);
	predict(m, "workers=4", &r);
	assert_mib(r.peak_bytes, 50 + 4 * 100 + 4 * 40);
	assert_mib(r.peak_shared_out_bytes, 610);
	/* the train pool, idle in validation, is gone: what is left is its own time */
	assert_mib(r.peak_with_release_bytes, 50 + 4 * 100);
	assert_int_equal(r.workers_most, 4);
	predict(m, "workers(validate)=10", &r);
	assert_mib(r.peak_bytes, 50 + 2 * 100 + 10 * 40);
	predict(m, "workers(train)=1", &r);
	assert_mib(r.peak_bytes, 50 + 100 + 2 * 40);
	model_close(m);
}

static void memory_that_grew_to_the_end_may_be_shared_out(void **state)
{
	struct script s;
	struct model *m = two_pools(&s, "growing", 2, 1000, 80);
	struct what_if_result r;

	(void)state;
	predict(m, "workers=4", &r);
	assert_mib(r.peak_bytes, 610);
	/* 20 MiB a worker at the first batch, 160 that all keep together */
	assert_mib(r.peak_shared_out_bytes, 50 + 4 * 20 + 160 + 4 * 40);
	model_close(m);
}

static void a_question_about_pools_that_are_not_there_is_an_error(void **state)
{
	struct script s;
	struct model *m = two_pools(&s, "absent", 2, 1000, 0);
	struct what_if w;
	struct what_if_result r;
	struct error e;

	(void)state;
	ask(&w, "workers(test)=3");
	assert_int_equal(what_if_predict(m, &w, &r, &e), ERROR_USAGE);
	assert_non_null(strstr(e.text, "no test pool"));
	model_close(m);
	m = two_pools(&s, "none", 0, 1000, 0);
	ask(&w, "workers=3");
	assert_int_equal(what_if_predict(m, &w, &r, &e), ERROR_USAGE);
	assert_non_null(strstr(e.text, "no pool with workers"));
	model_close(m);
}

static void as_many_workers_fit_as_leave_every_round_under_the_limit(void **state)
{
	struct script s;
	struct model *m = two_pools(&s, "fit", 2, 480, 0);

	(void)state;
	/* 50 + N x 140 <= 480 */
	assert_int_equal(m->capacity.as_it_runs, 3);
	/* 50 + N x 100 <= 480 */
	assert_int_equal(m->capacity.idle_released, 4);
	assert_int_equal(m->capacity.stage, -1);
	assert_mib(m->capacity.worker_bytes, 100);
	model_close(m);
	m = two_pools(&s, "full", 2, 330, 0);
	assert_int_equal(m->capacity.as_it_runs, 2);
	model_close(m);
	m = two_pools(&s, "no-workers", 0, 330, 0);
	assert_true(m->capacity.workers == MODEL_NONE);
	model_close(m);
}

/* On 2 CPUs two workers load 20 batches in 10 s, and the owner does nothing but wait. Each worker used that share of a CPU, and was never
 * seen to wait for anything else. */
static struct model *computing(struct script *s, const char *name, double share)
{
	struct session_pool *pool;

	script_begin(s, name);
	session_put_int(s->w, "cpus", 2);
	pool = script_pool(s, 1, "train", 0, 0.5);
	pool->workers = 2;
	pool->batches = 20;
	pool->stall_ns = script_ns(11.5);
	script_process(s, 2, 1, 0, 0.5, 13);
	script_process(s, 3, 1, 1, 0.5, 13);
	script_event(s, 2, "pool-first", 1);
	pool->last_batch_ns = script_ns(12);
	script_event(s, 12, "pool-exhausted", 1);
	script_event(s, 13, "pool-end", 1);
	for (double t = 0; t < 14; t += 0.5) {
		script_walk(s, t, OWNER, 50, 0);
		for (int i = 1; i <= 3 && t >= 1 && t < 13; i++) {
			const struct session_detail row = {
				.t_ns = script_ns(t),
				.process = i,
				.state = i == OWNER ? "S" : "R",
				.cpu_ticks = i == OWNER ? 0 : (int64_t)(100 * share * t)};

			session_put_detail(s->w, &row);
			if (i != OWNER)
				script_walk(s, t, i, 20, 0);
		}
	}
	return script_finish(s, 14);
}

static double stall_with(const struct model *m, const char *question, struct what_if_result *r)
{
	predict(m, question, r);
	return (double)r->stall_ns / 1e9;
}

static void workers_beyond_the_cpus_load_no_faster(void **state)
{
	struct script s;
	struct model *m = computing(&s, "computing", 1);
	struct what_if_result r;

	(void)state;
	/* half a second a batch, whoever is on the CPUs */
	assert_float_equal(stall_with(m, "workers=2", &r), 11.5, 0.01);
	assert_true(r.limited_cpu_s == 0);
	assert_float_equal(stall_with(m, "workers=4", &r), 11.5, 0.6);
	assert_float_equal(r.limited_cpu_s, 1, 0.01);
	assert_float_equal(r.limited_workers, 2, 0.1);
	assert_true(r.computing && !r.crowded);
	assert_float_equal(stall_with(m, "workers=1", &r), 21.5, 0.6);
	assert_true(r.limited_cpu_s == 0);
	model_close(m);
}

/* They got half of what they wanted, so two others wanted as much. If these share, one alone has 2/3 CPUs and four have 4/3; if not, it is one CPU. */
static void workers_that_waited_for_cpus_share_them_with_others(void **state)
{
	struct script s;
	struct model *m = computing(&s, "starved", 0.5);
	struct what_if_result r;

	(void)state;
	assert_float_equal(stall_with(m, "workers=1", &r), 13.4, 0.5);
	assert_float_equal(stall_with(m, "workers=4", &r), 9.9, 0.5);
	assert_float_equal(r.limited_cpu_s, 0.5, 0.01);
	assert_true(r.crowded && r.computing);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_question_is_read_by_stage),
		cmocka_unit_test(what_cannot_be_read_is_told_with_its_place),
		cmocka_unit_test(an_owner_waits_for_one_worker_what_loading_takes_longer),
		cmocka_unit_test(more_workers_share_the_loading),
		cmocka_unit_test(many_batches_are_followed_by_a_part_of_them),
		cmocka_unit_test(the_time_of_a_batch_is_found_from_the_stall),
		cmocka_unit_test(every_pool_is_scaled_in_the_round_where_that_is_the_peak),
		cmocka_unit_test(memory_that_grew_to_the_end_may_be_shared_out),
		cmocka_unit_test(a_question_about_pools_that_are_not_there_is_an_error),
		cmocka_unit_test(workers_beyond_the_cpus_load_no_faster),
		cmocka_unit_test(workers_that_waited_for_cpus_share_them_with_others),
		cmocka_unit_test(as_many_workers_fit_as_leave_every_round_under_the_limit),
	};

	return cmocka_run_group_tests_name("what-if", tests, NULL, NULL);
}
