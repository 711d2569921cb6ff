/* What the keys do. The table of keys is keys.def; here each action is one small function. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/format.h"
#include "tui/prompt.h"
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
	ui->sites_pid = 0;
	ui->site_open = 0;
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

void ui_search(struct ui *ui, int direction)
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

	for (size_t i = (size_t)(ui->chart.owner + 1); i < m->process_count; i++)
		if (m->processes[i].role == MODEL_ROLE_OWNER) {
			ui->chart.owner = (int)i;
			if (m->processes[i].rank != MODEL_NONE)
				ui_say(ui, "rank %lld, %lld", (long long)m->processes[i].rank,
				       (long long)m->processes[i].pid);
			else
				ui_say(ui, "owner %lld", (long long)m->processes[i].pid);
			return;
		}
	ui->chart.owner = -1;
	ui_say(ui, "all on this node");
}

static void next_measure(struct ui *ui)
{
	if (ui->screen == SCREEN_EVENTS) {
		ui->clock_times ^= 1;
		return;
	}
	ui->chart.measure = (enum stack_measure)((ui->chart.measure + 1) % MEASURES);
	ui_say(ui, "chart of %s", stack_measure_name(ui->chart.measure));
}

static void next_chart(struct ui *ui)
{
	static const char *const names[] = {"pools", "kinds of memory", "workers"};

	ui->chart.kind = (enum stack_kind)((ui->chart.kind + 1) % STACK_KIND_COUNT);
	ui_say(ui, "chart of %s", names[ui->chart.kind]);
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

/* ---- dispatch ----------------------------------------------------------------------------------------- */

static void quit(struct ui *ui)
{
	ui->quit = 1;
}

static void suspend(struct ui *ui)
{
	ui->suspend = 1;
}

static void move_pages(struct ui *ui, int half_pages)
{
	int page = ui_view(ui)->visible > 1 ? ui_view(ui)->visible - 1 : 1;

	move_rows(ui, half_pages % 2 ? half_pages * ((page + 1) / 2) : half_pages / 2 * page);
}

static void by_samples(struct ui *ui, int count)
{
	timeline_samples(&ui->time, ui->model, count);
}

static void to_start(struct ui *ui)
{
	timeline_seek(&ui->time, ui->model, 0);
}

static void to_end(struct ui *ui)
{
	timeline_seek(&ui->time, ui->model, ui->model->last_ns);
}

static void to_peak(struct ui *ui)
{
	const struct model_totals *totals = &ui->model->totals;

	go_to(ui, totals->peak_bytes > 0 ? totals->peak_at_ns : MODEL_NONE, "no peak yet");
}

static void to_most_idle(struct ui *ui)
{
	const struct model_totals *totals = &ui->model->totals;

	go_to(ui, totals->idle_max_bytes > 0 ? totals->idle_max_at_ns : MODEL_NONE,
	      "nothing was held idle");
}

static void follow(struct ui *ui)
{
	timeline_follow(&ui->time, ui->model);
}

/* + and - open and close where there is a tree. */
static void zoom(struct ui *ui, int direction)
{
	if (direction && on_tree(ui))
		open_tree(ui, direction > 0 ? '+' : '-');
	else
		timeline_zoom(&ui->time, ui->model, direction);
}

static void swap_marks(struct ui *ui)
{
	timeline_swap_marks(&ui->time);
}

static void forget_marks(struct ui *ui)
{
	timeline_forget_marks(&ui->time);
}

static void hide_header(struct ui *ui)
{
	ui->hide_header ^= 1;
}

static void step_tab(struct ui *ui, int direction)
{
	go_to_tab(ui, ui->screen < SCREEN_TABS ? (int)ui->screen + direction : 0);
}

static void toggle(struct ui *ui, int screen)
{
	toggle_screen(ui, (enum screen_id)screen);
}

static void ask(struct ui *ui, int kind)
{
	prompt_ask(ui, (enum prompt_kind)kind);
}

enum {
	NEEDS_SAMPLES = 1
}; /* does nothing before the first one, and the moments have to be read again */

/* What each action does: a function, or one with an argument. */
static const struct {
	void (*run)(struct ui *);
	void (*run_with)(struct ui *, int);
	int argument, needs;
} actions[ACTIONS] = {
	[ACTION_TIME_LEFT] = {NULL, by_columns, -1, NEEDS_SAMPLES},
	[ACTION_TIME_RIGHT] = {NULL, by_columns, 1, NEEDS_SAMPLES},
	[ACTION_TIME_LEFT_TEN] = {NULL, by_columns, -10, NEEDS_SAMPLES},
	[ACTION_TIME_RIGHT_TEN] = {NULL, by_columns, 10, NEEDS_SAMPLES},
	[ACTION_SAMPLE_NEXT] = {NULL, by_samples, 1, NEEDS_SAMPLES},
	[ACTION_SAMPLE_PREVIOUS] = {NULL, by_samples, -1, NEEDS_SAMPLES},
	[ACTION_PHASE_NEXT] = {NULL, by_phase, 1, NEEDS_SAMPLES},
	[ACTION_PHASE_PREVIOUS] = {NULL, by_phase, -1, NEEDS_SAMPLES},
	[ACTION_TIME_START] = {to_start, NULL, 0, NEEDS_SAMPLES},
	[ACTION_TIME_END] = {to_end, NULL, 0, NEEDS_SAMPLES},
	[ACTION_TIME_PEAK] = {to_peak, NULL, 0, NEEDS_SAMPLES},
	[ACTION_TIME_IDLE] = {to_most_idle, NULL, 0, NEEDS_SAMPLES},
	[ACTION_GO_TO] = {NULL, ask, PROMPT_GO_TO, NEEDS_SAMPLES},
	[ACTION_ZOOM_IN] = {NULL, zoom, 1, NEEDS_SAMPLES},
	[ACTION_ZOOM_OUT] = {NULL, zoom, -1, NEEDS_SAMPLES},
	[ACTION_ZOOM_ALL] = {NULL, zoom, 0, NEEDS_SAMPLES},
	[ACTION_PAUSE] = {pause_or_play, NULL, 0, NEEDS_SAMPLES},
	[ACTION_FOLLOW] = {follow, NULL, 0, NEEDS_SAMPLES},
	[ACTION_SLOWER] = {NULL, set_speed, 0, 0},
	[ACTION_FASTER] = {NULL, set_speed, 1, 0},

	[ACTION_ROW_DOWN] = {NULL, move_rows, 1, 0},
	[ACTION_ROW_UP] = {NULL, move_rows, -1, 0},
	[ACTION_ROW_FIRST] = {NULL, move_rows, -INT_MAX, 0},
	[ACTION_ROW_LAST] = {NULL, move_rows, INT_MAX, 0},
	[ACTION_PAGE_UP] = {NULL, move_pages, -2, 0},
	[ACTION_PAGE_DOWN] = {NULL, move_pages, 2, 0},
	[ACTION_HALF_UP] = {NULL, move_pages, -1, 0},
	[ACTION_HALF_DOWN] = {NULL, move_pages, 1, 0},
	[ACTION_GO_IN] = {go_in, NULL, 0, 0},
	[ACTION_GO_OUT] = {go_out, NULL, 0, 0},
	[ACTION_SORT_PREVIOUS] = {NULL, sort_by, -1, 0},
	[ACTION_SORT_NEXT] = {NULL, sort_by, 1, 0},
	[ACTION_SORT_TURN] = {turn_sort, NULL, 0, 0},
	[ACTION_SEARCH] = {NULL, ask, PROMPT_SEARCH, 0},
	[ACTION_FOUND_NEXT] = {NULL, ui_search, 1, 0},
	[ACTION_FOUND_PREVIOUS] = {NULL, ui_search, -1, 0},
	[ACTION_FILTER] = {NULL, ask, PROMPT_FILTER, 0},
	[ACTION_OPEN] = {NULL, open_tree, 'e', NEEDS_SAMPLES},
	[ACTION_OPEN_ALL] = {NULL, open_tree, 'E', NEEDS_SAMPLES},
	[ACTION_TREE] = {tree_or_list, NULL, 0, NEEDS_SAMPLES},

	[ACTION_MARK] = {mark, NULL, 0, NEEDS_SAMPLES},
	[ACTION_DIFFERENCE] = {difference, NULL, 0, NEEDS_SAMPLES},
	[ACTION_MARK_JUMP] = {jump, NULL, 0, NEEDS_SAMPLES},
	[ACTION_MARK_SWAP] = {swap_marks, NULL, 0, NEEDS_SAMPLES},
	[ACTION_MARK_FORGET] = {forget_marks, NULL, 0, NEEDS_SAMPLES},

	[ACTION_SCREEN_1] = {NULL, go_to_tab, SCREEN_OVERVIEW, 0},
	[ACTION_SCREEN_2] = {NULL, go_to_tab, SCREEN_POOLS, 0},
	[ACTION_SCREEN_3] = {NULL, go_to_tab, SCREEN_PROCESSES, 0},
	[ACTION_SCREEN_4] = {NULL, go_to_tab, SCREEN_SITES, 0},
	[ACTION_SCREEN_5] = {NULL, go_to_tab, SCREEN_FINDINGS, 0},
	[ACTION_SCREEN_6] = {NULL, go_to_tab, SCREEN_EVENTS, 0},
	[ACTION_SCREEN_NEXT] = {NULL, step_tab, 1, 0},
	[ACTION_SCREEN_PREVIOUS] = {NULL, step_tab, -1, 0},
	[ACTION_MEASURE] = {next_measure, NULL, 0, 0},
	[ACTION_CHART] = {next_chart, NULL, 0, 0},
	[ACTION_OWNER] = {next_owner, NULL, 0, NEEDS_SAMPLES},
	[ACTION_GLYPHS] = {next_glyphs, NULL, 0, 0},
	[ACTION_SWITCH] = {flip, NULL, 0, NEEDS_SAMPLES},
	[ACTION_HEADER] = {hide_header, NULL, 0, 0},

	[ACTION_COPY] = {copy, NULL, 0, 0},
	[ACTION_SAVE] = {save, NULL, 0, 0},
	[ACTION_SETUP] = {NULL, toggle, SCREEN_SETUP, 0},
	[ACTION_REDRAW] = {redraw, NULL, 0, 0},
	[ACTION_SUSPEND] = {suspend, NULL, 0, 0},
	[ACTION_HELP] = {NULL, toggle, SCREEN_HELP, 0},
	[ACTION_QUIT] = {quit, NULL, 0, 0},
};

static void act(struct ui *ui, enum action action)
{
	if (actions[action].needs && (!ui->model || !ui->model->round_count))
		return;
	if (actions[action].run)
		actions[action].run(ui);
	else if (actions[action].run_with)
		actions[action].run_with(ui, actions[action].argument);
	if (actions[action].needs)
		ui_moved(ui);
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
	if (action == ACTION_NONE)
		ui_say(ui, "no such key: %s   ? help", key_text(code, name, sizeof(name)));
	else
		act(ui, action);
}
