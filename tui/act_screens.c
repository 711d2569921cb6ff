/* Keys that choose what is shown: the screen and the way back, the chart's subject and its glyphs. */
#include <string.h>

#include "profiler/view/words.h"
#include "tui/act.h"
#include "tui/ui.h"

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

static void step_tab(struct ui *ui, int direction)
{
	go_to_tab(ui, ui->screen < SCREEN_TABS ? (int)ui->screen + direction : 0);
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

static void toggle(struct ui *ui, int screen)
{
	toggle_screen(ui, (enum screen_id)screen);
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

static void tree_or_list(struct ui *ui)
{
	if (ui->screen != SCREEN_PROCESSES)
		ui_go_to_screen(ui, SCREEN_PROCESSES);
	else
		ui->flat ^= 1;
}

static void flip(struct ui *ui)
{
	if (ui_screen(ui->screen)->flip)
		ui_screen(ui->screen)->flip(ui);
	else
		ui_say(ui, "f has no meaning on this screen");
}

static void next_owner(struct ui *ui)
{
	const struct model *m = ui->model;
	char name[64];

	for (size_t i = (size_t)(ui->chart.owner + 1); i < m->process_count; i++)
		if (m->processes[i].role == MODEL_ROLE_OWNER) {
			ui->chart.owner = (int)i;
			ui_say(ui, "%s", words_process(name, sizeof(name), m, (int)i));
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

static void hide_header(struct ui *ui)
{
	ui->hide_header ^= 1;
}

const struct act act_screens[ACTIONS] = {
	[ACTION_GO_OUT] = {go_out, NULL, 0, 0},
	[ACTION_TREE] = {tree_or_list, NULL, 0, NEEDS_SAMPLES},
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
	[ACTION_SETUP] = {NULL, toggle, SCREEN_SETUP, 0},
	[ACTION_HELP] = {NULL, toggle, SCREEN_HELP, 0},
};
