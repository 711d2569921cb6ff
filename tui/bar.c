/* The last line: what is asked, what was said, what is wrong, or the function keys. */
#include <stdio.h>

#include "tui/ui.h"

enum { WIDE = 118 };

static void draw_prompt(const struct ui *ui, struct pen *pen)
{
	static const char *const asks[] = {
		[PROMPT_SEARCH] = "Search: ",
		[PROMPT_FILTER] = "Filter: ",
		[PROMPT_GO_TO] = "Go to (12:33, +2m, e1, peak): ",
	};

	pen_role(pen, ROLE_STRONG, asks[ui->prompt]);
	pen_text(pen, ui->prompt_text);
	pen_role(pen, ROLE_BAR, " ");
}

/* The screen's own names of keys: F5 leads from tree to list and back. */
static const char *label(const struct ui *ui, const struct key_entry *entry)
{
	if (entry->code == CODE_F(5) && ui->screen == SCREEN_PROCESSES && !ui->flat)
		return "List";
	return entry->text;
}

static void draw_keys(struct ui *ui, struct cells *cells, struct pen *pen)
{
	char name[16];

	for (int i = 0; i < key_entry_count; i++) {
		const struct key_entry *entry = &key_entries[i];
		int x = pen->x;

		if (entry->kind != KEY_BAR)
			continue;
		pen_text(pen, key_text(entry->code, name, sizeof(name)));
		pen_role(pen, ROLE_BAR, label(ui, entry));
		ui_hit(ui, (struct hit){HIT_KEY, pen->y, x, 1, pen->x - x, entry->code});
		pen_text(pen, " ");
	}
	if (cells->width >= WIDE && ui->screen < SCREEN_TABS)
		pen_text(pen, "  h l time  [ ] phase  p peak  i idle");
}

/* Too narrow for the bar: the two keys that lead to all others. */
static void draw_two_keys(struct ui *ui, struct pen *pen)
{
	pen_text(pen, " ");
	pen_role(pen, ROLE_BAR, "? keys");
	ui_hit(ui, (struct hit){HIT_KEY, pen->y, 1, 1, 6, '?'});
	pen_text(pen, "  ");
	pen_role(pen, ROLE_BAR, "q quit");
	ui_hit(ui, (struct hit){HIT_KEY, pen->y, 9, 1, 6, 'q'});
}

void bar_draw(struct ui *ui, struct cells *cells)
{
	struct pen pen = pen_at(cells, cells->height - 1, 0);

	if (ui->prompt != PROMPT_NONE) {
		draw_prompt(ui, &pen);
	} else if (ui->message[0]) {
		pen_print(&pen, " %s", ui->message);
	} else if (ui->trouble[0]) {
		pen_text(&pen, " ");
		pen_role(&pen, ROLE_ERROR, "E");
		pen_print(&pen, " %s", ui->trouble);
	} else if (cells->width < 76) {
		draw_two_keys(ui, &pen);
	} else {
		draw_keys(ui, cells, &pen);
	}
}
