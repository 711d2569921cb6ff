/* The mouse: every place that means something was noted while the frame was drawn. Nothing is only reachable by it. */
#include "tui/term.h"
#include "tui/ui.h"

static const struct hit *find(const struct ui *ui, int y, int x)
{
	for (int i = ui->hit_count - 1; i >= 0; i--) {
		const struct hit *hit = &ui->hits[i];

		if (y >= hit->y && y < hit->y + hit->height && x >= hit->x &&
		    x < hit->x + hit->width)
			return hit;
	}
	return NULL;
}

/* The same again turns the order. */
static void click_heading(struct ui *ui, int column)
{
	struct sheet_view *view = ui_view(ui);

	if (view->sort == column)
		view->reversed ^= 1;
	view->sort = column;
	view->order_count = 0;
}

static void click_row(struct ui *ui, int row)
{
	struct sheet sheet = {0};
	int before;

	if (ui->screen == SCREEN_SETUP) {
		ui->setup_row = row;
		ui_key(ui, CODE_ENTER);
		return;
	}
	if (!ui_sheet(ui, &sheet))
		return;
	before = sheet_selected(&sheet, ui_view(ui));
	sheet_select(&sheet, ui_view(ui), row);
	sheet_release(&sheet);
	if (before == row)
		ui_key(ui, CODE_ENTER);
}

static void seek_column(struct ui *ui, const struct hit *hit, int x)
{
	struct chart_span span = timeline_span(&ui->time, ui->model, hit->width);

	timeline_to_column(&ui->time, ui->model, &span, x - hit->x);
	ui_moved(ui);
}

/* Press sets the cursor; dragging makes it the span from mark A to mark B. */
static void drag(struct ui *ui, const struct hit *hit, int x)
{
	if (ui->drag_from < 0 || ui->drag_from == x)
		return;
	seek_column(ui, hit, ui->drag_from);
	ui->time.a_ns = ui->time.cursor_ns;
	seek_column(ui, hit, x);
	ui->time.b_ns = ui->time.cursor_ns;
}

static void press(struct ui *ui, const struct hit *hit, int x)
{
	switch (hit->kind) {
	case HIT_CHART:
		ui->drag_from = x;
		seek_column(ui, hit, x);
		break;
	case HIT_ROW:
		click_row(ui, hit->value);
		break;
	case HIT_HEADING:
		click_heading(ui, hit->value);
		break;
	case HIT_TAB:
		ui_key(ui, '1' + hit->value);
		break;
	case HIT_KEY:
		ui_key(ui, hit->value);
		break;
	case HIT_NONE:
		break;
	}
}

void ui_mouse(struct ui *ui, const struct input *input)
{
	const struct hit *hit = find(ui, input->y, input->x);
	int chart = hit && hit->kind == HIT_CHART && ui->model && ui->model->round_count;

	if (ui->prompt != PROMPT_NONE || (hit && hit->kind == HIT_CHART && !chart))
		return;
	switch (input->mouse) {
	case MOUSE_PRESS:
		ui->drag_from = -1;
		if (hit)
			press(ui, hit, input->x);
		break;
	case MOUSE_DRAG:
		if (chart)
			drag(ui, hit, input->x);
		break;
	case MOUSE_RELEASE:
		ui->drag_from = -1;
		break;
	case MOUSE_WHEEL_UP:
	case MOUSE_WHEEL_DOWN:
		if (chart) {
			timeline_zoom(&ui->time, ui->model,
				      input->mouse == MOUSE_WHEEL_UP ? 1 : -1);
			ui_moved(ui);
		} else {
			ui_key(ui, input->mouse == MOUSE_WHEEL_UP ? CODE_UP : CODE_DOWN);
		}
		break;
	}
}
