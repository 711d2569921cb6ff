/* Claims about the comparison of two runs. */
#include "tests/unit/model/script.h"

#include "printed.h"
#include "profiler/view/comparison.h"

/* Owner 100 MiB, a train worker of 190 until `end`, exhausted at 6. */
static struct model *make(struct script *s, const char *name, double end)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 2);
	script_pool(s, 2, "validate", 0, 6.5);
	script_process(s, 2, 1, 0, 2, end);
	script_process(s, 3, 2, 0, 6.5, 10);
	script_event(s, 2, "pool-first", 1);
	script_event(s, 6, "pool-exhausted", 1);
	script_event(s, 6.5, "pool-first", 2);
	script_event(s, end, "pool-end", 1);
	script_event(s, 10, "pool-exhausted", 2);
	script_event(s, 10, "pool-end", 2);
	for (double t = 0; t < 10; t += 0.1) {
		script_walk(s, t, OWNER, 100, 0);
		if (t > 1.99 && t < end - 0.01)
			script_walk(s, t, 2, 190, 0);
		if (t > 6.49 && t < 9.99)
			script_walk(s, t, 3, 110, 0);
	}
	return script_finish(s, 10);
}

static const char *compare(struct comparison *c, const char *title)
{
	FILE *out = print_begin();

	c->title = title;
	assert_int_equal(comparison_print(out, c, &(struct report_options){.width = 80}), 0);
	return printed(out);
}

static void both_runs_stand_side_by_side_at_one_scale(void **state)
{
	const double losses[] = {0.4127, 0.2031};
	const struct comparison_habit habits[] = {{"validate inside the train iterator's life",
						   441 * MIB},
						  {"keep the sanity iterator", 291 * MIB}};
	struct script s;
	struct model *before = make(&s, "before", 9.5), *after = make(&s, "after", 6.3);
	struct comparison c = {
		.old_name = "old order",
		.new_name = "new order",
		.old_file = "old.loopmem",
		.new_file = "new.loopmem",
		.old_run = before,
		.new_run = after,
		.old_losses = losses,
		.new_losses = losses,
		.loss_count = 2,
		.habits = habits,
		.habit_count = 2,
	};

	(void)state;
	assert_string_equal(
		compare(&c, "the same training twice"),
		"loopmem demo: the same training twice\n"
		"\n"
		"     old order                              new order\n"
		" 400|                      //////////  |   |                                  |\n"
		"    |                      //////////  |   |                                  |\n"
		" 290|      ===============///////////  |   |      ================            |\n"
		"    |      ===============/============|   |      ============================|\n"
		"    |##################################|   |##################################|\n"
		"    |##################################|   |##################################|\n"
		"    |      | train e0 ==== |validate e0    |      | train e0 =====|validate e0\n"
		"      # owner  = delivering  / held idle                      MiB, same scale\n"
		"\n"
		"                        old order   new order        change\n"
		"peak                      400 MiB     290 MiB      -110 MiB   -28%\n"
		"held idle, at most        190 MiB       0 MiB      -190 MiB\n"
		"  by train pools          190 MiB       0 MiB      -190 MiB\n"
		"held idle, average         66 MiB       0 MiB       -66 MiB\n"
		"  by train pools           66 MiB       0 MiB       -66 MiB\n"
		"pools alive at once             2           1\n"
		"workers that fit          about 3     about 4\n"
		"time                        10.0s       10.0s         +0.0s\n"
		"losses, 2 epochs     0.4127 0.2031, the same to the bit\n"
		"\n"
		"Old order = 2 habits seen in real frameworks. Peak with only one of them, MiB:\n"
		"  441  validate inside the train iterator's life    291  keep the sanity iterator\n"
		"Look at both:  loopmem top old.loopmem     loopmem diff old.loopmem new.loopmem\n");
	model_close(before);
	model_close(after);
}

static void losses_that_differ_are_both_shown(void **state)
{
	const double ours[] = {0.5, 0.25}, theirs[] = {0.5, 0.25000000001};
	struct script s;
	struct model *m = make(&s, "differ", 9.5);
	struct comparison c = {
		.old_name = "old order",
		.new_name = "new order",
		.old_file = "a",
		.new_file = "b",
		.old_run = m,
		.new_run = m,
		.old_losses = ours,
		.new_losses = theirs,
		.loss_count = 2,
	};

	(void)state;
	assert_int_equal(comparison_same_losses(&c), 0);
	assert_non_null(strstr(compare(&c, "x"), "losses differ: please report"));
	c.new_losses = ours;
	assert_int_equal(comparison_same_losses(&c), 1);
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_runs_stand_side_by_side_at_one_scale),
		cmocka_unit_test(losses_that_differ_are_both_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
