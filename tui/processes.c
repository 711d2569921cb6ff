/*
 * Screen 3: every process that lives at the cursor, as a tree (owner, its pools, their workers, whatever no pool claims) or
 * as a list; below it the selected one and what the columns mean.
 */
#include <stdio.h>

#include "profiler/view/format.h"
#include "tui/process_tree.h"
#include "tui/ui.h"

enum { WIDE = 112 };

static int count_role(const struct ui *ui, enum model_role role)
{
	int count = 0;

	for (size_t i = 0; i < ui->model->process_count; i++)
		count += ui->now.processes[i].alive && ui->model->processes[i].role == role;
	return count;
}

static int count_orphans(const struct ui *ui)
{
	int count = 0;

	for (size_t i = 0; i < ui->model->process_count; i++)
		count += ui->now.processes[i].alive && ui->model->processes[i].orphan;
	return count;
}

static void draw_selected(const struct ui *ui, struct cells *cells, int y, int end)
{
	int64_t selected = ui->views[SCREEN_PROCESSES].selected;
	const struct model_process *p;
	const struct model_process_moment *now;
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];
	struct pen pen = pen_at(cells, y, 1);

	if (selected < 0 || (size_t)selected >= ui->model->process_count || y + 2 > end)
		return;
	p = &ui->model->processes[selected];
	now = &ui->now.processes[selected];
	if (p->pool >= 0 && p->role == MODEL_ROLE_WORKER)
		pen_print(&pen, "worker %lld of %s, ", (long long)p->worker_id,
			  ui->model->pools[p->pool].name);
	pen_print(&pen, "pid %lld, since %s", (long long)p->pid,
		  format_moment_tenths(a, p->born_ns));
	if (p->parent >= 0)
		pen_print(&pen, ", started by %lld",
			  (long long)ui->model->processes[p->parent].pid);
	if (p->python)
		pen_print(&pen, ", Python %s", p->python);
	pen = pen_at(cells, y + 1, 3);
	pen_print(&pen, "private %s, %slive heap %s%s, unshared %s",
		  format_bytes(a, now->private_bytes),
		  now->live_heap > now->private_bytes ? "" : "of it ",
		  format_bytes(b, now->live_heap),
		  now->live_heap > now->private_bytes ? " with what other processes share" : "",
		  format_bytes(c, now->unshared));
	if (!p->instrumented)
		pen_text(&pen, "   (no shim in it: heap unknown)");
}

static void draw_not_counted(const struct ui *ui, struct cells *cells, int y)
{
	const struct model *m = ui->model;
	struct pen pen = pen_at(cells, y, 1);
	char bytes[FORMAT_MAX];

	pen_text(&pen, "Not counted: loopmem itself");
	if (m->collector_pid != MODEL_NONE)
		pen_print(&pen, ", %lld", (long long)m->collector_pid);
	if (m->collector_memory_bytes > 0)
		pen_print(&pen, ", %s", format_bytes(bytes, m->collector_memory_bytes));
	if (m->collector_wall_seconds > 0)
		pen_print(&pen, ", %.1f%% of a core",
			  100 * m->collector_cpu_seconds / m->collector_wall_seconds);
	pen_text(&pen, ".");
}

static void draw_caption(const struct ui *ui, struct cells *cells, int y, const char *unit)
{
	struct pen pen = pen_at(cells, y, 1);

	if (cells->width >= WIDE) {
		pen_print(
			&pen,
			"PRIVATE is freed when the process ends; MEMORY adds its share of shared pages and adds up to Now. "
			"Sizes in %s.",
			unit);
		draw_not_counted(ui, cells, y + 1);
		return;
	}
	pen_text(&pen,
		 "PRIVATE is freed when the process ends; MEMORY adds its share of shared pages");
	pen = pen_at(cells, y + 1, 1);
	pen_print(&pen, "and adds up to Now. %s. UNSH: inherited at the fork, private since.",
		  unit);
	draw_not_counted(ui, cells, y + 2);
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	int end = y + height,
	    caption = height < 12            ? 0
		      : cells->width >= WIDE ? 2
					     : 3,
	    below = height >= 30 ? 5 : 0;
	struct sheet sheet = {0};
	enum format_unit unit;

	if (!ui_moments(ui))
		return;
	ui->sheet_room = height - caption - below - (caption > 0);
	if (!ui_sheet(ui, &sheet))
		return;
	y = ui_draw_sheet(ui, cells, &sheet, y, ui->sheet_room);
	unit = sheet_unit(&sheet);
	sheet_release(&sheet);
	if (below && !ui->time.difference) {
		struct pen pen = pen_at(cells, y + 3, 3);

		draw_selected(ui, cells, y + 1, end);
		pen_print(&pen, "%d processes: %d workers, %d orphans",
			  count_role(ui, MODEL_ROLE_OWNER) + count_role(ui, MODEL_ROLE_ROOT) +
				  count_role(ui, MODEL_ROLE_HELPER) +
				  count_role(ui, MODEL_ROLE_CHILD) +
				  count_role(ui, MODEL_ROLE_WORKER),
			  count_role(ui, MODEL_ROLE_WORKER), count_orphans(ui));
	}
	if (caption && !ui->time.difference)
		draw_caption(ui, cells, end - caption, format_unit_name(unit));
}

/* A pool opens to all of its workers; a process leads to its call sites. */
static void go_in(struct ui *ui)
{
	const struct sheet_view *view = ui_view(ui);

	if (!view->has_selected)
		return;
	if (view->selected < 0) {
		ui->opened ^= process_tree_bit((size_t)(-1 - view->selected));
	} else if ((size_t)view->selected < ui->model->process_count) {
		ui->sites_pid = ui->model->processes[view->selected].pid;
		ui_go_to_screen(ui, SCREEN_SITES);
	}
}

static int pool_of_row(const struct ui *ui, int64_t id)
{
	if (id < 0)
		return (int)(-1 - id);
	return (size_t)id < ui->model->process_count ? ui->model->processes[id].pool : -1;
}

static void open_key(struct ui *ui, int key)
{
	int pool = ui_view(ui)->has_selected ? pool_of_row(ui, ui_view(ui)->selected) : -1;

	if (key == 'E')
		ui->opened = ui->opened == -1 ? 0 : -1;
	else if (pool >= 0 && key == '+')
		ui->opened |= process_tree_bit((size_t)pool);
	else if (pool >= 0 && key == '-')
		ui->opened &= ~process_tree_bit((size_t)pool);
	else if (pool >= 0)
		ui->opened ^= process_tree_bit((size_t)pool);
}

static void copy(struct ui *ui, char *out, size_t size)
{
	const struct sheet_view *view = ui_view(ui);

	if (view->has_selected && view->selected >= 0 &&
	    (size_t)view->selected < ui->model->process_count)
		snprintf(out, size, "%lld", (long long)ui->model->processes[view->selected].pid);
}

const struct screen screen_processes = {
	.name = "Processes",
	.draw = draw,
	.build = process_tree_build,
	.go_in = go_in,
	.open = open_key,
	.copy = copy,
};
