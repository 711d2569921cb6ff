/* Claims about idle-pool-retained and about how findings are graded. */
#include "script.h"

#include "profiler/model/findings.h"

struct shape {
	double worker_mib, idle_from, end;
	int persistent;
	double limit_mib;
	const char *python_state; /* of the owner, NULL = "hooked" */
};

/* A train pool whose worker keeps its memory while the owner validates. */
static struct model *make(struct script *s, const char *name, const struct shape *shape)
{
	script_begin(s, name);
	if (shape->python_state) {
		s->processes[OWNER].python_state = shape->python_state;
		session_put_process(s->w, &s->processes[OWNER]);
	}
	script_pool(s, 1, "train", 0, 1)->persistent = shape->persistent;
	script_pool(s, 2, "validate", 0, shape->idle_from);
	script_process(s, 2, 1, 0, 1, shape->end);
	script_event(s, 2, "pool-first", 1);
	script_event(s, shape->idle_from, "pool-exhausted", 1);
	script_event(s, shape->idle_from, "pool-first", 2);
	script_event(s, shape->end, "pool-end", 1);
	script_event(s, 30, "pool-end", 2);
	script_system(s, 0, shape->limit_mib, -1);
	for (double t = 0; t < 30; t += 0.5) {
		/* the owner needs most when it validates */
		script_walk(s, t, OWNER, t > shape->idle_from ? 300 : 100, 0);
		if (t >= 1 && t < shape->end)
			script_walk(s, t, 2, shape->worker_mib, 0);
	}
	return script_finish(s, 30);
}

static void a_retained_pool_is_found_with_its_stages(void **state)
{
	const struct shape shape = {150, 10, 28, 0, -1, NULL};
	const struct model_finding *f;
	struct script s;
	struct model *m = make(&s, "found", &shape);

	(void)state;
	assert_int_equal(m->finding_count, 1);
	f = &m->findings[0];
	assert_string_equal(f->id, "idle-pool-retained");
	assert_int_equal(f->severity, MODEL_WARNING);
	assert_mib(f->bytes, 150);
	assert_string_equal(f->evidence[0].label, "train during validation");
	assert_string_equal(f->evidence[0].key, "train_bytes");
	assert_mib(f->evidence[0].value, 150);
	assert_int_equal(f->evidence[0].listed, 1);
	assert_string_equal(f->brief, "of train workers alive during validation");
	assert_int_equal(f->pool_count, 1);
	assert_int_equal(f->pools[0], 0);
	assert_int_equal(f->release_helps, 1);
	assert_int_equal(f->moments[0], m->totals.idle_max_at_ns);
	assert_non_null(strstr(f->text, "no restart"));
	model_close(m);
}

/* The option works through the hook in the interpreter: it may not be advised for a loader in C. */
static void releasing_is_no_help_where_no_hook_follows_the_loader(void **state)
{
	const struct shape shape = {150, 10, 28, 0, -1, "absent"};
	struct script s;
	struct model *m = make(&s, "unhooked", &shape);

	(void)state;
	assert_int_equal(m->finding_count, 1);
	assert_int_equal(m->findings[0].release_helps, 0);
	assert_int_equal(m->pools[0].releasable, 0);
	assert_int_equal(m->totals.peak_with_release_bytes, m->totals.peak_bytes);
	assert_non_null(strstr(m->findings[0].advice, "drop the loader's iterator"));
	model_close(m);
}

static void it_is_an_error_when_it_alone_brings_the_peak_near_the_limit(void **state)
{
	const struct shape near = {150, 10, 28, 0, 460, NULL}, nearer = {20, 10, 28, 0, 320, NULL};
	struct script s;
	struct model *m = make(&s, "near", &near);

	(void)state;
	assert_int_equal(m->findings[0].severity, MODEL_ERROR);
	model_close(m);
	m = make(&s, "nearer", &nearer); /* without it the peak would still be over 90 % */
	assert_int_equal(m->findings[0].severity, MODEL_WARNING);
	model_close(m);
}

static void little_memory_is_a_notice(void **state)
{
	const struct shape shape = {10, 10, 28, 0, -1, NULL};
	struct script s;
	struct model *m = make(&s, "little", &shape);

	(void)state;
	assert_int_equal(m->findings[0].severity, MODEL_NOTICE);
	model_close(m);
}

static void a_moment_is_not_worth_a_finding(void **state)
{
	const struct shape shape = {150, 10, 10.5, 0, -1, NULL};
	struct script s;
	struct model *m = make(&s, "moment", &shape);

	(void)state;
	assert_mib(m->totals.idle_max_bytes, 150);
	assert_int_equal(m->finding_count, 0);
	model_close(m);
}

static void persistent_workers_are_told_with_what_they_save(void **state)
{
	const struct shape shape = {150, 10, 28, 1, -1, NULL};
	struct script s;
	struct model *m = make(&s, "kept", &shape);

	(void)state;
	assert_int_equal(m->findings[0].release_helps, 0);
	assert_non_null(strstr(m->findings[0].text, "1.0 s"));
	assert_non_null(strstr(m->findings[0].advice, "persistent_workers=False"));
	model_close(m);
}

static void every_kind_of_finding_has_a_line_for_the_help(void **state)
{
	(void)state;
	assert_true(finding_kind_count > 0);
	for (size_t i = 0; i < finding_kind_count; i++) {
		assert_non_null(finding_kinds[i].find);
		assert_true(strlen(finding_kinds[i].id) > 0 &&
			    strlen(finding_kinds[i].summary) > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_retained_pool_is_found_with_its_stages),
		cmocka_unit_test(releasing_is_no_help_where_no_hook_follows_the_loader),
		cmocka_unit_test(it_is_an_error_when_it_alone_brings_the_peak_near_the_limit),
		cmocka_unit_test(little_memory_is_a_notice),
		cmocka_unit_test(a_moment_is_not_worth_a_finding),
		cmocka_unit_test(persistent_workers_are_told_with_what_they_save),
		cmocka_unit_test(every_kind_of_finding_has_a_line_for_the_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
