/* Screen 6: what happened, in order. `f` cycles through the kinds, `v` changes to the clock's time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/format.h"
#include "tui/eventlist.h"
#include "tui/ui.h"

#define CELL(name) sheet_value(sheet, row, COLUMN_EVENTS_##name)

/* 0 = all; else one kind. */
static int is_shown(const struct ui *ui, const struct event *event)
{
	int kind = ui->switched[SCREEN_EVENTS];

	return !kind || kind == (int)event->kind + 1;
}

static void add_event(struct ui *ui, struct sheet *sheet, const struct event *event)
{
	const struct model *m = ui->model;
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, event->id);
	int round = model_round_at(m, event->t_ns);
	char clock[FORMAT_MAX];

	if (!row)
		return;
	if (ui->clock_times)
		value_text(CELL(TIME),
			   sheet_text(sheet, "%s",
				      format_time_of_day(clock, m->started_unix_ns + event->t_ns)));
	else
		value_number(CELL(TIME), VALUE_TENTHS, event->t_ns);
	CELL(TIME)->number = event->t_ns;
	value_number(CELL(ALL), VALUE_BYTES, round < 0 ? 0 : m->rounds[round].total_bytes);
	value_number(CELL(IDLE), VALUE_BYTES, round < 0 ? 0 : m->rounds[round].held_idle_bytes);
	value_text(CELL(KIND), event_kind_name(event->kind));
	if (event->process >= 0)
		value_number(CELL(PROCESS), VALUE_COUNT, m->processes[event->process].pid);
	value_text(CELL(EVENT), sheet_text(sheet, "%s", event->text));
	value_text(CELL(NOTE), sheet_text(sheet, "%s", event->note));
	if (!event->note[0])
		CELL(NOTE)->kind = VALUE_EMPTY;
}

static void build(struct ui *ui, struct sheet *sheet)
{
	struct event_list list = {0};

	sheet_init(sheet, SHEET_EVENTS);
	if (!event_list_build(&list, ui->model))
		for (size_t i = 0; i < list.count; i++)
			if (is_shown(ui, &list.events[i]))
				add_event(ui, sheet, &list.events[i]);
	event_list_release(&list);
}

/* The row of the cursor: the last event at or before it. A person who moves in rows is not disturbed. */
static void follow_cursor(struct ui *ui, const struct sheet *sheet)
{
	int column = COLUMN_EVENTS_TIME - (int)(sheet->columns - all_columns), found = -1;

	if (ui->events_cursor_ns == ui->time.cursor_ns)
		return;
	ui->events_cursor_ns = ui->time.cursor_ns;
	for (int i = 0; i < sheet->row_count; i++)
		if (sheet->rows[i].value[column].number <= ui->time.cursor_ns)
			found = i;
	sheet_select(sheet, ui_view(ui), found);
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	int end = y + height, hint = height >= 8, kind = ui->switched[SCREEN_EVENTS];
	struct sheet sheet = {0};
	struct pen pen = pen_at(cells, end - 1, 1);
	char from[FORMAT_MAX];

	if (!ui_moments(ui) || !ui_sheet(ui, &sheet))
		return;
	follow_cursor(ui, &sheet);
	ui_draw_sheet(ui, cells, &sheet, y, height - 2 * hint);
	if (hint) {
		int top = ui_view(ui)->top, shown = ui_view(ui)->visible;
		int column = COLUMN_EVENTS_TIME - (int)(sheet.columns - all_columns);

		shown = shown < sheet.row_count ? shown : sheet.row_count;
		pen_print(
			&pen,
			"%d of %d events, from %s, %s. ALL in %s     Enter go there  f kinds  v clock",
			shown, sheet.row_count,
			format_moment(from, top < sheet.row_count
						    ? sheet.rows[top].value[column].number
						    : 0),
			kind ? event_kind_name((enum event_kind)(kind - 1)) : "all kinds",
			format_unit_name(format_unit_for(ui->model->totals.peak_bytes)));
	}
	sheet_release(&sheet);
}

static void go_in(struct ui *ui)
{
	const struct sheet_view *view = ui_view(ui);
	struct event_list list = {0};

	if (view->has_selected && !event_list_build(&list, ui->model))
		for (size_t i = 0; i < list.count; i++)
			if (list.events[i].id == view->selected) {
				timeline_seek(&ui->time, ui->model, list.events[i].t_ns);
				ui->events_cursor_ns = ui->time.cursor_ns;
				ui_moved(ui);
				break;
			}
	event_list_release(&list);
}

static void flip(struct ui *ui)
{
	int *kind = &ui->switched[SCREEN_EVENTS];

	*kind = (*kind + 1) % (EVENT_KINDS + 1);
	ui_say(ui, "events: %s",
	       *kind ? event_kind_name((enum event_kind)(*kind - 1)) : "all kinds");
}

static void copy(struct ui *ui, char *out, size_t size)
{
	struct sheet sheet = {0};
	int row;

	if (!ui_sheet(ui, &sheet))
		return;
	row = sheet_selected(&sheet, ui_view(ui));
	if (row >= 0) {
		int column = COLUMN_EVENTS_EVENT - (int)(sheet.columns - all_columns);

		snprintf(out, size, "%s", sheet.rows[row].value[column].text);
	}
	sheet_release(&sheet);
}

const struct screen screen_events = {
	.name = "Events",
	.draw = draw,
	.build = build,
	.go_in = go_in,
	.flip = flip,
	.copy = copy,
};
