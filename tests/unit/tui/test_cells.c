/* Claims about tui/cells.h: what a grid shows is safe, aligned and never outside itself. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/cells.h"

static char printed[4096];

static const char *print(const struct cells *cells)
{
	FILE *out = fmemopen(printed, sizeof(printed), "w");

	cells_print(cells, out);
	fclose(out);
	return printed;
}

static struct cells grid(int width, int height, enum glyphs glyphs)
{
	struct cells cells = {.glyphs = glyphs};

	assert_int_equal(cells_resize(&cells, width, height), 0);
	return cells;
}

static void text_is_cut_at_the_right_edge(void **state)
{
	struct cells cells = grid(8, 2, GLYPHS_BLOCKS);
	struct pen pen = pen_at(&cells, 0, 4);

	(void)state;
	pen_text(&pen, "abcdefgh");
	assert_string_equal(print(&cells), "    abcd\n\n");
	cells_release(&cells);
}

static void drawing_outside_the_grid_does_nothing(void **state)
{
	struct cells cells = grid(4, 1, GLYPHS_BLOCKS);
	struct pen below = pen_at(&cells, 7, 0), left = pen_at(&cells, 0, -3);

	(void)state;
	pen_text(&below, "below");
	pen_text(&left, "left");
	cells_over(&cells, 5, 2, 9, OVER_SELECTED);
	assert_string_equal(print(&cells), "t\n");
	cells_release(&cells);
}

static void control_characters_cannot_reach_the_terminal(void **state)
{
	struct cells cells = grid(20, 1, GLYPHS_BLOCKS);
	struct pen pen = pen_at(&cells, 0, 0);

	(void)state;
	pen_text(&pen, "a\033[2Jb\tc\x9b\xff");
	pen_text(&pen, "\xc2\x9b.");
	assert_string_equal(print(&cells), "a?[2Jb?c\xef\xbf\xbd\xef\xbf\xbd?.\n");
	cells_release(&cells);
}

static void ascii_grids_hold_ascii_alone(void **state)
{
	struct cells cells = grid(30, 1, GLYPHS_ASCII);
	struct pen pen = pen_at(&cells, 0, 0);

	(void)state;
	pen_text(&pen, "█▒░╱·─═│├└▲…←→ é漢");
	for (const char *p = print(&cells); *p; p++)
		assert_true(*p == '\n' || (*p >= ' ' && *p < 0x7f));
	assert_string_equal(printed, "#=./.-=||`^~<> ??\n");
	cells_release(&cells);
}

static void wide_characters_take_two_columns_and_break_cleanly(void **state)
{
	struct cells cells = grid(6, 1, GLYPHS_BLOCKS);
	struct pen pen = pen_at(&cells, 0, 0);

	(void)state;
	pen_text(&pen, "漢字x");
	assert_string_equal(print(&cells), "漢字x\n");
	pen = pen_at(&cells, 0, 1);
	pen_char(&pen, L'|');
	assert_string_equal(print(&cells), " |字x\n");
	pen = pen_at(&cells, 0, 5);
	pen_text(&pen, "漢"); /* no room for both halves */
	assert_string_equal(print(&cells), " |字x\n");
	cells_release(&cells);
}

static void text_can_end_at_a_column(void **state)
{
	struct cells cells = grid(10, 1, GLYPHS_BLOCKS);
	struct pen pen = pen_at(&cells, 0, 0);

	(void)state;
	pen_text_ending(&pen, 9, "12.5");
	assert_string_equal(print(&cells), "     12.5\n");
	cells_release(&cells);
}

static void names_are_cut_in_the_middle_and_paths_at_the_start(void **state)
{
	char out[64];

	(void)state;
	text_cut(out, sizeof(out), "CocoTrain.__getitem__", 18, CUT_MIDDLE);
	assert_int_equal(text_width(out), 18);
	assert_string_equal(out, "CocoTrain…etitem__");
	text_cut(out, sizeof(out), "/usr/lib/torch/data/worker.py:309", 19, CUT_START);
	assert_string_equal(out, "…data/worker.py:309");
	text_cut(out, sizeof(out), "short", 9, CUT_END);
	assert_string_equal(out, "short");
	text_cut(out, sizeof(out), "abcdef", 3, CUT_END);
	assert_string_equal(out, "ab…");
	text_cut(out, sizeof(out), "abc", 0, CUT_END);
	assert_string_equal(out, "");
}

static void overlays_change_no_text(void **state)
{
	struct cells cells = grid(5, 1, GLYPHS_BLOCKS);
	struct pen pen = pen_at(&cells, 0, 0);

	(void)state;
	pen_text(&pen, "abc");
	cells_over(&cells, 0, 0, 5, OVER_SELECTED);
	assert_int_equal(cells_at(&cells, 0, 4)->over, OVER_SELECTED);
	assert_string_equal(print(&cells), "abc\n");
	cells_release(&cells);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_cut_at_the_right_edge),
		cmocka_unit_test(drawing_outside_the_grid_does_nothing),
		cmocka_unit_test(control_characters_cannot_reach_the_terminal),
		cmocka_unit_test(ascii_grids_hold_ascii_alone),
		cmocka_unit_test(wide_characters_take_two_columns_and_break_cleanly),
		cmocka_unit_test(text_can_end_at_a_column),
		cmocka_unit_test(names_are_cut_in_the_middle_and_paths_at_the_start),
		cmocka_unit_test(overlays_change_no_text),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
