/* What the keys do. The table of keys is keys.def; here each action is one small function. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/format.h"
#include "tui/ui.h"

#define SECOND INT64_C(1000000000)

enum { FREEZE_S = 3, FASTEST = 64, CHART_GUTTER = 5 };

/* ---- screens --------------------------------------------------------------------------------------------------- */

/* Remembers the way back. */
void ui_go_to_screen(struct ui *ui, enum screen_id screen)
{
	if (screen == ui->screen)
		return;
	if (ui->back_count == BACK_MAX) {
		memmove(ui->back, ui->back + 1, (BACK_MAX - 1) * sizeof(*ui->back));
		ui->back_count--;
	}
	ui->back[ui->back_count++] = ui->screen;
	ui->screen = screen;
}

/* A tab is a place of its own: there is no way back to remember. */
static void go_to_tab(struct ui *ui, int tab)
{
	if (!ui->model)
		return;
	ui->back_count = 0;
	ui->screen = (enum screen_id)((tab + SCREEN_TABS) % SCREEN_TABS);
	ui->filter[0] = '\0';
}

static void toggle_screen(struct ui *ui, enum screen_id screen)
{
	if (ui->screen != screen) {
		ui_go_to_screen(ui, screen);
		return;
	}
	if (ui_screen(screen)->go_out)
		ui_screen(screen)->go_out(ui);
	ui->screen = ui->back_count ? ui->back[--ui->back_count] : SCREEN_OVERVIEW;
}

/* One level out: what is open here, the filter, the screen before. */
static void go_out(struct ui *ui)
{
	const struct screen *screen = ui_screen(ui->screen);

	if (screen->go_out && screen->go_out(ui))
		return;
	if (ui->filter[0])
		ui->filter[0] = '\0';
	else if (ui->back_count)
		ui->screen = ui->back[--ui->back_count];
}

static void need_selected(struct ui *ui);

/* ---- time ------------------------------------------------------------------------------------------------------- */

static void by_columns(struct ui *ui, int count)
{
	struct chart_span span = ui->stack.columns ? ui->stack.span
						   : timeline_span(&ui->time, ui->model, 75);

	if (ui->glyphs == GLYPHS_BRAILLE && span.columns > 1)
		count *= 2; /* the stack holds two samples a cell */
	timeline_columns(&ui->time, ui->model, &span, count);
}

static void go_to(struct ui *ui, int64_t t_ns, const char *without)
{
	if (t_ns == MODEL_NONE)
		ui_say(ui, "%s", without);
	else
		timeline_seek(&ui->time, ui->model, t_ns);
}

static void by_phase(struct ui *ui, int direction)
{
	const struct screen *screen = ui_screen(ui->screen);
	int moved = screen->step ? screen->step(ui, direction)
				 : timeline_phase(&ui->time, ui->model, direction);

	if (!moved)
		ui_say(ui, "no %s %s", direction > 0 ? "later" : "earlier",
		       screen->step ? "moment" : "phase");
}

/* While it runs: stop the picture and go on; a finished session is played. */
static void pause_or_play(struct ui *ui)
{
	struct timeline *tl = &ui->time;

	if (tl->live) {
		if (tl->following)
			tl->following = 0;
		else
			timeline_follow(tl, ui->model);
		return;
	}
	tl->following = 0;
	if (!tl->playing && tl->cursor_ns >= ui->model->rounds[ui->model->round_count - 1].t_ns)
		timeline_seek(tl, ui->model, 0); /* from the start again */
	tl->playing = !tl->playing;
	tl->played_ns = tl->cursor_ns;
}

static void set_speed(struct ui *ui, int faster)
{
	int *speed = &ui->time.speed;

	*speed = faster ? *speed * 2 : *speed / 2;
	*speed = *speed < 1 ? 1 : *speed > FASTEST ? FASTEST : *speed;
	ui_say(ui, "replay at %d times real time", *speed);
}

static void mark(struct ui *ui)
{
	char t[FORMAT_MAX];

	ui_say(ui, "mark %c at %s", timeline_mark(&ui->time), format_moment(t, ui->time.cursor_ns));
}

static void jump(struct ui *ui)
{
	const struct timeline *tl = &ui->time;

	if (tl->a_ns == MODEL_NONE)
		ui_say(ui, "no mark is set   m sets A");
	else
		timeline_seek(&ui->time, ui->model,
			      tl->cursor_ns == tl->a_ns && tl->b_ns != MODEL_NONE ? tl->b_ns
										  : tl->a_ns);
}

static void difference(struct ui *ui)
{
	if (!ui->time.difference && ui->time.a_ns == MODEL_NONE)
		ui_say(ui, "no mark is set   m sets A, then B");
	else
		ui->time.difference ^= 1;
}

/* ---- rows --------------------------------------------------------------------------------------------------------- */

static void move_rows(struct ui *ui, int count)
{
	struct sheet sheet = {0};

	ui_view(ui)->frozen_until_ns = ui->clock_ns + FREEZE_S * SECOND;
	if (ui->screen == SCREEN_SETUP) {
		ui->setup_row += count < 0 ? -1 : 1;
		ui->setup_row = (ui->setup_row + SETTINGS) % SETTINGS;
		return;
	}
	if (!ui_sheet(ui, &sheet))
		return;
	sheet_move(&sheet, ui_view(ui), count);
	sheet_release(&sheet);
}

static void sort_by(struct ui *ui, int direction)
{
	struct sheet sheet = {0};
	struct sheet_view *view = ui_view(ui);

	if (!ui_sheet(ui, &sheet))
		return;
	view->sort = sheet_next_sort(&sheet, view->sort, direction, ui->width);
	view->order_count = 0;
	if (view->sort < 0)
		ui_say(ui, "in its own order");
	else
		ui_say(ui, "sorted by %s", sheet.columns[view->sort].heading);
	sheet_release(&sheet);
}

static void turn_sort(struct ui *ui)
{
	ui_view(ui)->reversed ^= 1;
	ui_view(ui)->order_count = 0;
}

static void search(struct ui *ui, int direction)
{
	struct sheet sheet = {0};
	int row;

	if (!ui->search[0] || !ui_sheet(ui, &sheet))
		return;
	row = sheet_search(&sheet, ui_view(ui), ui->search, direction);
	if (row < 0)
		ui_say(ui, "\"%s\" is not here", ui->search);
	else
		sheet_select(&sheet, ui_view(ui), row);
	sheet_release(&sheet);
}

/* A row is selected by drawing, at the latest; a key may come before the first frame of its screen. */
static void need_selected(struct ui *ui)
{
	struct sheet sheet = {0};

	if (!ui_sheet(ui, &sheet))
		return;
	sheet_selected(&sheet, ui_view(ui));
	sheet_release(&sheet);
}

static void go_in(struct ui *ui)
{
	const struct screen *screen = ui_screen(ui->screen);

	need_selected(ui);
	if (screen->go_in)
		screen->go_in(ui);
}

static int on_tree(const struct ui *ui)
{
	return ui_screen(ui->screen)->open != NULL && !ui->flat;
}

static void open_tree(struct ui *ui, int key)
{
	need_selected(ui);
	if (on_tree(ui))
		ui_screen(ui->screen)->open(ui, key);
	else
		ui_say(ui, "nothing opens here");
}

static void tree_or_list(struct ui *ui)
{
	if (ui->screen != SCREEN_PROCESSES)
		ui_go_to_screen(ui, SCREEN_PROCESSES);
	else
		ui->flat ^= 1;
}

/* ---- what is shown -------------------------------------------------------------------------------------------------- */

static void next_owner(struct ui *ui)
{
	const struct model *m = ui->model;

	for (size_t i = (size_t)(ui->owner + 1); i < m->process_count; i++)
		if (m->processes[i].role == MODEL_ROLE_OWNER) {
			ui->owner = (int)i;
			if (m->processes[i].rank != MODEL_NONE)
				ui_say(ui, "rank %lld, %lld", (long long)m->processes[i].rank,
				       (long long)m->processes[i].pid);
			else
				ui_say(ui, "owner %lld", (long long)m->processes[i].pid);
			return;
		}
	ui->owner = -1;
	ui_say(ui, "all on this node");
}

static void next_measure(struct ui *ui)
{
	if (ui->screen == SCREEN_EVENTS) {
		ui->clock_times ^= 1;
		return;
	}
	ui->measure = (enum stack_measure)((ui->measure + 1) % MEASURES);
	ui_say(ui, "chart of %s", stack_measure_name(ui->measure));
}

static void next_chart(struct ui *ui)
{
	static const char *const names[] = {"pools", "kinds of memory", "workers"};

	ui->stack_kind = (enum stack_kind)((ui->stack_kind + 1) % STACK_KIND_COUNT);
	ui_say(ui, "chart of %s", names[ui->stack_kind]);
}

static void next_glyphs(struct ui *ui)
{
	if (ui->own_glyphs == GLYPHS_ASCII)
		ui_say(ui, "this terminal shows ASCII only");
	else
		ui->glyphs = ui->glyphs == GLYPHS_BLOCKS || ui->glyphs == GLYPHS_LINUX
				     ? GLYPHS_BRAILLE
			     : ui->glyphs == GLYPHS_BRAILLE ? GLYPHS_ASCII
							    : ui->own_glyphs;
}

static void flip(struct ui *ui)
{
	if (ui_screen(ui->screen)->flip)
		ui_screen(ui->screen)->flip(ui);
	else
		ui_say(ui, "f has no meaning on this screen");
}

static void copy(struct ui *ui)
{
	need_selected(ui);
	ui->copy[0] = '\0';
	if (ui_screen(ui->screen)->copy)
		ui_screen(ui->screen)->copy(ui, ui->copy, sizeof(ui->copy));
	if (ui->copy[0])
		ui_say(ui, "copied: %s", ui->copy);
	else
		ui_say(ui, "nothing to copy here");
}

static void save(struct ui *ui)
{
	char t[FORMAT_MAX], name[32], *to = ui->save_as;

	format_moment(t, ui->time.cursor_ns);
	snprintf(name, sizeof(name), "%s", ui_screen(ui->screen)->name);
	for (char *c = name; *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
	to += snprintf(to, sizeof(ui->save_as), "loopmem-");
	for (const char *c = t; *c; c++)
		if (*c != ':')
			*to++ = *c;
	snprintf(to, sizeof(ui->save_as) - (size_t)(to - ui->save_as), "-%s.txt", name);
}

static void redraw(struct ui *ui)
{
	struct error e;
	char file[4096];

	ui->redraw = 1;
	if (!ui->model || !ui->trouble[0])
		return;
	snprintf(file, sizeof(file), "%s", ui->model->file);
	if (ui_open(ui, file, &e))
		ui_say(ui, "%s", e.text);
}

/* ---- the prompt ------------------------------------------------------------------------------------------------------- */

static void ask(struct ui *ui, enum prompt_kind kind)
{
	ui->prompt = kind;
	ui->prompt_text[0] = '\0';
	if (kind == PROMPT_FILTER)
		snprintf(ui->prompt_text, sizeof(ui->prompt_text), "%s", ui->filter);
}

static void answer(struct ui *ui)
{
	enum prompt_kind kind = ui->prompt;
	int64_t t_ns;

	ui->prompt = PROMPT_NONE;
	if (kind == PROMPT_SEARCH && ui->prompt_text[0]) {
		snprintf(ui->search, sizeof(ui->search), "%s", ui->prompt_text);
		search(ui, 1);
	} else if (kind == PROMPT_FILTER) {
		snprintf(ui->filter, sizeof(ui->filter), "%s", ui->prompt_text);
	} else if (kind == PROMPT_GO_TO && ui->prompt_text[0]) {
		if (timeline_parse(&ui->time, ui->model, ui->prompt_text, &t_ns))
			ui_say(ui, "no moment \"%s\"   12:33, 90, +2m, e1, val1, peak",
			       ui->prompt_text);
		else
			timeline_seek(&ui->time, ui->model, t_ns);
		ui_moved(ui);
	}
}

/* Takes back one character of UTF-8. */
static void rub_out(char *text)
{
	size_t length = strlen(text);

	while (length && ((unsigned char)text[length - 1] & 0xc0) == 0x80)
		length--;
	text[length ? length - 1 : 0] = '\0';
}

static void type(struct ui *ui, int code)
{
	char bytes[8];
	size_t at = strlen(ui->prompt_text);
	int length = snprintf(bytes, sizeof(bytes), "%lc", (wint_t)code);

	if (length > 0 && at + (size_t)length < sizeof(ui->prompt_text))
		memcpy(ui->prompt_text + at, bytes, (size_t)length + 1);
	if (ui->prompt == PROMPT_FILTER) /* takes effect as it is typed */
		snprintf(ui->filter, sizeof(ui->filter), "%s", ui->prompt_text);
}

static void prompt_key(struct ui *ui, int code)
{
	if (code == CODE_ENTER || code == '\r') {
		answer(ui);
	} else if (code == CODE_ESCAPE || code == CODE_CONTROL('C')) {
		if (ui->prompt == PROMPT_FILTER)
			ui->filter[0] = '\0';
		ui->prompt = PROMPT_NONE;
	} else if (code == CODE_BACKSPACE || code == CODE_CONTROL('H')) {
		rub_out(ui->prompt_text);
		if (ui->prompt == PROMPT_FILTER)
			snprintf(ui->filter, sizeof(ui->filter), "%s", ui->prompt_text);
	} else if (code == CODE_CONTROL('U')) {
		ui->prompt_text[0] = '\0';
	} else if (code >= ' ' && code < CODE_FIRST_SPECIAL) {
		type(ui, code);
	}
}

/* ---- dispatch ------------------------------------------------------------------------------------------------------------ */

/* Keys that mean the same without a session. 1 = done. */
static int always(struct ui *ui, enum action action)
{
	switch (action) {
	case ACTION_QUIT:
		ui->quit = 1;
		return 1;
	case ACTION_HELP:
		toggle_screen(ui, SCREEN_HELP);
		return 1;
	case ACTION_SETUP:
		toggle_screen(ui, SCREEN_SETUP);
		return 1;
	case ACTION_REDRAW:
		redraw(ui);
		return 1;
	case ACTION_SUSPEND:
		ui->suspend = 1;
		return 1;
	case ACTION_GLYPHS:
		next_glyphs(ui);
		return 1;
	case ACTION_COPY:
		copy(ui);
		return 1;
	case ACTION_SAVE:
		save(ui);
		return 1;
	case ACTION_GO_OUT:
		go_out(ui);
		return 1;
	case ACTION_GO_IN:
		go_in(ui);
		return 1;
	default:
		return 0;
	}
}

static int row_action(struct ui *ui, enum action action)
{
	int page = ui_view(ui)->visible > 1 ? ui_view(ui)->visible - 1 : 1;

	switch (action) {
	case ACTION_ROW_DOWN:
		move_rows(ui, 1);
		return 1;
	case ACTION_ROW_UP:
		move_rows(ui, -1);
		return 1;
	case ACTION_PAGE_DOWN:
		move_rows(ui, page);
		return 1;
	case ACTION_PAGE_UP:
		move_rows(ui, -page);
		return 1;
	case ACTION_HALF_DOWN:
		move_rows(ui, (page + 1) / 2);
		return 1;
	case ACTION_HALF_UP:
		move_rows(ui, -(page + 1) / 2);
		return 1;
	case ACTION_ROW_FIRST:
		move_rows(ui, -INT_MAX);
		return 1;
	case ACTION_ROW_LAST:
		move_rows(ui, INT_MAX);
		return 1;
	case ACTION_SORT_NEXT:
		sort_by(ui, 1);
		return 1;
	case ACTION_SORT_PREVIOUS:
		sort_by(ui, -1);
		return 1;
	case ACTION_SORT_TURN:
		turn_sort(ui);
		return 1;
	case ACTION_SEARCH:
		ask(ui, PROMPT_SEARCH);
		return 1;
	case ACTION_FILTER:
		ask(ui, PROMPT_FILTER);
		return 1;
	case ACTION_FOUND_NEXT:
		search(ui, 1);
		return 1;
	case ACTION_FOUND_PREVIOUS:
		search(ui, -1);
		return 1;
	default:
		return 0;
	}
}

static int time_action(struct ui *ui, enum action action)
{
	const struct model_totals *totals = &ui->model->totals;

	switch (action) {
	case ACTION_TIME_LEFT:
		by_columns(ui, -1);
		return 1;
	case ACTION_TIME_RIGHT:
		by_columns(ui, 1);
		return 1;
	case ACTION_TIME_LEFT_TEN:
		by_columns(ui, -10);
		return 1;
	case ACTION_TIME_RIGHT_TEN:
		by_columns(ui, 10);
		return 1;
	case ACTION_SAMPLE_NEXT:
		timeline_samples(&ui->time, ui->model, 1);
		return 1;
	case ACTION_SAMPLE_PREVIOUS:
		timeline_samples(&ui->time, ui->model, -1);
		return 1;
	case ACTION_PHASE_NEXT:
		by_phase(ui, 1);
		return 1;
	case ACTION_PHASE_PREVIOUS:
		by_phase(ui, -1);
		return 1;
	case ACTION_TIME_START:
		go_to(ui, 0, "");
		return 1;
	case ACTION_TIME_END:
		go_to(ui, ui->model->last_ns, "");
		return 1;
	case ACTION_TIME_PEAK:
		go_to(ui, totals->peak_bytes > 0 ? totals->peak_at_ns : MODEL_NONE, "no peak yet");
		return 1;
	case ACTION_TIME_IDLE:
		go_to(ui, totals->idle_max_bytes > 0 ? totals->idle_max_at_ns : MODEL_NONE,
		      "nothing was held idle");
		return 1;
	case ACTION_GO_TO:
		ask(ui, PROMPT_GO_TO);
		return 1;
	case ACTION_FOLLOW:
		timeline_follow(&ui->time, ui->model);
		return 1;
	case ACTION_PAUSE:
		pause_or_play(ui);
		return 1;
	case ACTION_SLOWER:
		set_speed(ui, 0);
		return 1;
	case ACTION_FASTER:
		set_speed(ui, 1);
		return 1;
	default:
		return 0;
	}
}

static int mark_action(struct ui *ui, enum action action)
{
	switch (action) {
	case ACTION_MARK:
		mark(ui);
		return 1;
	case ACTION_DIFFERENCE:
		difference(ui);
		return 1;
	case ACTION_MARK_JUMP:
		jump(ui);
		return 1;
	case ACTION_MARK_SWAP:
		timeline_swap_marks(&ui->time);
		return 1;
	case ACTION_MARK_FORGET:
		timeline_forget_marks(&ui->time);
		return 1;
	default:
		return 0;
	}
}

static int shown_action(struct ui *ui, enum action action)
{
	switch (action) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT:
		if (on_tree(ui))
			open_tree(ui, action == ACTION_ZOOM_IN ? '+' : '-');
		else
			timeline_zoom(&ui->time, ui->model, action == ACTION_ZOOM_IN ? 1 : -1);
		return 1;
	case ACTION_ZOOM_ALL:
		timeline_zoom(&ui->time, ui->model, 0);
		return 1;
	case ACTION_OPEN:
		open_tree(ui, 'e');
		return 1;
	case ACTION_OPEN_ALL:
		open_tree(ui, 'E');
		return 1;
	case ACTION_TREE:
		tree_or_list(ui);
		return 1;
	case ACTION_MEASURE:
		next_measure(ui);
		return 1;
	case ACTION_CHART:
		next_chart(ui);
		return 1;
	case ACTION_OWNER:
		next_owner(ui);
		return 1;
	case ACTION_SWITCH:
		flip(ui);
		return 1;
	case ACTION_HEADER:
		ui->hide_header ^= 1;
		return 1;
	case ACTION_SCREEN_NEXT:
		go_to_tab(ui, ui->screen < SCREEN_TABS ? (int)ui->screen + 1 : 0);
		return 1;
	case ACTION_SCREEN_PREVIOUS:
		go_to_tab(ui, ui->screen < SCREEN_TABS ? (int)ui->screen - 1 : 0);
		return 1;
	default:
		if (action >= ACTION_SCREEN_1 && action <= ACTION_SCREEN_6)
			go_to_tab(ui, (int)action - ACTION_SCREEN_1);
		return 0;
	}
}

void ui_key(struct ui *ui, int code)
{
	enum action action;
	char name[16];

	if (ui->prompt != PROMPT_NONE) {
		prompt_key(ui, code);
		return;
	}
	action = key_action(code);
	if (action == ACTION_NONE) {
		ui_say(ui, "no such key: %s   ? help", key_text(code, name, sizeof(name)));
		return;
	}
	if (always(ui, action) || row_action(ui, action) || !ui->model || !ui->model->round_count)
		return;
	if (time_action(ui, action) || mark_action(ui, action) || shown_action(ui, action))
		ui_moved(ui);
}
