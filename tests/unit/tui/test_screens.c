/*
 * Claims about the screens as a whole, on the reference session and without a terminal: what the keys do to what is seen, and
 * that colour is never the only difference.
 */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "tui/ui.h"

#define SECOND INT64_C(1000000000)

static char ended[512], live[512], text[1 << 16];

/* In the place of running.c: what others of this user profile beside this test is none of its business. */
void running_find(struct running_list *list)
{
	running_release(list);
}

void running_release(struct running_list *list)
{
	*list = (struct running_list){0};
}

static void make(const char *options, const char *file)
{
	char command[2048];

	snprintf(command, sizeof(command), "%s/tests/fixtures/reference_session %s %s",
		 getenv("LOOPMEM_BUILD"), options, file);
	assert_int_equal(system(command), 0);
}

static int make_sessions(void **state)
{
	const char *dir = getenv("TEST_TMP");

	(void)state;
	snprintf(ended, sizeof(ended), "%s/ended.loopmem", dir);
	snprintf(live, sizeof(live), "%s/live.loopmem", dir);
	make("", ended);
	make("--until 718", live);
	return 0;
}

struct fixture {
	struct ui ui;
	struct cells cells;
};

static struct fixture *start(const char *file, int width, int height)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct tui_options options;
	struct error e;

	tui_options_init(&options);
	options.file = file;
	options.glyphs = TUI_GLYPHS_BLOCKS;
	if (ui_init(&f->ui, &options, &e))
		fail_msg("%s", e.text);
	f->ui.glyphs = f->ui.own_glyphs = GLYPHS_BLOCKS;
	f->ui.width = width;
	assert_int_equal(cells_resize(&f->cells, width, height), 0);
	return f;
}

static void stop(struct fixture *f)
{
	ui_release(&f->ui);
	cells_release(&f->cells);
	free(f);
}

static const char *shown(struct fixture *f)
{
	FILE *out = fmemopen(text, sizeof(text), "w");

	ui_draw(&f->ui, &f->cells);
	cells_print(&f->cells, out);
	fclose(out);
	return text;
}

static void type(struct fixture *f, const char *keys)
{
	for (; *keys; keys++)
		ui_key(&f->ui, *keys);
}

static void shows(struct fixture *f, const char *expected)
{
	if (!strstr(shown(f), expected))
		fail_msg("no \"%s\" on\n%s", expected, text);
}

static void the_three_answers_are_on_every_screen(void **state)
{
	struct fixture *f = start(ended, 80, 24);

	(void)state;
	for (const char *key = "123456"; *key; key++) {
		ui_key(&f->ui, *key);
		shows(f, "26.4 GiB");
		shows(f, "of 28.0");
		shows(f, *key == '1' ? "16.2 GiB held" : "16.4 at most");
		shows(f, "18.1 GiB");
	}
	stop(f);
}

static void a_live_session_follows_and_pauses(void **state)
{
	struct fixture *f = start(live, 80, 24);

	(void)state;
	shows(f, "LIVE 11:58");
	type(f, "h");
	shows(f, "PAUSED 11:");
	type(f, "F");
	shows(f, "LIVE 11:58");
	type(f, " ");
	shows(f, "PAUSED 11:58 (+0:00)");
	stop(f);
}

static void silence_is_said(void **state)
{
	struct fixture *f = start(live, 80, 24);

	(void)state;
	f->ui.clock_ns = f->ui.news_ns + 7 * SECOND;
	shows(f, "LOST 0:07");
	shows(f, "23.0 GiB"); /* the last picture stays */
	stop(f);
}

static int gone(const struct model *m)
{
	(void)m;
	return 1;
}

static void what_nobody_writes_any_more_is_a_replay_from_its_last_sample(void **state)
{
	struct tui_options options;
	struct fixture f = {0};
	struct error e;

	(void)state;
	tui_options_init(&options);
	options.file = live;
	options.collector_is_gone = gone;
	assert_int_equal(ui_init(&f.ui, &options, &e), 0);
	assert_int_equal(cells_resize(&f.cells, 80, 24), 0);
	shows(&f, "REPLAY 11:5");
	ui_release(&f.ui);
	cells_release(&f.cells);
}

static void differences_name_both_moments_and_add_up(void **state)
{
	struct fixture *f = start(ended, 80, 24);

	(void)state;
	type(f, "b5:20\nmpmd2");
	shows(f, "A 5:20  B 12:33   B minus A");
	shows(f, " All  26.4 GiB at B, +5.9 since A");
	shows(f, " train #4 e1");
	shows(f, "10.2    +10.2");
	shows(f, "-10.5");
	type(f, "x");
	shows(f, "A 12:33  B 5:20");
	type(f, "d");
	shows(f, "REPLAY 12:33");
	stop(f);
}

static void a_difference_of_processes_lists_those_that_are_gone(void **state)
{
	struct fixture *f = start(ended, 120, 60);

	(void)state;
	type(f, "b5:20\nmpmd3");
	shows(f, "worker 0 of train #2 e0");
	shows(f, "worker 0 of train #4 e1");
	stop(f);
}

static void an_opened_pool_shows_both_sides(void **state)
{
	struct fixture *f = start(ended, 120, 40);

	(void)state;
	type(f, "2jjj\n");
	shows(f, "forked 6:24.0   first batch 6:29.0   exhausted 11:30.0   ended 12:34.0");
	shows(f,
	      "held idle  10.0 GiB for 1:04. A restart costs 5.0 s, paid anyway: not persistent");
	shows(f, "WORKER      PID");
	type(f, "\033");
	assert_null(strstr(shown(f), "WORKER      PID"));
	stop(f);
}

static void processes_add_up_to_now(void **state)
{
	struct fixture *f = start(ended, 120, 60);
	struct sheet sheet = {0};
	int64_t sum = 0;

	(void)state;
	type(f, "3");
	ui_key(&f->ui, CODE_F(5)); /* the list: no pool rows that count twice */
	assert_true(ui_sheet(&f->ui, &sheet));
	for (int i = 0; i < sheet.row_count; i++)
		sum += sheet_value(&sheet, &sheet.rows[i], COLUMN_PROCESSES_MEMORY)->number;
	assert_in_range(sum, f->ui.now.round.total_bytes * 97 / 100, f->ui.now.round.total_bytes);
	sheet_release(&sheet);
	stop(f);
}

static void overview_rows_add_up_to_the_last_row(void **state)
{
	struct fixture *f = start(ended, 120, 60);
	struct sheet sheet = {0};
	int64_t sum = 0, total = 0;

	(void)state;
	assert_true(ui_sheet(&f->ui, &sheet));
	for (int i = 0; i < sheet.row_count; i++) {
		int64_t bytes = sheet_value(&sheet, &sheet.rows[i], COLUMN_OVERVIEW_MEMORY)->number;

		if (sheet.rows[i].kind == ROW_TOTAL)
			total = bytes;
		else
			sum += bytes;
	}
	assert_in_range(sum, total - total / 200, total + total / 200);
	sheet_release(&sheet);
	stop(f);
}

static void replay_comes_to_its_end_and_shows_the_peak(void **state)
{
	struct fixture *f = start(ended, 80, 24);
	int peak = 0, frames = 0;

	(void)state;
	type(f, "0}}}}}} ");
	while (f->ui.time.playing && frames++ < 1000) {
		ui_tick(&f->ui, SECOND / 2);
		peak |= f->ui.time.cursor_ns == f->ui.model->totals.peak_at_ns;
	}
	assert_true(peak);
	assert_in_range(frames, 30, 200);
	stop(f);
}

static void every_screen_draws_at_every_size(void **state)
{
	struct fixture *f = start(ended, 80, 24);

	(void)state;
	type(f, "mpm");
	for (int screen = SCREEN_OVERVIEW; screen < SCREENS; screen++)
		for (int width = 1; width <= 130; width += 3)
			for (int height = 1; height <= 45; height += 2) {
				f->ui.screen = screen;
				f->ui.width = width;
				f->ui.time.difference = (width / 3) & 1;
				ui_moved(&f->ui);
				cells_resize(&f->cells, width, height);
				ui_draw(&f->ui, &f->cells);
			}
	stop(f);
}

/* The cells as they look without colours: character and attributes. */
static void looks(const struct fixture *f, int y, char *out, size_t size)
{
	size_t at = 0;

	for (int x = 0; x < f->cells.width && at + 16 < size; x++) {
		const struct cell *cell = cells_at(&f->cells, y, x);
		struct ink ink = role_ink(PALETTE_MONO, cell->role, cell->over);

		at += (size_t)snprintf(out + at, size - at, "%x.%x ", (unsigned)cell->ch,
				       ink.attributes);
	}
}

static int row_of(struct fixture *f, const char *word)
{
	const char *at = strstr(shown(f), word);
	int y = 0;

	assert_non_null(at);
	for (const char *p = text; p < at; p++)
		y += *p == '\n';
	return y;
}

static void states_differ_without_colour(void **state)
{
	struct fixture *f = start(ended, 80, 40);
	static const enum model_state states[] = {MODEL_STARTING, MODEL_DELIVERING, MODEL_PARKED,
						  MODEL_EXHAUSTED};
	char seen[4][4096];

	(void)state;
	assert_true(ui_moments(&f->ui));
	for (int i = 0; i < 4; i++) {
		f->ui.now.pools[3].state = states[i];
		looks(f, row_of(f, "train #4 e1"), seen[i], sizeof(seen[i]));
		for (int k = 0; k < i; k++)
			assert_string_not_equal(seen[i], seen[k]);
	}
	stop(f);
}

static void layers_of_the_chart_differ_without_colour(void **state)
{
	static const wchar_t layers[] = {GLYPH_OWNER, GLYPH_DELIVERING, GLYPH_PARKED, GLYPH_IDLE};

	(void)state;
	for (int set = 0; set < GLYPH_SETS; set++)
		for (int i = 0; i < 4; i++)
			for (int k = 0; k < i; k++)
				assert_int_not_equal(glyph_in(set, layers[i]),
						     glyph_in(set, layers[k]));
}

static void a_hidden_row_is_never_silent(void **state)
{
	struct fixture *f = start(ended, 80, 24);

	(void)state;
	type(f, "2\\val\n");
	shows(f, "filter: val, 4 hidden");
	type(f, "\033");
	shows(f, "sanity #1");
	stop(f);
}

static void the_selection_stays_on_its_pool_while_time_moves(void **state)
{
	struct fixture *f = start(ended, 80, 24);

	(void)state;
	type(f, "j");
	shows(f, ">validate #5 e1");
	type(f, "[");
	shows(f, ">validate #5 e1");
	type(f, "p");
	shows(f, ">validate #5 e1");
	stop(f);
}

static void every_key_may_be_pressed_without_a_session(void **state)
{
	struct tui_options options;
	struct fixture f = {0};
	struct error e;

	(void)state;
	tui_options_init(&options);
	if (ui_init(&f.ui, &options, &e))
		fail_msg("%s", e.text);
	assert_int_equal(cells_resize(&f.cells, 80, 24), 0);
	shows(&f, "No session here.");
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < key_entry_count; i++)
			if (key_entries[i].kind == KEY_BINDING) {
				ui_key(&f.ui, key_entries[i].code);
				ui_draw(&f.ui, &f.cells);
			}
	ui_release(&f.ui);
	cells_release(&f.cells);
}

static void every_key_may_be_pressed_on_every_screen(void **state)
{
	struct fixture *f = start(live, 80, 24);

	(void)state;
	for (int screen = SCREEN_OVERVIEW; screen < SCREENS; screen++)
		for (int i = 0; i < key_entry_count; i++)
			if (key_entries[i].kind == KEY_BINDING) {
				f->ui.screen = screen;
				ui_key(&f->ui, key_entries[i].code);
				ui_draw(&f->ui, &f->cells);
				ui_tick(&f->ui, SECOND / 2);
			}
	stop(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_three_answers_are_on_every_screen),
		cmocka_unit_test(a_live_session_follows_and_pauses),
		cmocka_unit_test(silence_is_said),
		cmocka_unit_test(what_nobody_writes_any_more_is_a_replay_from_its_last_sample),
		cmocka_unit_test(differences_name_both_moments_and_add_up),
		cmocka_unit_test(a_difference_of_processes_lists_those_that_are_gone),
		cmocka_unit_test(an_opened_pool_shows_both_sides),
		cmocka_unit_test(processes_add_up_to_now),
		cmocka_unit_test(overview_rows_add_up_to_the_last_row),
		cmocka_unit_test(replay_comes_to_its_end_and_shows_the_peak),
		cmocka_unit_test(every_screen_draws_at_every_size),
		cmocka_unit_test(states_differ_without_colour),
		cmocka_unit_test(layers_of_the_chart_differ_without_colour),
		cmocka_unit_test(every_key_may_be_pressed_without_a_session),
		cmocka_unit_test(every_key_may_be_pressed_on_every_screen),
		cmocka_unit_test(a_hidden_row_is_never_silent),
		cmocka_unit_test(the_selection_stays_on_its_pool_while_time_moves),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, make_sessions, NULL);
}
