/* Claims about the comparison of two runs, figure by figure. */
#include "script.h"

#include "profiler/model/difference.h"

struct shape {
	int epochs, workers;
	double train_mib; /* private, of one worker */
	double kept_s;    /* a train pool lives on so long after its last batch */
};

/* Epochs of 10 s: a train pool from 0 to 6, its last batch at 6. */
static struct model *run(const char *name, const struct shape *shape)
{
	struct script s;
	int process = 2;

	script_begin(&s, name);
	for (int e = 0; e < shape->epochs; e++) {
		double begin = 10.0 * e + 0.5, last = begin + 6, end = last + shape->kept_s;

		script_pool(&s, e + 1, "train", e, begin)->workers = shape->workers;
		for (int w = 0; w < shape->workers; w++)
			script_process(&s, process + w, e + 1, w, begin, end);
		script_event(&s, begin + 1, "pool-first", e + 1);
		script_event(&s, last, "pool-exhausted", e + 1);
		script_event(&s, end, "pool-end", e + 1);
		for (double t = begin; t < end; t += 0.5)
			for (int w = 0; w < shape->workers; w++)
				script_walk(&s, t, process + w, shape->train_mib + e, 0);
		process += shape->workers;
	}
	for (double t = 0; t < 10.0 * shape->epochs; t += 0.5)
		script_walk(&s, t, OWNER, 100, 0);
	return script_finish(&s, 10.0 * shape->epochs);
}

static struct difference compare(const struct model *base, const struct model *head)
{
	struct difference d;

	assert_int_equal(difference_make(&d, base, head), 0);
	return d;
}

static void a_run_is_the_same_as_itself(void **state)
{
	struct model *m = run("self", &(struct shape){3, 2, 100, 3});
	struct difference d = compare(m, m);

	(void)state;
	assert_int_equal(d.verdict, DIFFERENCE_SAME);
	assert_int_equal(d.pair_count, 3);
	for (size_t i = 0; i < d.pair_count; i++)
		assert_int_equal(d.pairs[i].base, d.pairs[i].head);
	difference_release(&d);
	model_close(m);
}

static void ending_idle_pools_is_better_and_says_by_how_much(void **state)
{
	struct model *base = run("kept", &(struct shape){3, 2, 100, 3});
	struct model *head = run("ended", &(struct shape){3, 2, 100, 0});
	struct difference d = compare(base, head);
	const struct difference_figure *idle = difference_find(&d, "idle_retained_bytes_max");

	(void)state;
	assert_int_equal(d.verdict, DIFFERENCE_BETTER);
	assert_non_null(idle);
	assert_true(idle->counted);
	assert_mib(idle->base, 204);
	assert_mib(idle->head, 0);
	difference_release(&d);
	model_close(base);
	model_close(head);
}

/* The pools of a run differ by 2 MiB each worker from first to last: 4 MiB of two, half of it is noise. */
static void a_change_within_the_noise_is_not_counted(void **state)
{
	struct model *base = run("noisy", &(struct shape){3, 2, 100, 0});
	struct model *head = run("noisy2", &(struct shape){3, 2, 100.5, 0});
	struct model *grown = run("grown", &(struct shape){3, 2, 120, 0});
	struct difference d = compare(base, head);
	const struct difference_figure *f = difference_find(&d, "train.private_bytes");

	(void)state;
	assert_non_null(f);
	assert_mib(f->noise, 2);
	assert_mib(f->head - f->base, 1);
	assert_false(f->counted);
	assert_int_equal(d.verdict, DIFFERENCE_SAME);
	difference_release(&d);
	d = compare(base, grown);
	assert_true(difference_find(&d, "train.private_bytes")->counted);
	assert_int_equal(d.verdict, DIFFERENCE_WORSE);
	difference_release(&d);
	model_close(base);
	model_close(head);
	model_close(grown);
}

static void other_numbers_of_workers_are_not_comparable(void **state)
{
	struct model *base = run("two", &(struct shape){2, 2, 100, 0});
	struct model *head = run("four", &(struct shape){2, 4, 100, 0});
	struct difference d = compare(base, head);

	(void)state;
	assert_int_equal(d.verdict, DIFFERENCE_INCOMPARABLE);
	assert_string_equal(d.reasons[0], "2 against 4 train workers");
	difference_release(&d);
	model_close(base);
	model_close(head);
}

static void a_pool_without_a_partner_stands_alone(void **state)
{
	struct model *base = run("three", &(struct shape){3, 2, 100, 0});
	struct model *head = run("one", &(struct shape){1, 2, 100, 0});
	struct difference d = compare(base, head);

	(void)state;
	assert_int_equal(d.pair_count, 3);
	assert_int_equal(d.pairs[0].head, 0);
	assert_int_equal(d.pairs[1].head, -1);
	difference_release(&d);
	d = compare(head, base);
	assert_int_equal(d.pair_count, 3);
	assert_int_equal(d.pairs[2].base, -1);
	difference_release(&d);
	model_close(base);
	model_close(head);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_the_same_as_itself),
		cmocka_unit_test(ending_idle_pools_is_better_and_says_by_how_much),
		cmocka_unit_test(a_change_within_the_noise_is_not_counted),
		cmocka_unit_test(other_numbers_of_workers_are_not_comparable),
		cmocka_unit_test(a_pool_without_a_partner_stands_alone),
	};

	return cmocka_run_group_tests_name("difference", tests, NULL, NULL);
}
