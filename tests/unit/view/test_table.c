/* Claims about tables: alignment, empty columns, what goes first when it is narrow. */
#include "tests/unit/model/script.h"

#include "printed.h"
#include "profiler/view/table.h"

static const struct table_column columns[] = {
	{"POOL", 6, 0, 1},  {"MEMORY", 6, 0, 0}, {"HEAP", 5, 2, 0},
	{"STALL", 5, 3, 0}, {"SHM", 4, 1, 0},
};

static struct table make(void)
{
	struct table t;

	table_init(&t, columns, 5);
	table_row(&t);
	table_set(&t, 0, "train #4");
	table_set(&t, 1, "10.7");
	table_set(&t, 2, "5.9");
	table_set(&t, 3, "9.8s");
	table_row(&t);
	table_set(&t, 0, "été");
	table_set(&t, 1, "0.2");
	assert_int_equal(t.failed, 0);
	return t;
}

static const char *print(int width, int *dropped)
{
	struct table t = make();
	FILE *out = print_begin();

	*dropped = table_print(&t, out, width);
	table_release(&t);
	return printed(out);
}

static void numbers_line_up_and_an_empty_column_is_not_drawn(void **state)
{
	int dropped;

	(void)state;
	assert_string_equal(print(80, &dropped), "  POOL      MEMORY   HEAP  STALL\n"
						 "  train #4    10.7    5.9   9.8s\n"
						 "  été          0.2      -      -\n");
	assert_int_equal(dropped, 0);
}

static void the_highest_rank_goes_first(void **state)
{
	int dropped;

	(void)state;
	assert_string_equal(print(31, &dropped), "  POOL      MEMORY   HEAP\n"
						 "  train #4    10.7    5.9\n"
						 "  été          0.2      -\n");
	assert_int_equal(dropped, 1);
	print(10, &dropped);
	assert_int_equal(dropped, 2); /* rank 0 stays */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_line_up_and_an_empty_column_is_not_drawn),
		cmocka_unit_test(the_highest_rank_goes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
