/* Claims about the columns of the HTML page's chart. */
#include "tests/unit/model/script.h"

#include "profiler/view/html_series.h"

/* `epochs` epochs of 4 s: a train pool of 100 MiB, held idle for its last second; a validate pool beside it. */
static struct model *epochs(struct script *s, const char *name, int count)
{
	script_begin(s, name);
	for (int e = 0; e < count; e++) {
		int64_t train = 2 * e + 1, validate = 2 * e + 2;
		double t = 4 * e;

		script_pool(s, train, "train", e, t);
		script_pool(s, validate, "validate", e, t + 3);
		script_process(s, 2 + e, train, 0, t, t + 4);
		script_event(s, t + 0.5, "pool-first", train);
		script_event(s, t + 3, "pool-exhausted", train);
		script_event(s, t + 3.2, "pool-first", validate);
		script_event(s, t + 3.9, "pool-end", validate);
		script_event(s, t + 4, "pool-end", train);
	}
	for (int i = 0; i < 40 * count; i++) {
		script_walk(s, i * 0.1, OWNER, 40, 0);
		script_walk(s, i * 0.1, 2 + i / 40, 100, 0);
	}
	return script_finish(s, 4 * count);
}

static void columns_do_not_grow_with_the_epochs(void **state)
{
	struct html_series one, many;
	struct script s;
	struct model *m = epochs(&s, "one", 1);

	(void)state;
	assert_int_equal(html_series_make(&one, m, 200), 0);
	assert_true(one.column_count >= 3);
	html_series_release(&one, m);
	model_close(m);
	m = epochs(&s, "many", 7);
	assert_int_equal(html_series_make(&many, m, 200), 0);
	assert_int_equal(many.lanes[0], many.lanes[12]);
	assert_int_not_equal(many.lanes[0], many.lanes[1]);
	assert_true(many.column_count <= 7); /* two lanes in three states, and the owner */
	html_series_release(&many, m);
	model_close(m);
}

static void the_columns_of_a_row_sum_to_its_total(void **state)
{
	struct html_series h;
	struct script s;
	struct model *m = epochs(&s, "sum", 3);

	(void)state;
	assert_int_equal(html_series_make(&h, m, 100), 0);
	for (size_t row = 0; row < h.rows.count; row++) {
		int64_t sum = 0;

		for (size_t i = 0; i < h.column_count; i++)
			sum += h.columns[i].bytes[row];
		assert_int_equal(sum, h.rounds[row].total_bytes);
	}
	html_series_release(&h, m);
	model_close(m);
}

static void a_process_has_values_for_the_rows_of_its_life(void **state)
{
	struct html_series h;
	struct script s;
	struct model *m = epochs(&s, "process", 2);

	(void)state;
	assert_int_equal(html_series_make(&h, m, 200), 0);
	for (size_t i = 0; i < m->process_count; i++) {
		const struct html_process *p = &h.processes[i];

		assert_true(p->rows.count > 0);
		assert_true(h.rows.t_ns[p->first] >= m->processes[i].born_ns);
		if (m->processes[i].ended_ns != MODEL_NONE)
			assert_true(h.rows.t_ns[p->first + p->rows.count - 1] <=
				    m->processes[i].ended_ns);
	}
	html_series_release(&h, m);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_do_not_grow_with_the_epochs),
		cmocka_unit_test(the_columns_of_a_row_sum_to_its_total),
		cmocka_unit_test(a_process_has_values_for_the_rows_of_its_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
