/* Claims about tui/sheet.h: one unit a table, rows that stay put, nothing hidden without a word. */
#include <limits.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/model/model.h"
#include "tui/sheet.h"

#define GIB INT64_C(1073741824)

static char printed[8192];

static void add_pool(struct sheet *sheet, int64_t id, const char *name, int64_t memory)
{
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, id);

	value_text(sheet_value(sheet, row, COLUMN_OVERVIEW_POOL), name);
	value_text(sheet_value(sheet, row, COLUMN_OVERVIEW_STATE), "parked");
	value_number(sheet_value(sheet, row, COLUMN_OVERVIEW_MEMORY), VALUE_BYTES, memory);
}

static struct sheet three_pools(void)
{
	struct sheet sheet;
	struct sheet_row *total;

	sheet_init(&sheet, SHEET_OVERVIEW);
	add_pool(&sheet, 1, "train #1", 3 * GIB);
	add_pool(&sheet, 2, "validate #2", GIB / 2);
	add_pool(&sheet, 3, "train #3", 9 * GIB);
	total = sheet_add(&sheet, ROW_TOTAL, 0);
	value_text(sheet_value(&sheet, total, COLUMN_OVERVIEW_POOL), "all");
	return sheet;
}

static struct sheet_place drawn(const struct sheet *sheet, struct sheet_view *view, int width,
				int height)
{
	struct cells cells = {0};
	struct sheet_place place = {.cells = &cells, .height = height};
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	assert_int_equal(cells_resize(&cells, width, height), 0);
	sheet_draw(sheet, view, &place);
	cells_print(&cells, out);
	fclose(out);
	cells_release(&cells);
	return place;
}

static const char *line(int number)
{
	static char text[512];
	const char *from = printed;

	while (number--)
		from = strchr(from, '\n') + 1;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(from, "\n"), from);
	return text;
}

static void bytes_of_a_table_have_one_unit(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	drawn(&sheet, &view, 80, 6);
	assert_non_null(strstr(line(1), " 3.0"));
	assert_non_null(strstr(line(2), " 0.5"));
	assert_non_null(strstr(line(3), " 9.0"));
	sheet_release(&sheet);
}

static void what_was_ever_allocated_does_not_choose_the_unit(void **state)
{
	struct sheet sheet;
	struct sheet_row *row;

	(void)state;
	sheet_init(&sheet, SHEET_SITES);
	row = sheet_add(&sheet, ROW_PLAIN, 1);
	value_number(sheet_value(&sheet, row, COLUMN_SITES_LIVE), VALUE_BYTES, GIB / 4);
	value_number(sheet_value(&sheet, row, COLUMN_SITES_ALLOC), VALUE_BYTES, 400 * GIB);
	assert_int_equal(sheet_unit(&sheet), FORMAT_MIB);
	value_number(sheet_value(&sheet, row, COLUMN_SITES_LIVE), VALUE_BYTES, 2 * GIB);
	assert_int_equal(sheet_unit(&sheet), FORMAT_GIB);
	sheet_release(&sheet);
}

static void numbers_of_neighbours_never_touch(void **state)
{
	struct sheet sheet;
	struct sheet_view view;
	struct sheet_row *row;

	(void)state;
	sheet_init(&sheet, SHEET_PROCESSES);
	sheet_view_init(&view);
	row = sheet_add(&sheet, ROW_PLAIN, 1);
	value_text(sheet_value(&sheet, row, COLUMN_PROCESSES_PROCESS), "worker 0");
	value_number(sheet_value(&sheet, row, COLUMN_PROCESSES_MEMORY), VALUE_BYTES,
		     1023 * (GIB / 1024));
	value_number(sheet_value(&sheet, row, COLUMN_PROCESSES_HEAP), VALUE_BYTES,
		     1022 * (GIB / 1024));
	value_number(sheet_value(&sheet, row, COLUMN_PROCESSES_UNSHARED), VALUE_BYTES,
		     1021 * (GIB / 1024));
	drawn(&sheet, &view, 80, 6);
	assert_non_null(strstr(line(1), " 1023.0 1022.0 1021.0"));
	sheet_release(&sheet);
}

static void a_figure_that_was_last_seen_a_while_ago_says_so(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_value(&sheet, &sheet.rows[1], COLUMN_OVERVIEW_MEMORY)->stale = 1;
	sheet_view_init(&view);
	drawn(&sheet, &view, 80, 6);
	assert_non_null(strstr(line(2), " 0.5~"));
	assert_null(strchr(line(1), '~'));
	sheet_release(&sheet);
}

static void columns_of_nothing_are_not_drawn(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	drawn(&sheet, &view, 120, 6);
	assert_null(strstr(line(0), "PRIVATE"));
	assert_non_null(strstr(line(0), "IDLE")); /* always: that it is 0 is news */
	sheet_release(&sheet);
}

static void narrow_tables_keep_numbers_whole_and_tell_what_is_hidden(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;
	struct sheet_place place;

	(void)state;
	value_number(sheet_value(&sheet, &sheet.rows[0], COLUMN_OVERVIEW_WORKERS), VALUE_COUNT, 8);
	sheet_view_init(&view);
	place = drawn(&sheet, &view, 40, 6);
	assert_int_equal(place.hidden_columns, 1);
	for (int i = 1; i < 4; i++)
		assert_true(strlen(line(i)) <= 40);
	assert_non_null(strstr(line(3), "9.0"));
	sheet_release(&sheet);
}

static void sorting_is_by_value_largest_first_and_can_be_turned(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	view.sort = COLUMN_OVERVIEW_MEMORY - COLUMN_OVERVIEW_POOL;
	sheet_sort(&sheet, &view, 0, 0);
	assert_int_equal(sheet.rows[0].id, 3);
	assert_int_equal(sheet.rows[2].id, 2);
	assert_int_equal(sheet.rows[3].kind, ROW_TOTAL);
	view.reversed = 1;
	sheet_sort(&sheet, &view, 0, 0);
	assert_int_equal(sheet.rows[0].id, 2);
	assert_int_equal(sheet.rows[3].kind, ROW_TOTAL);
	sheet_view_release(&view);
	sheet_release(&sheet);
}

static void a_frozen_order_stays_whatever_the_values_do(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	view.sort = COLUMN_OVERVIEW_MEMORY - COLUMN_OVERVIEW_POOL;
	sheet_sort(&sheet, &view, 100, 0); /* 3 1 2 */
	sheet_value(&sheet, &sheet.rows[2], COLUMN_OVERVIEW_MEMORY)->number = 50 * GIB;
	view.frozen_until_ns = 1000;
	sheet_sort(&sheet, &view, 900, 0);
	assert_int_equal(sheet.rows[2].id, 2);
	sheet_sort(&sheet, &view, 1100, 0);
	assert_int_equal(sheet.rows[0].id, 2);
	sheet_view_release(&view);
	sheet_release(&sheet);
}

static void the_selection_follows_its_thing(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	assert_int_equal(sheet_selected(&sheet, &view), 0);
	sheet_move(&sheet, &view, 1);
	assert_int_equal(view.selected, 2);
	view.sort = COLUMN_OVERVIEW_MEMORY - COLUMN_OVERVIEW_POOL;
	sheet_sort(&sheet, &view, 0, 0);
	assert_int_equal(sheet_selected(&sheet, &view), 2); /* row 2 now: the smallest */
	assert_int_equal(view.selected, 2);
	sheet_view_release(&view);
	sheet_release(&sheet);
}

static void when_a_thing_is_gone_the_row_below_is_selected(void **state)
{
	struct sheet sheet = three_pools(), fewer;
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	sheet_select(&sheet, &view, 1);
	sheet_init(&fewer, SHEET_OVERVIEW);
	add_pool(&fewer, 1, "train #1", 1);
	add_pool(&fewer, 3, "train #3", 1);
	assert_int_equal(sheet_selected(&fewer, &view), 1);
	assert_int_equal(view.selected, 3);
	sheet_release(&fewer);
	sheet_release(&sheet);
}

static void moving_stops_at_the_ends_and_never_on_a_total(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	sheet_move(&sheet, &view, INT_MAX);
	assert_int_equal(view.selected, 3);
	sheet_move(&sheet, &view, -INT_MAX);
	assert_int_equal(view.selected, 1);
	sheet_release(&sheet);
}

static void a_filter_counts_what_it_hides_and_keeps_the_total(void **state)
{
	struct sheet sheet = three_pools();

	(void)state;
	assert_int_equal(sheet_filter(&sheet, "TRAIN"), 3);
	assert_int_equal(sheet.row_count, 3);
	assert_int_equal(sheet.hidden_rows, 1);
	assert_int_equal(sheet.rows[2].kind, ROW_TOTAL);
	sheet_release(&sheet);
}

static void a_search_goes_round(void **state)
{
	struct sheet sheet = three_pools();
	struct sheet_view view;

	(void)state;
	sheet_view_init(&view);
	assert_int_equal(sheet_search(&sheet, &view, "train", 1), 2);
	sheet_select(&sheet, &view, 2);
	assert_int_equal(sheet_search(&sheet, &view, "train", 1), 0);
	assert_int_equal(sheet_search(&sheet, &view, "train", -1), 0);
	assert_int_equal(sheet_search(&sheet, &view, "nowhere", 1), -1);
	sheet_release(&sheet);
}

static void the_selected_row_is_always_in_view(void **state)
{
	struct sheet sheet;
	struct sheet_view view;
	struct sheet_place place;

	(void)state;
	sheet_init(&sheet, SHEET_OVERVIEW);
	for (int i = 0; i < 100; i++)
		add_pool(&sheet, i, "pool", GIB);
	sheet_view_init(&view);
	sheet_select(&sheet, &view, 70);
	place = drawn(&sheet, &view, 80, 10);
	assert_true(place.first_row <= 70 && 70 < place.first_row + place.rows);
	sheet_select(&sheet, &view, 3);
	place = drawn(&sheet, &view, 80, 10);
	assert_true(place.first_row <= 3 && 3 < place.first_row + place.rows);
	sheet_release(&sheet);
}

static void an_empty_table_has_no_selection_and_draws(void **state)
{
	struct sheet sheet;
	struct sheet_view view;

	(void)state;
	sheet_init(&sheet, SHEET_EVENTS);
	sheet_view_init(&view);
	assert_int_equal(sheet_selected(&sheet, &view), -1);
	sheet_move(&sheet, &view, 1);
	sheet_sort(&sheet, &view, 0, 0);
	drawn(&sheet, &view, 40, 3);
	drawn(&sheet, &view, 1, 1);
	sheet_release(&sheet);
}

static void every_table_fits_its_narrowest_terminal(void **state)
{
	(void)state;
	for (int kind = 0; kind < SHEETS; kind++) {
		struct sheet sheet;
		int columns = 0;

		sheet_init(&sheet, kind);
		assert_true(sheet.column_count > 0 && sheet.column_count <= SHEET_COLUMNS_MAX);
		for (int i = 0; i < sheet.column_count; i++)
			columns += sheet.columns[i].from <= 40;
		assert_true(columns >= 2);
		sheet_release(&sheet);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_of_a_table_have_one_unit),
		cmocka_unit_test(what_was_ever_allocated_does_not_choose_the_unit),
		cmocka_unit_test(numbers_of_neighbours_never_touch),
		cmocka_unit_test(a_figure_that_was_last_seen_a_while_ago_says_so),
		cmocka_unit_test(columns_of_nothing_are_not_drawn),
		cmocka_unit_test(narrow_tables_keep_numbers_whole_and_tell_what_is_hidden),
		cmocka_unit_test(sorting_is_by_value_largest_first_and_can_be_turned),
		cmocka_unit_test(a_frozen_order_stays_whatever_the_values_do),
		cmocka_unit_test(the_selection_follows_its_thing),
		cmocka_unit_test(when_a_thing_is_gone_the_row_below_is_selected),
		cmocka_unit_test(moving_stops_at_the_ends_and_never_on_a_total),
		cmocka_unit_test(a_filter_counts_what_it_hides_and_keeps_the_total),
		cmocka_unit_test(a_search_goes_round),
		cmocka_unit_test(the_selected_row_is_always_in_view),
		cmocka_unit_test(an_empty_table_has_no_selection_and_draws),
		cmocka_unit_test(every_table_fits_its_narrowest_terminal),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
