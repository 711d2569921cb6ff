/* Claims about findings on what grows: workers, the process that trains, descriptors, pages of files; and what only looks like it. */
#include "script.h"

static const char *class_of(const struct model_finding *f)
{
	for (size_t i = 0; i < f->evidence_count; i++)
		if (!strcmp(f->evidence[i].key, "class"))
			return f->evidence[i].text;
	fail_msg("no class");
	return "";
}

/* A process of a script: its resident anonymous memory, its heap, in MiB at a moment. */
struct course {
	double (*anon)(double t);
	double (*live)(double t); /* NULL = not counted */
	double every_s;           /* a sample; 0 = 0.25 */
};

/* `pools` train pools of 20 s with one worker each, one after the other, each with 40 batches of 10 items; in the last one, `reuses`. */
static struct model *train(struct script *s, const char *name, int pools, int reuses,
			   const struct course *owner, const struct course *worker)
{
	double end = 2 + 21.0 * pools;

	script_begin(s, name);
	for (int e = 0; e < pools; e++) {
		double begin = 1 + 21.0 * e;

		script_pool(s, e + 1, "train", e, begin)->batch_size = 10;
		script_process(s, 2 + e, e + 1, 0, begin, begin + 20.5);
		script_event(s, begin + 0.1, "pool-first", e + 1);
		s->pools[e + 1].batches = 40;
		for (int i = 1; i <= reuses; i++) {
			script_event(s, begin + 20.0 * i / (reuses + 1) - 0.1, "pool-exhausted",
				     e + 1);
			script_event(s, begin + 20.0 * i / (reuses + 1), "pool-reuse", e + 1);
		}
		script_event(s, begin + 20, "pool-exhausted", e + 1);
		script_event(s, begin + 20.5, "pool-end", e + 1);
		for (double t = begin;
		     t<begin + 20.5; t += worker->every_s> 0 ? worker->every_s : 0.25) {
			script_walk(s, t, 2 + e, worker->anon(t - begin), 0);
			if (worker->live)
				script_heap(s, t, 2 + e, worker->live(t - begin), 0);
		}
	}
	for (double t = 0; t < end; t += 0.25) {
		script_walk(s, t, OWNER, owner->anon(t), 0);
		if (owner->live)
			script_heap(s, t, OWNER, owner->live(t), 0);
	}
	return script_finish(s, end);
}

static double flat(double t)
{
	(void)t;
	return 50;
}

static double rising(double t)
{
	return 20 + 15 * t;
}

static double rising_slowly(double t)
{
	return 20 + 4 * t;
}

static double filling(double t)
{
	return t < 10 ? 20 + 30 * t : 320;
}

static double starting_up(double t)
{
	return t < 2 ? 20 + 150 * t : 320;
}

/* Until the end of an epoch of 21 s. */
static double rising_in_epochs(double t)
{
	double in_epoch = t - 21 * (int)(t / 21);

	return 50 + 5 * in_epoch;
}

static const struct course quiet = {flat, flat, 0};

static void a_cache_that_fills_levels_off(void **state)
{
	const struct course cache = {filling, filling, 0};
	struct script s;
	struct model *m = train(&s, "cache", 1, 0, &quiet, &cache);
	const struct model_finding *f = script_finding(m, "worker-growth");

	(void)state;
	assert_non_null(f);
	assert_string_equal(class_of(f), "levels off");
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_float_equal(script_evidence(f, "growth_bytes") / (double)MIB, 300, 10);
	model_close(m);
}

static void growth_in_every_pool_is_freed_with_it(void **state)
{
	const struct course leak = {rising, rising, 0};
	struct script s;
	struct model *m = train(&s, "each", 2, 0, &quiet, &leak);
	const struct model_finding *f = script_finding(m, "worker-growth");

	(void)state;
	assert_non_null(f);
	assert_string_equal(class_of(f), "freed with the pool");
	assert_float_equal(script_evidence(f, "bytes_per_item") / (double)MIB, 300.0 / 400, 0.03);
	model_close(m);
	m = train(&s, "single", 1, 0, &quiet, &leak);
	assert_string_equal(class_of(script_finding(m, "worker-growth")), "goes on with each item");
	model_close(m);
}

/* 80 MiB: little where it may be a cache, enough for what never ends. */
static void growth_over_uses_is_told_early(void **state)
{
	const struct course leak = {rising_slowly, rising_slowly, 0};
	struct script s;
	struct model *m = train(&s, "reused", 1, 3, &quiet, &leak);
	const struct model_finding *f = script_finding(m, "worker-growth");

	(void)state;
	assert_non_null(f);
	assert_string_equal(class_of(f), "goes on when re-used");
	assert_int_equal(f->severity, MODEL_WARNING);
	model_close(m);
	m = train(&s, "used_once", 1, 0, &quiet, &leak);
	f = script_finding(m, "worker-growth");
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	model_close(m);
}

/* ---- little of it, in a run that is small ------------------------------------------------------------------------ */

static double creeping(double t)
{
	return 20 + 1.2 * t;
}

static double creeping_too_little(double t)
{
	return 20 + 0.7 * t;
}

static double much(double t)
{
	(void)t;
	return 900;
}

/* Fills 60 MiB and stops / starts up with them / drops them every four seconds. */
static double filling_a_little(double t)
{
	return t < 10 ? 20 + 6 * t : 80;
}

static double starting_up_a_little(double t)
{
	return t < 2 ? 20 + 30 * t : 80;
}

static double saw_tooth(double t)
{
	return 20 + 15 * (t - 4 * (int)(t / 4));
}

/* Whether workers, or the trainer, that take this course are told of. */
static const struct model_finding *told(struct model **m, double (*owner)(double),
					double (*worker)(double), double every_s, const char *id)
{
	const struct course owners = {owner, owner, 0}, workers = {worker, worker, every_s};
	struct script s;

	*m = train(&s, "little", 1, 0, &owners, &workers);
	return script_finding(*m, id);
}

static void little_growth_that_goes_straight_on_is_a_notice(void **state)
{
	struct model *m;
	const struct model_finding *f = told(&m, flat, creeping, 0, "worker-growth");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_string_equal(class_of(f), "goes on with each item");
	assert_float_equal(script_evidence(f, "growth_bytes") / (double)MIB, 24, 1);
	model_close(m);
	f = told(&m, creeping, flat, 0, "main-growth-per-step");
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	model_close(m);
}

static void little_growth_that_stops_comes_back_or_is_seldom_seen_is_none(void **state)
{
	static const struct course quiet_ones[] = {
		{filling_a_little, NULL, 0}, {starting_up_a_little, NULL, 0},
		{saw_tooth, NULL, 0},        {creeping_too_little, NULL, 0},
		{creeping, NULL, 0.5},
	};
	struct model *m;

	(void)state;
	for (size_t i = 0; i < sizeof(quiet_ones) / sizeof(quiet_ones[0]); i++) {
		const struct course *c = &quiet_ones[i];

		assert_null(told(&m, flat, c->anon, c->every_s, "worker-growth"));
		model_close(m);
		if (c->every_s > 0)
			continue;
		assert_null(told(&m, c->anon, flat, 0, "main-growth-per-step"));
		model_close(m);
	}
}

/* 24 MiB are nothing beside 900. */
static void growth_is_little_by_the_size_of_the_run(void **state)
{
	struct model *m;

	(void)state;
	assert_null(told(&m, much, creeping, 0, "worker-growth"));
	model_close(m);
}

static void starting_up_and_touching_are_no_growth_of_workers(void **state)
{
	const struct course start = {starting_up, starting_up, 0}, touched = {rising, flat, 0};
	struct script s;
	struct model *m = train(&s, "start", 1, 0, &quiet, &start);

	(void)state;
	assert_null(script_finding(m, "worker-growth"));
	model_close(m);
	/* allocated long ago, touched bit by bit */
	m = train(&s, "touched", 1, 0, &quiet, &touched);
	assert_null(script_finding(m, "worker-growth"));
	model_close(m);
}

static void a_trainer_that_never_stops_growing_is_found(void **state)
{
	const struct course leak = {rising_slowly, rising_slowly, 0};
	struct script s;
	struct model *m = train(&s, "trainer", 2, 0, &leak, &quiet);
	const struct model_finding *f = script_finding(m, "main-growth-per-step");

	(void)state;
	assert_non_null(f);
	assert_non_null(strstr(f->text, "not freed"));
	assert_int_equal(script_evidence(f, "steps"), 80);
	assert_float_equal(script_evidence(f, "growth_bytes") / (double)MIB, 4 * 41, 5);
	assert_null(script_finding(m, "worker-growth"));
	model_close(m);
}

static void outputs_of_an_epoch_are_told_as_such(void **state)
{
	const struct course outputs = {rising_in_epochs, rising_in_epochs, 0};
	struct script s;
	struct model *m = train(&s, "outputs", 3, 0, &outputs, &quiet);
	const struct model_finding *f = script_finding(m, "main-growth-per-step");

	(void)state;
	assert_non_null(f);
	assert_non_null(strstr(f->text, "freed when the phase ends"));
	assert_float_equal(script_evidence(f, "growth_bytes") / (double)MIB, 100, 5);
	model_close(m);
}

/* Full in the middle of the second epoch. */
static double filling_in_two_epochs(double t)
{
	return t < 35 ? 20 + 5 * t : 195;
}

static void what_stays_when_the_phase_ends_is_not_freed_by_it(void **state)
{
	const struct course buffer = {filling_in_two_epochs, filling_in_two_epochs, 0};
	struct script s;
	struct model *m = train(&s, "two_epochs", 3, 0, &buffer, &quiet);

	(void)state;
	assert_null(script_finding(m, "main-growth-per-step"));
	model_close(m);
}

static void a_trainer_that_fills_a_cache_or_a_buffer_is_quiet(void **state)
{
	const struct course cache = {filling, filling, 0}, buffer = {rising, flat, 0};
	struct script s;
	struct model *m = train(&s, "trainer_cache", 1, 0, &cache, &quiet);

	(void)state;
	assert_null(script_finding(m, "main-growth-per-step"));
	model_close(m);
	m = train(&s, "trainer_buffer", 1, 0, &buffer, &quiet);
	assert_null(script_finding(m, "main-growth-per-step"));
	model_close(m);
}

/* ---- descriptors ----------------------------------------------------------------------------------------------- */

static struct model *opening(struct script *s, const char *name, double a_second, double until_s)
{
	script_begin(s, name);
	for (double t = 0; t < 20; t += 1) {
		script_walk(s, t, OWNER, 50, 0);
		script_fds(s, t, OWNER, (int64_t)(10 + a_second * (t < until_s ? t : until_s)));
	}
	return script_finish(s, 20);
}

static void descriptors_that_pile_up_are_found_with_their_limit(void **state)
{
	struct script s;
	struct model *m = opening(&s, "fds", 10, 20);
	const struct model_finding *f = script_finding(m, "fd-growth");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_int_equal(script_evidence(f, "fds_max"), 200);
	assert_int_equal(script_evidence(f, "fd_limit"), 1024);
	assert_float_equal(script_evidence(f, "fds_per_minute"), 600, 1);
	model_close(m);
	m = opening(&s, "many_fds", 30, 20);
	assert_int_equal(script_finding(m, "fd-growth")->severity, MODEL_WARNING);
	model_close(m);
}

static void batches_that_a_trainer_keeps_are_told_with_their_shared_memory(void **state)
{
	struct script s;
	struct model *m;
	const struct model_finding *f;

	(void)state;
	script_begin(&s, "kept_batches");
	for (double t = 0; t < 20; t += 1) {
		script_walk(&s, t, OWNER, 50, 0);
		script_fds(&s, t, OWNER, (int64_t)(10 + 10 * t));
		session_put_shm(s.w, &(struct session_shm){script_ns(t), OWNER, "in-use",
							   (int64_t)t, (int64_t)t * 10 * MIB, 0});
	}
	m = script_finish(&s, 20);
	f = script_finding(m, "fd-growth");
	assert_non_null(f);
	assert_mib(script_evidence(f, "shared_batch_bytes_max"), 190);
	assert_mib(f->bytes, 190);
	assert_true(f->severity > MODEL_NOTICE);
	model_close(m);
}

static void descriptors_that_are_opened_at_the_start_or_few_are_none(void **state)
{
	struct script s;
	struct model *m = opening(&s, "fds_start", 100, 3);

	(void)state;
	assert_null(script_finding(m, "fd-growth"));
	model_close(m);
	m = opening(&s, "few_fds", 2, 20);
	assert_null(script_finding(m, "fd-growth"));
	model_close(m);
}

/* ---- what is no leak --------------------------------------------------------------------------------------------- */

static struct model *mapping(struct script *s, const char *name, double file_a_second,
			     double anon_a_second)
{
	script_begin(s, name);
	for (double t = 0; t < 20; t += 0.25)
		script_walk_files(s, t, OWNER, 50 + anon_a_second * t, file_a_second * t);
	return script_finish(s, 20);
}

static void pages_of_files_are_no_leak(void **state)
{
	struct script s;
	struct model *m = mapping(&s, "files", 20, 0);
	const struct model_finding *f = script_finding(m, "file-cache-not-leak");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_int_equal(f->bytes, 0);
	assert_float_equal(script_evidence(f, "file_growth_bytes") / (double)MIB, 400, 20);
	model_close(m);
	/* both grow: who knows */
	m = mapping(&s, "both", 20, 15);
	assert_null(script_finding(m, "file-cache-not-leak"));
	model_close(m);
	m = mapping(&s, "few_files", 4, 0);
	assert_non_null(script_finding(m, "file-cache-not-leak"));
	model_close(m);
	m = mapping(&s, "little_files", 1.5, 0);
	assert_null(script_finding(m, "file-cache-not-leak"));
	model_close(m);
}

/* An owner and three children that share `share` MiB each as Pss of `rss` MiB of resident pages. */
static struct model *sharing(struct script *s, const char *name, double rss, double share)
{
	script_begin(s, name);
	for (int64_t id = 2; id <= 4; id++)
		script_process(s, id, 0, 0, 0, -1);
	for (double t = 0; t < 5; t += 0.5)
		for (int64_t id = OWNER; id <= 4; id++)
			script_walk_shared(s, t, id, rss, share);
	return script_finish(s, 5);
}

static void rss_that_counts_pages_again_is_told(void **state)
{
	struct script s;
	struct model *m = sharing(&s, "overcount", 400, 100);
	const struct model_finding *f = script_finding(m, "rss-overcount");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_mib(script_evidence(f, "rss_sum_bytes"), 1600);
	assert_mib(script_evidence(f, "total_bytes"), 400);
	model_close(m);
	m = sharing(&s, "honest", 400, 390);
	assert_null(script_finding(m, "rss-overcount"));
	model_close(m);
	m = sharing(&s, "small_overcount", 200, 50);
	assert_null(script_finding(m, "rss-overcount"));
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cache_that_fills_levels_off),
		cmocka_unit_test(growth_in_every_pool_is_freed_with_it),
		cmocka_unit_test(growth_over_uses_is_told_early),
		cmocka_unit_test(little_growth_that_goes_straight_on_is_a_notice),
		cmocka_unit_test(little_growth_that_stops_comes_back_or_is_seldom_seen_is_none),
		cmocka_unit_test(growth_is_little_by_the_size_of_the_run),
		cmocka_unit_test(starting_up_and_touching_are_no_growth_of_workers),
		cmocka_unit_test(a_trainer_that_never_stops_growing_is_found),
		cmocka_unit_test(outputs_of_an_epoch_are_told_as_such),
		cmocka_unit_test(a_trainer_that_fills_a_cache_or_a_buffer_is_quiet),
		cmocka_unit_test(what_stays_when_the_phase_ends_is_not_freed_by_it),
		cmocka_unit_test(descriptors_that_pile_up_are_found_with_their_limit),
		cmocka_unit_test(batches_that_a_trainer_keeps_are_told_with_their_shared_memory),
		cmocka_unit_test(descriptors_that_are_opened_at_the_start_or_few_are_none),
		cmocka_unit_test(pages_of_files_are_no_leak),
		cmocka_unit_test(rss_that_counts_pages_again_is_told),
	};

	return cmocka_run_group_tests_name("findings about growth", tests, NULL, NULL);
}
