/* Claims about the reduction of rounds to buckets. */
#include "script.h"

static struct model *saw(struct script *s, const char *name, double step, int count)
{
	script_begin(s, name);
	for (int i = 0; i < count; i++)
		script_walk(s, i * step, OWNER, 100 + i % 7, 0);
	return script_finish(s, count * step);
}

static void the_peak_survives_every_number_of_buckets(void **state)
{
	struct model_round out[64];
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "spike");
	for (int i = 0; i < 200; i++)
		script_walk(&s, i * 0.1, OWNER, i == 137 ? 900 : 100 + i % 7, 0);
	m = script_finish(&s, 20);
	for (size_t n = 1; n <= 64; n++) {
		int64_t most = 0;

		model_reduce(m, 0, script_ns(20), n, out);
		for (size_t i = 0; i < n; i++)
			most = out[i].total_bytes > most ? out[i].total_bytes : most;
		assert_mib(most, 900);
	}
	model_close(m);
}

static void a_bucket_is_one_instant_as_it_was(void **state)
{
	struct model_round out[5];
	struct script s;
	struct model *m = saw(&s, "instant", 0.1, 100);

	(void)state;
	model_reduce(m, 0, script_ns(10), 5, out);
	for (size_t i = 0; i < 5; i++) {
		int round = model_round_at(m, out[i].t_ns);

		assert_memory_equal(&out[i], &m->rounds[round], sizeof(out[i]));
		assert_true(out[i].t_ns >= (int64_t)i * script_ns(2) &&
			    out[i].t_ns < (int64_t)(i + 1) * script_ns(2));
	}
	model_close(m);
}

static void a_figure_holds_where_no_round_lies(void **state)
{
	struct model_round out[40];
	struct script s;
	struct model *m = saw(&s, "holds", 1, 10);

	(void)state;
	model_reduce(m, 0, script_ns(10), 40, out);
	assert_int_equal(out[0].t_ns, 0);
	assert_int_equal(out[3].t_ns, 0);
	assert_int_equal(out[4].t_ns, script_ns(1));
	assert_int_equal(out[39].t_ns, MODEL_NONE); /* after the last round */
	model_close(m);
}

static void a_pause_of_sampling_is_a_gap(void **state)
{
	struct model_round out[20];
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "gap");
	for (int i = 0; i < 100; i++)
		script_walk(&s, i * 0.1 + (i >= 50 ? 100 : 0), OWNER, 100, 0);
	m = script_finish(&s, 110);
	model_reduce(m, 0, script_ns(110), 20, out);
	assert_true(out[0].t_ns != MODEL_NONE);
	assert_int_equal(out[10].t_ns, MODEL_NONE);
	assert_true(out[19].t_ns != MODEL_NONE);
	model_close(m);
}

static void thinned_rounds_are_no_gaps(void **state)
{
	struct model_round out[60];
	struct script s;
	struct model *m = saw(&s, "thinned", 60, 20);

	(void)state;
	model_reduce(m, 0, script_ns(19 * 60), 60, out);
	for (size_t i = 0; i < 60; i++)
		assert_true(out[i].t_ns != MODEL_NONE);
	model_close(m);
}

static void incomplete_rounds_are_shown_only_when_alone(void **state)
{
	struct model_round out[2];
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "incomplete");
	script_process(&s, 2, 0, 0, 0, -1);
	for (int i = 0; i < 4; i++) {
		script_walk(&s, i, OWNER, i == 2 ? 500 : 100, 0);
		if (i < 2)
			script_walk(&s, i, 2, 50, 0);
	}
	m = script_finish(&s, 4);
	model_reduce(m, script_ns(2), script_ns(4), 1, out);
	assert_mib(out[0].total_bytes, 100);
	model_reduce(m, script_ns(2), script_ns(4), 2, out);
	assert_mib(out[0].total_bytes, 500);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peak_survives_every_number_of_buckets),
		cmocka_unit_test(a_bucket_is_one_instant_as_it_was),
		cmocka_unit_test(a_figure_holds_where_no_round_lies),
		cmocka_unit_test(a_pause_of_sampling_is_a_gap),
		cmocka_unit_test(thinned_rounds_are_no_gaps),
		cmocka_unit_test(incomplete_rounds_are_shown_only_when_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
