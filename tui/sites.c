/*
 * Screen 4: the lines of code that hold the memory, by pool, with the stack of the selected one. Figures are estimates from
 * samples; the screen says so once.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/format.h"
#include "profiler/view/site_words.h"
#include "tui/site_rows.h"
#include "tui/ui.h"

enum { WIDE = 112, GROWTH_WIDE = 132, NAME_SIZE = 512, LEAST_DETAIL = 6, LEAST_HEIGHT = 14 };

#define CELL(name) sheet_value(sheet, row, COLUMN_SITES_##name)

static int utf8(const struct ui *ui)
{
	return ui->glyphs != GLYPHS_ASCII;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static void add_row(struct ui *ui, struct sheet *sheet, const struct site_rows *rows, size_t i)
{
	const struct model *m = ui->model;
	const struct model_site_row *site = &rows->rows[i];
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, site_row_id(site));
	char text[NAME_SIZE];

	if (!row)
		return;
	value_number(CELL(LIVE), VALUE_BYTES, site->live_bytes);
	value_text(CELL(SHARE),
		   sheet_text(sheet, "%s",
			      format_percent(text, site->live_bytes, rows->live_bytes)));
	CELL(SHARE)->number = site->live_bytes;
	value_number(CELL(ALLOC), VALUE_BYTES, site->alloc_bytes);
	value_text(CELL(BLOCKS), sheet_text(sheet, "%s", format_count(text, site->live_blocks)));
	value_text(CELL(POOL),
		   sheet_text(sheet, "%s", site_owner(text, sizeof(text), m, site, utf8(ui))));
	if (site->pool >= 0)
		CELL(POOL)->role = role_of_stage(m->pools[site->pool].stage);
	value_text(CELL(SITE),
		   sheet_text(sheet, "%s", site_row_words(text, sizeof(text), m, site, utf8(ui))));
	if (rows->before)
		value_number(CELL(GROWTH), VALUE_CHANGE, site->live_bytes - rows->before[i]);
	if (ui->width >= WIDE)
		value_text(CELL(TIME), sheet_text(sheet, "%s", site_sparkline(rows, i, text)));
}

/* What is under a hundredth, in one row. */
static void add_rest(struct sheet *sheet, const struct site_rows *rows)
{
	struct sheet_row *row;
	int64_t live = 0, alloc = 0;

	for (size_t i = rows->shown; i < rows->count; i++) {
		live += rows->rows[i].live_bytes;
		alloc += rows->rows[i].alloc_bytes;
	}
	row = rows->count > rows->shown ? sheet_add(sheet, ROW_TOTAL, 0) : NULL;
	if (!row)
		return;
	for (int i = 0; i < sheet->column_count; i++)
		row->value[i].kind = VALUE_EMPTY;
	value_number(CELL(LIVE), VALUE_BYTES, live);
	value_number(CELL(ALLOC), VALUE_BYTES, alloc);
	value_text(CELL(POOL), "all");
	value_text(CELL(SITE), sheet_text(sheet, "%zu more, each under 1%%, E lists them",
					  rows->count - rows->shown));
}

static void build(struct ui *ui, struct sheet *sheet)
{
	struct site_rows rows;

	sheet_init(sheet, SHEET_SITES);
	if (site_rows_read(&rows, ui))
		return;
	for (size_t i = 0; i < rows.shown; i++)
		add_row(ui, sheet, &rows, i);
	add_rest(sheet, &rows);
	site_rows_release(&rows);
}

/* ---- one site in full -------------------------------------------------------------------------------------- */

static int line_shown(const struct ui *ui, int line)
{
	return !site_line_is_import(ui->model, line) &&
	       (!ui->switched[SCREEN_SITES] || !ui->model->lines[line].native);
}

/* "numpy/core/_multiarray_umath.so" of what is installed, else the file's name: "" where the line is named with it already. */
static const char *module_words(const struct model_line *line)
{
	static const char installed[] = "-packages/";
	const char *module = line->module ? line->module : "", *at = strstr(module, installed);
	const char *slash = strrchr(module, '/');

	if (at)
		return at + strlen(installed);
	if (!line->file || !line->line)
		return "";
	return slash ? slash + 1 : module;
}

static void draw_line(const struct ui *ui, struct cells *cells, int y, int x, int line)
{
	struct pen pen = pen_at(cells, y, x);
	const char *module = module_words(&ui->model->lines[line]);
	char text[NAME_SIZE];

	pen_text(&pen, site_words(text, sizeof(text), ui->model, line, utf8(ui)));
	if (ui->model->lines[line].native && cells->width >= WIDE)
		pen_print(&pen, "   native%s%s", *module ? ", " : "", module);
}

/* What the line called, one level deeper each. */
static int draw_inside(const struct ui *ui, struct cells *cells, int y, int end,
		       const struct site_stack *stack)
{
	int depth = 0, callers = stack->yours + 1 < stack->count;

	for (int i = stack->yours - 1; i >= 0 && y < end; i--) {
		struct pen pen = pen_at(cells, y, 1);

		if (!line_shown(ui, stack->lines[i]))
			continue;
		if (depth)
			pen_print(&pen, "%s%*s└─ ", callers ? "│" : " ", 3 * depth - 1, "");
		else
			pen_text(&pen, callers ? "├─ " : "└─ ");
		draw_line(ui, cells, y++, pen.x, stack->lines[i]);
		depth++;
	}
	return y;
}

static void draw_growth(const struct ui *ui, struct cells *cells, int y, int end,
			const struct site_rows *rows, size_t row)
{
	char text[NAME_SIZE];
	struct pen pen = pen_at(cells, y, 1);

	if (y < end && *site_growth(rows, row, ui, text, sizeof(text)))
		pen_print(&pen, "growth   %s", text);
}

static int shown_from(const struct ui *ui, const struct site_stack *stack, int first)
{
	int count = 0;

	for (int i = first; i < stack->count; i++)
		count += line_shown(ui, stack->lines[i]);
	return count;
}

/* Those that find no room are counted. */
static int draw_callers(const struct ui *ui, struct cells *cells, int y, int end,
			const struct site_stack *stack)
{
	struct pen pen = pen_at(cells, y, 1);

	if (stack->yours + 1 >= stack->count || y >= end)
		return y;
	pen_text(&pen, "└─ called by ");
	for (int i = stack->yours + 1; i < stack->count && y < end; i++) {
		int left = shown_from(ui, stack, i);

		if (!line_shown(ui, stack->lines[i]))
			continue;
		if (y == end - 1 && left > 1) {
			pen = pen_at(cells, y++, pen.x);
			pen_print(&pen, "… %d more", left);
			break;
		}
		draw_line(ui, cells, y++, pen.x, stack->lines[i]);
	}
	return y;
}

/* The selected one. */
static void draw_site(struct ui *ui, struct cells *cells, int y, int end,
		      const struct site_rows *rows)
{
	const struct model_site_row *site = site_rows_find(rows, ui_view(ui)->selected);
	struct pen pen = pen_at(cells, y++, 1);
	struct site_stack stack;
	char live[FORMAT_MAX], share[FORMAT_MAX], name[NAME_SIZE];

	if (!site)
		return;
	pen_print(&pen, "%s  %s    %s of all sites", format_bytes(live, site->live_bytes),
		  site_row_words(name, sizeof(name), ui->model, site, utf8(ui)),
		  format_percent(share, site->live_bytes, rows->live_bytes));
	if (site->processes > 1)
		pen_print(&pen, site->pool >= 0 ? ", %zu workers" : ", %zu processes",
			  site->processes);
	if (site_stack_read(&stack, ui->model, site->site))
		return;
	y = draw_inside(ui, cells, y, end, &stack);
	y = draw_callers(ui, cells, y, end, &stack);
	if ((size_t)(site - rows->rows) < rows->shown)
		draw_growth(ui, cells, y + 1, end, rows, (size_t)(site - rows->rows));
	site_stack_release(&stack);
}

/* ---- the screen ---------------------------------------------------------------------------------------------- */

static void draw_none(const struct ui *ui, struct cells *cells, int y, int end)
{
	const char *remedy, *why = site_why_none(ui->model, &remedy);
	char text[NAME_SIZE];

	y = paragraph_draw(cells, y, end, 3, "No call sites in this session.");
	if (model_has_shim(ui->model)) {
		paragraph_draw(
			cells, y + 1, end, 3,
			"Allocations were counted exactly, but no stack says where they came from. Pools and Processes "
			"show whose they are.");
		return;
	}
	snprintf(text, sizeof(text), "%c%s%s%s.", toupper((unsigned char)why[0]), why + 1,
		 *remedy ? ": " : "", remedy);
	paragraph_draw(cells, y + 1, end, 3, text);
}

/* What the memory of the moment is made of; the figures of sites are not parts of it: a page that several processes share is no one's here. */
static void print_parts(const struct ui *ui, char *out, size_t size)
{
	const struct model_composition *c = &ui->now.composition;
	const struct {
		const char *name;
		int64_t bytes;
	} parts[] = {{"private live heap", c->live_heap},
		     {"unshared", c->unshared},
		     {"files", c->files},
		     {"allocator", c->allocator},
		     {"shm", c->shm},
		     {"parked batches", c->parked},
		     {"other", c->other}};
	enum format_unit unit = format_unit_for(c->total);
	char bytes[FORMAT_MAX];
	int at = snprintf(out, size, "Memory %s", format_bytes(bytes, c->total)), written = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i].bytes > 0)
			at += snprintf(out + at, size - (size_t)at, "%s %s %s",
				       written++ ? "," : ":", parts[i].name,
				       format_cell(bytes, parts[i].bytes, unit, 1));
}

/* The sum of the rows and of whom the list is; where there is room, what the memory is made of. */
static int draw_caption(const struct ui *ui, struct cells *cells, int y, int end,
			const struct site_rows *rows)
{
	enum format_unit unit = format_unit_for(rows->live_bytes);
	char text[512], a[FORMAT_MAX], b[FORMAT_MAX];
	int at = 0;

	if (ui->model->site_count) {
		at = snprintf(text, sizeof(text), "Live %s %s at the cursor",
			      format_cell(a, rows->live_bytes, unit, 1), format_unit_name(unit));
		if (rows->mapped_bytes)
			at += snprintf(text + at, sizeof(text) - (size_t)at, ": heap %s, mapped %s",
				       format_cell(a, rows->live_bytes - rows->mapped_bytes, unit,
						   1),
				       format_cell(b, rows->mapped_bytes, unit, 1));
		if (ui->sites_pid)
			at += snprintf(text + at, sizeof(text) - (size_t)at,
				       "; sampled, process %lld, Esc all",
				       (long long)ui->sites_pid);
		else
			at += snprintf(text + at, sizeof(text) - (size_t)at,
				       "; sampled, all pools");
	}
	if (cells->width >= WIDE || !at) {
		if (at)
			at += snprintf(text + at, sizeof(text) - (size_t)at, ".  ");
		print_parts(ui, text + at, sizeof(text) - (size_t)at);
	}
	return paragraph_draw(cells, y, end, 1, text);
}

static void draw_hints(const struct ui *ui, struct cells *cells, int y, enum format_unit unit)
{
	struct pen pen = pen_at(cells, y, 1);
	char size[FORMAT_MAX];

	pen_print(&pen, "%s in %s. ALLOC counts all that was ever allocated here.",
		  cells->width >= GROWTH_WIDE ? "LIVE, ALLOC and GROWTH, of a minute,"
					      : "LIVE and ALLOC",
		  format_unit_name(unit));
	if (cells->width >= WIDE && ui->model->sample_bytes > 0)
		pen_print(&pen, " Estimates: one sample in %s.",
			  format_bytes_range(size, ui->model->sample_bytes,
					     ui->model->sample_bytes_most));
	pen = pen_at(cells, y + 1, 1);
	pen_print(&pen, "f native frames %s   E all sites   %s   / search   y copy file:line",
		  ui->switched[SCREEN_SITES] ? "on" : "off",
		  ui->site_open ? "Esc list" : "Enter stack");
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	int end = y + height, hints = height >= LEAST_HEIGHT ? 2 : 0, rows_height;
	struct site_rows rows = {0};
	struct sheet sheet = {0};
	enum format_unit unit;

	if (!ui_moments(ui))
		return;
	if (ui->model->site_count && site_rows_read(&rows, ui))
		return;
	y = draw_caption(ui, cells, y, end, &rows);
	if (!ui->model->site_count) {
		draw_none(ui, cells, y + 1, end);
		return;
	}
	if (!ui_sheet(ui, &sheet)) {
		site_rows_release(&rows);
		return;
	}
	rows_height = height < LEAST_HEIGHT ? end - y : end - hints - y - LEAST_DETAIL;
	if (ui->site_open)
		rows_height = 2; /* the heading and the selected one */
	if (rows_height > sheet.row_count + 1)
		rows_height = sheet.row_count + 1;
	y = ui_draw_sheet(ui, cells, &sheet, y, rows_height);
	unit = sheet_unit(&sheet);
	sheet_release(&sheet);
	if (height >= LEAST_HEIGHT || ui->site_open)
		draw_site(ui, cells, y + 1, end - hints, &rows);
	site_rows_release(&rows);
	if (hints)
		draw_hints(ui, cells, end - hints, unit);
}

static void go_in(struct ui *ui)
{
	ui->site_open = ui->model->site_count > 0;
}

static int go_out(struct ui *ui)
{
	int was = ui->site_open || ui->sites_pid;

	if (!ui->site_open)
		ui->sites_pid = 0;
	ui->site_open = 0;
	return was;
}

static void flip(struct ui *ui)
{
	ui->switched[SCREEN_SITES] ^= 1;
	ui_say(ui, ui->switched[SCREEN_SITES] ? "without native frames" : "with native frames");
}

static void open_key(struct ui *ui, int key)
{
	if (key == 'E' || key == '+' || key == '-')
		ui->sites_all = key == 'E' ? !ui->sites_all : key == '+';
}

static void copy(struct ui *ui, char *out, size_t size)
{
	struct site_rows rows;
	const struct model_site_row *site;

	if (site_rows_read(&rows, ui))
		return;
	site = site_rows_find(&rows, ui_view(ui)->selected);
	if (site && site->line >= 0 && ui->model->lines[site->line].file)
		snprintf(out, size, "%s:%lld", ui->model->lines[site->line].file,
			 (long long)ui->model->lines[site->line].line);
	else if (site)
		site_words(out, size, ui->model, site->line, utf8(ui));
	site_rows_release(&rows);
}

const struct screen screen_sites = {
	.name = "Sites",
	.draw = draw,
	.build = build,
	.go_in = go_in,
	.go_out = go_out,
	.flip = flip,
	.open = open_key,
	.copy = copy,
};
