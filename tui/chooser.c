/* No session was named: the running ones, to choose from. Looked for anew at every frame. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/format.h"
#include "tui/ui.h"

#define CELL(name) sheet_value(sheet, row, COLUMN_RUNNING_##name)

static void build(struct ui *ui, struct sheet *sheet)
{
	sheet_init(sheet, SHEET_RUNNING);
	for (int i = 0; i < ui->running.count; i++) {
		const struct running *session = &ui->running.sessions[i];
		struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, session->pid);

		if (!row)
			return;
		value_number(CELL(PID), VALUE_COUNT, session->pid);
		value_number(CELL(FOR), VALUE_DURATION, session->age_s * 1000000000);
		value_text(CELL(COMMAND), session->command);
		value_text(CELL(FILE), session->file);
	}
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	struct pen pen = pen_at(cells, y, 0);
	struct sheet sheet = {0};

	pen_text(&pen, " loopmem");
	if (!ui->running.count) {
		pen = pen_at(cells, y + 2, 3);
		pen_text(&pen, "No session here.");
		paragraph_draw(
			cells, y + 4, y + height, 3,
			"Start one: loopmem run -- python train.py\nor open one: loopmem top FILE");
		return;
	}
	pen_text(&pen, "  running sessions: Enter opens");
	if (!ui_sheet(ui, &sheet))
		return;
	ui_draw_sheet(ui, cells, &sheet, y + 2, height - 2);
	sheet_release(&sheet);
}

static const struct running *selected(const struct ui *ui)
{
	for (int i = 0; i < ui->running.count; i++)
		if (ui->running.sessions[i].pid == (int)ui->views[SCREEN_CHOOSER].selected)
			return &ui->running.sessions[i];
	return NULL;
}

static void go_in(struct ui *ui)
{
	const struct running *session = selected(ui);
	struct error e;

	if (session && ui_open(ui, session->file, &e))
		ui_say(ui, "%s", e.text);
}

static void copy(struct ui *ui, char *out, size_t size)
{
	const struct running *session = selected(ui);

	if (session)
		snprintf(out, size, "%s", session->file);
}

const struct screen screen_chooser = {
	.name = "Sessions",
	.draw = draw,
	.build = build,
	.go_in = go_in,
	.copy = copy,
};
