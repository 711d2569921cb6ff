/* Claims about the chart: scale, labels, layers, gaps, phases and moments. */
#include "tests/unit/model/script.h"

#include "printed.h"
#include "profiler/view/chart.h"

#define GIB (1024 * MIB)

/* A chart of m with labels, `rows` high and `width` wide, as text. */
static const char *draw(const struct model *m, int rows, int width, int64_t limit_bytes)
{
	struct chart_scale scale = chart_scale_for(m->totals.peak_bytes, limit_bytes);
	struct chart_area area = {.m = m,
				  .glyphs = &chart_ascii,
				  .end_ns = m->last_ns,
				  .left = 4,
				  .width = width,
				  .rows = rows};
	struct chart_grid grid;
	FILE *out = print_begin();

	assert_int_equal(chart_grid_init(&grid, 4 + width, rows + 2), 0);
	assert_int_equal(chart_plot(&grid, &area, &scale), 0);
	chart_labels(&grid, &area, &scale);
	chart_phases(&grid, &area, rows, -1);
	chart_times(&grid, &area, rows + 1);
	chart_print(&grid, out);
	chart_grid_release(&grid);
	return printed(out);
}

static void the_scale_is_a_round_number_above_peak_and_limit(void **state)
{
	static const struct {
		double peak, limit, top;
		int limited;
	} cases[] = {
		{26.4, 28, 30, 1}, {26, -1, 30, 0}, {0.9, -1, 1000.0 / 1024, 0},
		{4, 28, 4, 0},     {4.1, -1, 5, 0}, {5.1, -1, 6, 0},
		{6.5, -1, 8, 0}, /* far below the limit: it leaves the chart */
		{7.1, 28, 30, 1},  {1, 1.5, 2, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int64_t limit = cases[i].limit < 0 ? MODEL_NONE
						   : (int64_t)(cases[i].limit * (double)GIB);
		struct chart_scale scale =
			chart_scale_for((int64_t)(cases[i].peak * (double)GIB), limit);

		assert_float_equal((double)scale.top_bytes / (double)GIB, cases[i].top, 1e-6);
		assert_int_equal(scale.limit_bytes != MODEL_NONE, cases[i].limited);
	}
	assert_true(chart_scale_for(0, MODEL_NONE).top_bytes > 0);
}

/* Owner 100 MiB; a train worker of `worker` MiB from 2 s on, exhausted at 6, while validation runs; ended at 9. */
static struct model *make(struct script *s, const char *name, double worker)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 2);
	script_pool(s, 2, "validate", 0, 6);
	script_process(s, 2, 1, 0, 2, 9);
	script_event(s, 2, "pool-first", 1);
	script_event(s, 6, "pool-exhausted", 1);
	script_event(s, 6, "pool-first", 2);
	script_event(s, 9, "pool-end", 1);
	script_event(s, 10, "pool-end", 2);
	for (double t = 0; t < 10; t += 0.1) {
		script_walk(s, t, OWNER, 100, 0);
		if (t > 1.99 && t < 8.99)
			script_walk(s, t, 2, worker, 0);
	}
	return script_finish(s, 10);
}

static void layers_stack_from_the_owner_to_what_is_held_idle(void **state)
{
	struct script s;
	struct model *m = make(&s, "layers", 190);

	(void)state;
	assert_string_equal(draw(m, 6, 20, 290 * MIB), "290|----========//////--\n"
						       "200|    ========//////\n"
						       "   |    ========//////\n"
						       "100|    ========//////\n"
						       "   |####################\n"
						       "  0|####################\n"
						       "        |train0=|val e0-\n"
						       "    0:00\n");
	model_close(m);
}

static void what_is_held_idle_is_at_least_one_cell(void **state)
{
	struct script s;
	struct model *m = make(&s, "little", 2);
	const char *chart = draw(m, 6, 20, MODEL_NONE);

	(void)state;
	assert_non_null(strstr(chart, "//////"));
	model_close(m);
}

static void the_peak_is_in_the_chart_at_every_width(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "spike");
	for (int i = 0; i < 300; i++)
		script_walk(&s, i * 0.1, OWNER, i == 211 ? 960 : 100, 0);
	m = script_finish(&s, 30);
	for (int width = 20; width <= 90; width++) {
		const char *top = draw(m, 10, width, MODEL_NONE);

		assert_int_equal(strspn(strchr(top, '#'), "#"),
				 1); /* the first row that has any: one column */
		assert_true(strchr(top, '#') < strchr(top, '\n'));
	}
	model_close(m);
}

static void a_pause_of_sampling_is_an_empty_column_with_a_mark(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "pause");
	for (int i = 0; i < 100; i++)
		script_walk(&s, i * 0.1 + (i < 50 ? 0 : 30), OWNER, 100, 0);
	m = script_finish(&s, 40);
	assert_string_equal(draw(m, 2, 20, MODEL_NONE), "100|###              ###\n"
							"  0|###??????????????###\n"
							"\n"
							"    0:00           0:30\n");
	model_close(m);
}

static void a_chart_of_mib_and_without_a_limit_has_round_labels(void **state)
{
	struct script s;
	struct model *m = make(&s, "labels", 190);

	(void)state;
	/* 300 at the top edge: 0, 100 and 200 in their rows */
	assert_int_equal(strncmp(draw(m, 7, 20, MODEL_NONE), "300|", 4), 0);
	assert_non_null(strstr(draw(m, 7, 20, MODEL_NONE), "200|"));
	assert_null(strstr(draw(m, 7, 20, MODEL_NONE), "290|"));
	model_close(m);
}

static void phases_are_named_as_far_as_they_fit(void **state)
{
	struct script s;
	struct model *m = make(&s, "names", 50);

	(void)state;
	assert_non_null(strstr(draw(m, 4, 60, MODEL_NONE), "| train e0 ============="));
	assert_non_null(strstr(draw(m, 4, 60, MODEL_NONE), "| validate e0 -----"));
	assert_non_null(strstr(draw(m, 4, 30, MODEL_NONE), "|validate e0"));
	assert_non_null(strstr(draw(m, 4, 16, MODEL_NONE), "|train|val e0"));
	assert_non_null(strstr(draw(m, 4, 8, MODEL_NONE), "|t=|v"));
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_scale_is_a_round_number_above_peak_and_limit),
		cmocka_unit_test(layers_stack_from_the_owner_to_what_is_held_idle),
		cmocka_unit_test(what_is_held_idle_is_at_least_one_cell),
		cmocka_unit_test(the_peak_is_in_the_chart_at_every_width),
		cmocka_unit_test(a_pause_of_sampling_is_an_empty_column_with_a_mark),
		cmocka_unit_test(a_chart_of_mib_and_without_a_limit_has_round_labels),
		cmocka_unit_test(phases_are_named_as_far_as_they_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
