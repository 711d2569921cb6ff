/* The help: made from the key table, two groups side by side. And the same table as text, for `top --keys` and the man page. */
#include <stdio.h>
#include <string.h>

#include "tui/ui.h"

enum { KEYS_WIDTH = 11, LEFT = 1, RIGHT = 40, LINES = 24, WIDTH = 80 };

static int next_group(int entry)
{
	for (entry++; entry < key_entry_count && key_entries[entry].kind != KEY_GROUP; entry++)
		;
	return entry;
}

static int group_start(enum key_group group)
{
	int entry = -1;

	for (int i = 0; i <= (int)group; i++)
		entry = next_group(entry);
	return entry;
}

/* One group as a column; returns the line after it. */
static int draw_group(struct cells *cells, int y, int x, enum key_group group)
{
	int from = group_start(group), to = next_group(from);
	struct pen pen = pen_at(cells, y++, x);

	pen_role(&pen, ROLE_STRONG, key_entries[from].text);
	for (int i = from; i < to; i++) {
		if (key_entries[i].kind != KEY_ROW)
			continue;
		pen = pen_at(cells, y++, x + 1);
		pen_text(&pen, key_entries[i].keys);
		pen.x = x + 1 + KEYS_WIDTH;
		pen_text(&pen, key_entries[i].text);
	}
	return y;
}

/* One group in lines, entry after entry, as many as fit. */
static int draw_flow(struct cells *cells, int y, int x, enum key_group group)
{
	int from = group_start(group), to = next_group(from), edge = x + WIDTH - 3;
	struct pen pen = pen_at(cells, y, x);

	for (int i = from; i < to; i++) {
		const struct key_entry *entry = &key_entries[i];
		int width;

		if (entry->kind != KEY_ROW)
			continue;
		width = text_width(entry->keys) + 1 + text_width(entry->text);
		if (pen.x + width > edge)
			pen = pen_at(cells, ++y, x);
		pen_role(&pen, ROLE_STRONG, entry->keys);
		pen_print(&pen, " %s   ", entry->text);
	}
	return y + 1;
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	int left = cells->width > WIDTH ? (cells->width - WIDTH) / 2 : 0, below_left, below_right;
	struct pen pen;

	(void)ui;
	y += height > LINES ? (height - LINES) / 2 : 0;
	pen = pen_at(cells, y, left + LEFT);
	pen_role(&pen, ROLE_STRONG, "loopmem top: keys");
	pen.x = left + RIGHT + 18;
	pen_text(&pen, "Esc or ? closes");
	below_left = draw_group(cells, y + 1, left + LEFT, GROUP_TIME);
	below_left = draw_group(cells, below_left + 1, left + LEFT, GROUP_PLAY);
	below_right = draw_group(cells, y + 1, left + RIGHT, GROUP_ROWS);
	below_right = draw_group(cells, below_right, left + RIGHT, GROUP_MARKS);
	y = below_left > below_right ? below_left : below_right;
	y = draw_flow(cells, y, left + LEFT + 1, GROUP_SHOWN);
	y = draw_flow(cells, y, left + LEFT + 1, GROUP_PROGRAM);
	pen = pen_at(cells, y, left + LEFT);
	pen_text(&pen, "loopmem never stops, signals or changes the program it watches.");
}

const struct screen screen_help = {
	.name = "Help",
	.draw = draw,
};

static const struct {
	wchar_t ch;
	const char *roff;
} escapes[] = {
	{L'\\', "\\e"},        {L'-', "\\-"},          {L'\'', "\\(aq"},    {L'^', "\\(ha"},
	{GLYPH_LEFT, "\\(<-"}, {GLYPH_RIGHT, "\\(->"}, {GLYPH_UP, "\\(ua"}, {GLYPH_DOWN, "\\(da"},
};

static void print_roff(FILE *out, const char *text)
{
	wchar_t ch;

	while ((ch = glyph_decode(&text))) {
		const char *roff = NULL;

		for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
			if (escapes[i].ch == ch)
				roff = escapes[i].roff;
		if (roff)
			fputs(roff, out);
		else
			fputc((int)ch, out);
	}
}

/* One line of the table as a paragraph of a man page. */
static void print_roff_row(FILE *out, const struct key_entry *entry)
{
	fputs(".TP\n.B \"", out);
	print_roff(out, entry->keys);
	fputs("\"\n", out);
	print_roff(out, entry->text);
	fputc('\n', out);
}

void tui_print_keys(FILE *out, int roff)
{
	for (int i = 0; i < key_entry_count; i++) {
		const struct key_entry *entry = &key_entries[i];

		if (entry->kind == KEY_GROUP)
			fprintf(out, "%s%s\n", roff ? ".SS " : i ? "\n" : "", entry->text);
		else if (entry->kind == KEY_ROW && roff)
			print_roff_row(out, entry);
		else if (entry->kind == KEY_ROW)
			fprintf(out, "  %s%*s%s\n", entry->keys, 12 - text_width(entry->keys), "",
				entry->text);
	}
}
