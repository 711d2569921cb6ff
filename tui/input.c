/* Keys on their way: to the question in the last line, or to the table of their action (act.h). */
#include <stdio.h>

#include "profiler/view/format.h"
#include "tui/act.h"
#include "tui/prompt.h"
#include "tui/ui.h"

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

static void quit(struct ui *ui)
{
	ui->quit = 1;
}

static void suspend(struct ui *ui)
{
	ui->suspend = 1;
}

static void ask(struct ui *ui, int kind)
{
	prompt_ask(ui, (enum prompt_kind)kind);
}

const struct act act_program[ACTIONS] = {
	[ACTION_GO_TO] = {NULL, ask, PROMPT_GO_TO, NEEDS_SAMPLES},
	[ACTION_SEARCH] = {NULL, ask, PROMPT_SEARCH, 0},
	[ACTION_FILTER] = {NULL, ask, PROMPT_FILTER, 0},
	[ACTION_SAVE] = {save, NULL, 0, 0},
	[ACTION_REDRAW] = {redraw, NULL, 0, 0},
	[ACTION_SUSPEND] = {suspend, NULL, 0, 0},
	[ACTION_QUIT] = {quit, NULL, 0, 0},
};

static const struct act *const tables[] = {act_time, act_rows, act_screens, act_program};

static void act(struct ui *ui, enum action action)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		const struct act *entry = &tables[i][action];

		if (entry->needs && (!ui->model || !ui->model->round_count))
			return;
		if (entry->run)
			entry->run(ui);
		else if (entry->run_with)
			entry->run_with(ui, entry->argument);
		if (entry->needs)
			ui_moved(ui);
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
	if (action == ACTION_NONE)
		ui_say(ui, "no such key: %s   ? help", key_text(code, name, sizeof(name)));
	else
		act(ui, action);
}
