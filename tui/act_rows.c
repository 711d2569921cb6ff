/* Keys of rows: the selection, sorting, searching, opening, copying. */
#include <limits.h>

#include "tui/act.h"
#include "tui/ui.h"

#define SECOND INT64_C(1000000000)

enum { FREEZE_S = 3 };

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

static void move_pages(struct ui *ui, int half_pages)
{
	int page = ui_view(ui)->visible > 1 ? ui_view(ui)->visible - 1 : 1;

	move_rows(ui, half_pages % 2 ? half_pages * ((page + 1) / 2) : half_pages / 2 * page);
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

/* + and - open and close where there is a tree. */
static void zoom(struct ui *ui, int direction)
{
	if (direction && on_tree(ui))
		open_tree(ui, direction > 0 ? '+' : '-');
	else
		timeline_zoom(&ui->time, ui->model, direction);
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

const struct act act_rows[ACTIONS] = {
	[ACTION_ZOOM_IN] = {NULL, zoom, 1, NEEDS_SAMPLES},
	[ACTION_ZOOM_OUT] = {NULL, zoom, -1, NEEDS_SAMPLES},
	[ACTION_ZOOM_ALL] = {NULL, zoom, 0, NEEDS_SAMPLES},
	[ACTION_ROW_DOWN] = {NULL, move_rows, 1, 0},
	[ACTION_ROW_UP] = {NULL, move_rows, -1, 0},
	[ACTION_ROW_FIRST] = {NULL, move_rows, -INT_MAX, 0},
	[ACTION_ROW_LAST] = {NULL, move_rows, INT_MAX, 0},
	[ACTION_PAGE_UP] = {NULL, move_pages, -2, 0},
	[ACTION_PAGE_DOWN] = {NULL, move_pages, 2, 0},
	[ACTION_HALF_UP] = {NULL, move_pages, -1, 0},
	[ACTION_HALF_DOWN] = {NULL, move_pages, 1, 0},
	[ACTION_GO_IN] = {go_in, NULL, 0, 0},
	[ACTION_SORT_PREVIOUS] = {NULL, sort_by, -1, 0},
	[ACTION_SORT_NEXT] = {NULL, sort_by, 1, 0},
	[ACTION_SORT_TURN] = {turn_sort, NULL, 0, 0},
	[ACTION_FOUND_NEXT] = {NULL, ui_search, 1, 0},
	[ACTION_FOUND_PREVIOUS] = {NULL, ui_search, -1, 0},
	[ACTION_OPEN] = {NULL, open_tree, 'e', NEEDS_SAMPLES},
	[ACTION_OPEN_ALL] = {NULL, open_tree, 'E', NEEDS_SAMPLES},
	[ACTION_COPY] = {copy, NULL, 0, 0},
};
