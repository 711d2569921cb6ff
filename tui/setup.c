/* F2: what a person can set up; kept in top.conf when it is left. */
#include <stdio.h>

#include "tui/config.h"
#include "tui/ui.h"

static int choices_of(int setting)
{
	int count = 0;

	while (settings[setting].choices[count])
		count++;
	return count;
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	struct pen pen = pen_at(cells, y + 1, 1);

	(void)height;
	pen_role(&pen, ROLE_STRONG, "loopmem top: set-up");
	pen_text(&pen, "          ↑ ↓ row   Enter changes   Esc closes and keeps");
	for (int i = 0; i < SETTINGS; i++) {
		int chosen = config_get(&ui->options, i), line = y + 3 + i;

		pen = pen_at(cells, line, 2);
		pen_print(&pen, "%-24s", settings[i].text);
		for (int c = 0; settings[i].choices[c]; c++)
			pen_print(&pen, c == chosen ? "[%s] " : " %s  ", settings[i].choices[c]);
		ui_hit(ui, (struct hit){HIT_ROW, line, 0, 1, cells->width, i});
		if (i == ui->setup_row)
			cells_select(cells, line);
	}
}

/* What can change at once does. */
static void apply(struct ui *ui)
{
	static const enum glyphs sets[] = {
		[TUI_GLYPHS_BLOCKS] = GLYPHS_BLOCKS,
		[TUI_GLYPHS_BRAILLE] = GLYPHS_BRAILLE,
		[TUI_GLYPHS_ASCII] = GLYPHS_ASCII,
	};

	if (ui->setup_row == SETTING_GLYPHS)
		ui->glyphs = ui->options.glyphs == TUI_GLYPHS_AUTO ? ui->own_glyphs
			     : ui->own_glyphs == GLYPHS_ASCII      ? GLYPHS_ASCII
								   : sets[ui->options.glyphs];
	if (ui->setup_row == SETTING_DELAY)
		ui->delay_s = ui->options.delay_s;
	if (ui->setup_row == SETTING_MOUSE)
		ui->mouse_changed = 1;
}

static void go_in(struct ui *ui)
{
	int next = config_get(&ui->options, ui->setup_row) + 1;

	config_set(&ui->options, ui->setup_row, next < choices_of(ui->setup_row) ? next : 0);
	apply(ui);
	ui->setup_changed = 1;
}

static int go_out(struct ui *ui)
{
	char path[4096];
	struct error e;

	if (!ui->setup_changed)
		return 0;
	ui->setup_changed = 0;
	if (!ui->options.config)
		ui_say(ui, "not kept: started without settings");
	else if (config_write(&ui->options, path, sizeof(path), &e))
		ui_say(ui, "%s", e.text);
	else
		ui_say(ui, "kept in %s", path);
	return 0;
}

const struct screen screen_setup = {
	.name = "Set-up",
	.draw = draw,
	.go_in = go_in,
	.go_out = go_out,
};
