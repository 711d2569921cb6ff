/* Claims about findings on what a process does with its memory: kept by its allocator, locked; and on workers of workers. */
#include "script.h"

/* An owner that has `before` MiB of heap until 5 s and `after` from then on, and 300 MiB of private memory all along. */
static struct model *freeing(struct script *s, const char *name, double before, double after,
			     double until_s)
{
	script_begin(s, name);
	for (double t = 0; t < 10; t += 0.5) {
		script_walk(s, t, OWNER, t < until_s ? 300 : after + 5, 0);
		script_heap(s, t, OWNER, t < 5 ? before : after, 0);
	}
	return script_finish(s, 10);
}

static void what_was_freed_and_stays_resident_is_found(void **state)
{
	struct script s;
	struct model *m = freeing(&s, "kept", 280, 80, 10);
	const struct model_finding *f = script_finding(m, "allocator-retention");

	(void)state;
	assert_non_null(f);
	assert_mib(f->bytes, 200);
	assert_mib(f->evidence[1].value, 80);
	assert_float_equal(f->evidence[3].value, 4.5, 0.01);
	model_close(m);
}

/* 40 MiB kept of 100; in a run of 1 GiB they are nothing. */
static void a_little_that_stays_resident_is_told_in_a_small_run_only(void **state)
{
	struct script s;
	struct model *m = NULL;

	(void)state;
	for (int large = 0; large < 2; large++) {
		script_begin(&s, large ? "large" : "small");
		script_process(&s, 2, 0, 0, 0, -1);
		for (double t = 0; t < 10; t += 0.5) {
			script_walk(&s, t, 2, large ? 900 : 10, 0);
			script_walk(&s, t, OWNER, 100, 0);
			script_heap(&s, t, OWNER, t < 5 ? 90 : 50, 0);
		}
		m = script_finish(&s, 10);
		assert_int_equal(!script_finding(m, "allocator-retention"), large);
		if (!large)
			assert_int_equal(script_finding(m, "allocator-retention")->severity,
					 MODEL_NOTICE);
		model_close(m);
	}
}

/* Private memory that no counter explains may be mapped unseen: only what was once live can have been freed. */
static void memory_that_was_never_live_is_not_kept(void **state)
{
	struct script s;
	struct model *m = freeing(&s, "unseen", 80, 60, 10);

	(void)state;
	assert_null(script_finding(m, "allocator-retention"));
	model_close(m);
}

static void what_goes_back_within_a_second_is_not_kept(void **state)
{
	struct script s;
	struct model *m = freeing(&s, "returned", 280, 80, 5.8);

	(void)state;
	assert_null(script_finding(m, "allocator-retention"));
	model_close(m);
}

/* The process of freeing(), tested at 7 s: of 300 MiB of private memory `left_mib` stayed. */
static struct model *trimming(struct script *s, const char *name, double left_mib)
{
	script_begin(s, name);
	session_put_int(s->w, "trim_test", 1);
	for (double t = 0; t < 10; t += 0.5) {
		script_walk(s, t, OWNER, t < 7 ? 300 : left_mib, 0);
		script_heap(s, t, OWNER, t < 5 ? 280 : 80, 0);
	}
	session_put_event(s->w,
			  &(struct session_event){.t_ns = script_ns(7),
						  .kind = "trim",
						  .process = OWNER,
						  .pool = SESSION_NULL,
						  .value = 300 * MIB,
						  .value2 = (int64_t)(left_mib * (double)MIB)});
	return script_finish(s, 10);
}

static void what_came_back_by_trimming_is_told_as_measured(void **state)
{
	struct script s;
	struct model *m = trimming(&s, "trimmed", 90);
	const struct model_finding *f = script_finding(m, "allocator-retention");

	(void)state;
	assert_non_null(f);
	assert_mib(f->bytes, 210);
	assert_mib(script_evidence(f, "live_heap_bytes"), 80);
	assert_mib(script_evidence(f, "private_bytes"), 300);
	assert_true(script_evidence(f, "trim_tests") == 1);
	assert_s(f->moments[0], 7);
	model_close(m);
}

static void what_did_not_come_back_by_trimming_is_not_kept(void **state)
{
	struct script s;
	struct model *m = trimming(&s, "untrimmed", 290);

	(void)state;
	assert_null(script_finding(m, "allocator-retention"));
	model_close(m);
}

static void a_test_that_does_not_tell_what_stayed_is_none(void **state)
{
	struct script s;
	struct model *m = trimming(&s, "torn", -1099511627776.0);
	const struct model_finding *f = script_finding(m, "allocator-retention");

	(void)state;
	assert_non_null(f);
	assert_mib(f->bytes, 200);
	assert_string_equal(f->evidence[3].key, "seconds");
	model_close(m);
}

static void kills_beyond_any_machine_stay_a_number(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "absurd");
	for (int i = 0; i < 2; i++)
		session_put_event(s.w, &(struct session_event){.t_ns = script_ns(1),
							       .kind = "oom-kill",
							       .process = SESSION_NULL,
							       .pool = SESSION_NULL,
							       .value = INT64_MAX,
							       .value2 = SESSION_NULL});
	m = script_finish(&s, 2);
	assert_true(m->totals.oom_kills > 0);
	model_close(m);
}

static struct model *locking(struct script *s, const char *name, double mib)
{
	script_begin(s, name);
	for (double t = 0; t < 5; t += 1) {
		script_walk(s, t, OWNER, 100, 0);
		script_locked(s, t, OWNER, t == 3 ? mib : 0);
	}
	return script_finish(s, 5);
}

static void locked_memory_is_a_notice_at_its_moment(void **state)
{
	struct script s;
	struct model *m = locking(&s, "locked", 64);
	const struct model_finding *f = script_finding(m, "pinned-memory");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_mib(f->bytes, 64);
	assert_s(f->moments[0], 3);
	model_close(m);
	m = locking(&s, "little", 16);
	assert_null(script_finding(m, "pinned-memory"));
	model_close(m);
}

/* Two pools; the second one's owner is the worker of the first, or not. */
static struct model *nesting(struct script *s, const char *name, int64_t owner)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1);
	script_process(s, 2, 1, 0, 1, 9);
	script_pool(s, 2, "train", 0, 2)->owner = owner;
	script_process(s, 3, 2, 0, 2, 8);
	script_event(s, 8, "pool-end", 2);
	script_event(s, 9, "pool-end", 1);
	for (double t = 0; t < 10; t += 0.5) {
		script_walk(s, t, OWNER, 50, 0);
		if (t >= 1 && t < 9)
			script_walk(s, t, 2, 20, 0);
		if (t >= 2 && t < 8)
			script_walk(s, t, 3, 30, 0);
	}
	return script_finish(s, 10);
}

static void a_worker_with_workers_is_found(void **state)
{
	struct script s;
	struct model *m = nesting(&s, "nested", 2);
	const struct model_finding *f = script_finding(m, "nested-pools");

	(void)state;
	assert_non_null(f);
	assert_mib(f->bytes, 30);
	assert_int_equal(f->pools[0], 1);
	model_close(m);
	m = nesting(&s, "flat", OWNER);
	assert_null(script_finding(m, "nested-pools"));
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_freed_and_stays_resident_is_found),
		cmocka_unit_test(a_little_that_stays_resident_is_told_in_a_small_run_only),
		cmocka_unit_test(memory_that_was_never_live_is_not_kept),
		cmocka_unit_test(what_goes_back_within_a_second_is_not_kept),
		cmocka_unit_test(what_came_back_by_trimming_is_told_as_measured),
		cmocka_unit_test(what_did_not_come_back_by_trimming_is_not_kept),
		cmocka_unit_test(a_test_that_does_not_tell_what_stayed_is_none),
		cmocka_unit_test(kills_beyond_any_machine_stay_a_number),
		cmocka_unit_test(locked_memory_is_a_notice_at_its_moment),
		cmocka_unit_test(a_worker_with_workers_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
