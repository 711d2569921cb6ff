/* The head of every screen: room for the title, the answers, the tabs. */
#include <stdio.h>

#include "profiler/view/format.h"
#include "tui/ui.h"

enum { WIDE = 112 };

static int count_trouble(const struct model *m)
{
	int count = 0;

	for (size_t i = 0; i < m->finding_count; i++)
		count += m->findings[i].severity >= MODEL_WARNING;
	return count;
}

static int tabs_width(int brief)
{
	int width = 0;

	for (int i = 0; i < SCREEN_TABS; i++)
		width += 4 + (brief ? 0 : 1 + text_width(ui_screen((enum screen_id)i)->name));
	return width + (brief ? 14 : 4);
}

static void draw_tabs(struct ui *ui, struct cells *cells, int y)
{
	int brief = tabs_width(0) > cells->width, x;
	struct pen pen = pen_at(cells, y, 1);

	for (int i = 0; i < SCREEN_TABS; i++) {
		int here = (enum screen_id)i == ui->screen;
		const char *name = ui_screen((enum screen_id)i)->name;

		x = pen.x;
		pen_text(&pen, here ? "[" : "");
		pen.role = here ? ROLE_STRONG : ROLE_TEXT;
		pen_print(&pen, "%d", i + 1);
		if (here || !brief)
			pen_print(&pen, " %s", name);
		if (i == SCREEN_FINDINGS && (here || !brief))
			pen_print(&pen, " %d", count_trouble(ui->model));
		pen.role = ROLE_TEXT;
		pen_text(&pen, here ? "]" : "");
		ui_hit(ui, (struct hit){HIT_TAB, y, x, 1, pen.x - x, i});
		pen_text(&pen, "  ");
	}
	if (cells->width >= WIDE && ui->screen == SCREEN_OVERVIEW) {
		pen.x += 2;
		ui_draw_legend(ui, &pen);
	}
}

static void draw_waiting(const struct ui *ui, struct cells *cells, int y)
{
	const struct model *m = ui->model;
	struct pen pen = pen_at(cells, y, 1);
	char t[FORMAT_MAX];

	if (ui->live)
		pen_print(&pen, "Waiting for the first sample of %lld (%s)",
			  m->process_count ? (long long)m->processes[0].pid : 0LL,
			  format_duration(t, ui->clock_ns - ui->news_ns));
	else
		pen_text(&pen, "No sample in this session: it ended before the first one.");
}

int header_draw(struct ui *ui, struct cells *cells)
{
	int tiny = cells->height < 10 || cells->width < 40, y = !tiny || cells->height > 4;

	if (!ui_moments(ui)) {
		title_left(ui, cells, cells->width);
		draw_waiting(ui, cells, 1);
		return 2;
	}
	if (!ui->hide_header)
		y = answers_draw(ui, cells, y, tiny || ui->screen == SCREEN_OVERVIEW);
	if (tiny)
		return cells->height;
	draw_tabs(ui, cells, y++);
	return y;
}
