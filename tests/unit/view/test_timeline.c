/* Claims about which moments a picture shows. */
#include "tests/unit/model/script.h"

#include "profiler/view/timeline.h"

/* A pool that is exhausted at 7.05 s, and one round that is higher than all others, at 13.7 s. */
static struct model *spike(struct script *s, const char *name)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1);
	script_process(s, 2, 1, 0, 1, 18);
	script_event(s, 2, "pool-first", 1);
	script_event(s, 7.05, "pool-exhausted", 1);
	script_event(s, 18, "pool-end", 1);
	for (int i = 0; i < 200; i++)
		script_walk(s, i * 0.1, OWNER, i == 137 ? 900 : 100 + i % 7, 0);
	return script_finish(s, 20);
}

static int has(const struct timeline *t, int64_t t_ns)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->t_ns[i] == t_ns)
			return 1;
	return 0;
}

static void the_peak_is_shown_whatever_the_limit(void **state)
{
	struct timeline t;
	struct script s;
	struct model *m = spike(&s, "peak");

	(void)state;
	for (size_t limit = 1; limit <= 300; limit++) {
		assert_int_equal(timeline_choose(&t, m, limit), 0);
		assert_true(has(&t, m->totals.peak_at_ns));
		assert_true(t.count <= limit);
		timeline_release(&t);
	}
	model_close(m);
}

static void moments_ascend_and_come_once(void **state)
{
	struct timeline t;
	struct script s;
	struct model *m = spike(&s, "order");

	(void)state;
	assert_int_equal(timeline_choose(&t, m, 100), 0);
	for (size_t i = 1; i < t.count; i++)
		assert_true(t.t_ns[i - 1] < t.t_ns[i]);
	timeline_release(&t);
	model_close(m);
}

static void both_sides_of_an_edge_are_shown(void **state)
{
	struct timeline t;
	struct script s;
	struct model *m = spike(&s, "edge");

	(void)state;
	assert_int_equal(timeline_choose(&t, m, 60), 0);
	assert_true(has(&t, script_ns(7.0)));
	assert_true(has(&t, script_ns(7.1)));
	timeline_release(&t);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peak_is_shown_whatever_the_limit),
		cmocka_unit_test(moments_ascend_and_come_once),
		cmocka_unit_test(both_sides_of_an_edge_are_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
