/* Screen 1: the chart, the pools that live at the cursor, the worst findings. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/format.h"
#include "profiler/view/words.h"
#include "tui/pool_words.h"
#include "tui/tail.h"
#include "tui/ui.h"

enum { WIDE = 112, FINDINGS_SHOWN = 3 };

static int pool_shown(const struct ui *ui, size_t pool)
{
	enum model_state state = ui->now.pools[pool].state;

	if (ui->chart.owner >= 0 && ui->model->pools[pool].owner != ui->chart.owner)
		return 0;
	/* what a loader without workers loaded may outlive it */
	return (state != MODEL_LATER && state != MODEL_ENDED) || ui->now.pools[pool].in_owner > 0;
}

static void add_pool(struct ui *ui, struct sheet *sheet, size_t i)
{
	const struct model_pool *pool = &ui->model->pools[i];
	const struct model_pool_moment *now = &ui->now.pools[i];
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, (int64_t)i);
	int idle = now->state == MODEL_EXHAUSTED && now->held_idle > 0;

	if (!row)
		return;
#define CELL(name) sheet_value(sheet, row, COLUMN_OVERVIEW_##name)
	value_text(CELL(POOL), pool_row_name(sheet, pool));
	CELL(POOL)->role = role_of_stage(pool->stage);
	value_text(CELL(STATE), pool_state_text(sheet, pool, now));
	CELL(STATE)->over = idle ? OVER_IDLE : OVER_NONE;
	if (pool->workers)
		value_number(CELL(WORKERS), VALUE_COUNT, now->workers_alive);
	if (pool->workers || now->memory)
		value_number(CELL(MEMORY), VALUE_BYTES, now->memory);
	if (now->in_owner > 0)
		value_number(CELL(IN_OWNER), VALUE_BYTES, now->in_owner);
	if (now->private_bytes)
		value_number(CELL(PRIVATE), VALUE_BYTES, now->private_bytes);
	CELL(PRIVATE)->stale = CELL(UNSHARED)->stale = now->stale && ui->live;
	if (now->live_heap)
		value_number(CELL(HEAP), VALUE_BYTES, now->live_heap);
	if (now->unshared)
		value_number(CELL(UNSHARED), VALUE_BYTES, now->unshared);
	if (now->shm)
		value_number(CELL(SHM), VALUE_BYTES, now->shm);
	if (idle) {
		value_number(CELL(IDLE), VALUE_BYTES, now->held_idle);
		CELL(IDLE)->over = OVER_IDLE;
		value_number(CELL(HELD), VALUE_DURATION, ui->time.cursor_ns - now->since_ns);
	}
	pool_batches(pool, now->batches, CELL(BATCHES));
	if (pool->start_ns != MODEL_NONE && pool->first_batch_ns <= ui->time.cursor_ns)
		value_number(CELL(START), VALUE_DURATION, pool->start_ns);
	value_text(CELL(LOADER), pool->label[0] ? pool->label : pool->dataset);
}

static void add_process(struct ui *ui, struct sheet *sheet, size_t i)
{
	const struct model_process_moment *now = &ui->now.processes[i];
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, -1 - (int64_t)i);
	char name[64];

	if (!row)
		return;
	value_text(CELL(POOL),
		   sheet_text(sheet, "%s", words_process(name, sizeof(name), ui->model, (int)i)));
	value_number(CELL(MEMORY), VALUE_BYTES, now->proportional);
	value_number(CELL(PRIVATE), VALUE_BYTES, now->private_bytes);
	CELL(PRIVATE)->stale = now->stale && ui->live;
	if (now->live_heap)
		value_number(CELL(HEAP), VALUE_BYTES, now->live_heap);
	if (now->unshared)
		value_number(CELL(UNSHARED), VALUE_BYTES, now->unshared);
}

static void add_others(struct ui *ui, struct sheet *sheet, int64_t listed)
{
	int64_t rest = ui->now.round.total_bytes - listed;
	struct sheet_row *row;

	/* what rounding alone makes is no row */
	if (rest <= ui->now.round.total_bytes / 500)
		return;
	row = sheet_add(sheet, ROW_NOTE, 0);
	if (!row)
		return;
	for (int i = 0; i < sheet->column_count; i++)
		row->value[i].kind = VALUE_EMPTY;
	value_text(CELL(POOL), "other processes");
	value_number(CELL(MEMORY), VALUE_BYTES, rest);
}

static void add_total(struct ui *ui, struct sheet *sheet)
{
	const struct model_round *round = &ui->now.round;
	const struct model_composition *made_of = &ui->now.composition;
	struct sheet_row *row = sheet_add(sheet, ROW_TOTAL, 0);
	enum format_unit unit = format_unit_for(round->total_bytes);

	if (!row)
		return;
	for (int i = 0; i < sheet->column_count; i++)
		row->value[i].kind = VALUE_EMPTY;
	value_text(CELL(POOL),
		   sheet_text(sheet, "all, %d process%s, %s", round->processes,
			      round->processes == 1 ? "" : "es", format_unit_name(unit)));
	value_number(CELL(MEMORY), VALUE_BYTES, round->total_bytes);
	value_number(CELL(HEAP), VALUE_BYTES, made_of->live_heap);
	value_number(CELL(UNSHARED), VALUE_BYTES, made_of->unshared);
	if (made_of->shm + made_of->parked)
		value_number(CELL(SHM), VALUE_BYTES, made_of->shm + made_of->parked);
	if (round->held_idle_bytes)
		value_number(CELL(IDLE), VALUE_BYTES, round->held_idle_bytes);
#undef CELL
}

static void build(struct ui *ui, struct sheet *sheet)
{
	const struct model *m = ui->model;
	int64_t listed = 0;

	sheet_init(sheet, SHEET_OVERVIEW);
	for (size_t i = 0; i < m->pool_count; i++)
		if (pool_shown(ui, i)) {
			add_pool(ui, sheet, i);
			listed += ui->now.pools[i].memory;
		}
	for (size_t i = 0; i < m->process_count; i++)
		if (words_is_owner(m, (int)i) && ui->now.processes[i].alive &&
		    (ui->chart.owner < 0 || (int)i == ui->chart.owner)) {
			add_process(ui, sheet, i);
			listed += ui->now.processes[i].proportional;
		}
	if (ui->chart.owner < 0)
		add_others(ui, sheet, listed);
	add_total(ui, sheet);
}

/* ---- the rest of the screen -------------------------------------------------------------------------------- */

static void draw_finding(const struct ui *ui, struct cells *cells, int y, size_t i)
{
	const struct model_finding *f = &ui->model->findings[i];
	struct pen pen = pen_at(cells, y, 1);
	char letter[2] = {"NWE"[f->severity], '\0'}, text[256], cut[256];

	pen_role(&pen, role_of_severity(f->severity), letter);
	pen_print(&pen, " %-20s  ", f->id);
	words_finding(text, sizeof(text), f);
	text_cut(cut, sizeof(cut), text, cells->width - 8 - pen.x, CUT_END);
	pen_text(&pen, cut);
	pen_text_ending(&pen, cells->width - 1, "Enter");
}

static void draw_findings(const struct ui *ui, struct cells *cells, int y, int rows)
{
	for (int i = 0; i < rows; i++)
		draw_finding(ui, cells, y + i, (size_t)i);
}

/* How many workers fit; marks, cost of measuring and the unexplained rest, on large screens. */
static void draw_small_print(const struct ui *ui, struct cells *cells, int y, int rows)
{
	const struct model *m = ui->model;
	struct pen pen = pen_at(cells, y + rows - 1, 1), fit = pen_at(cells, y, 1);
	char words[WORDS_MAX];
	char a[FORMAT_MAX] = "not set", b[FORMAT_MAX] = "not set", gap[FORMAT_MAX];

	if (rows > 1)
		pen_print(&fit, "workers  %s", words_capacity(words, sizeof(words), m));
	if (ui->time.a_ns != MODEL_NONE)
		format_moment(a, ui->time.a_ns);
	if (ui->time.b_ns != MODEL_NONE)
		format_moment(b, ui->time.b_ns);
	pen_print(&pen, "marks  A %s  B %s", a, b);
	if (m->collector_wall_seconds > 0)
		pen_print(&pen, "     measuring  %.1f%% of a core, %lld skipped, %lld dropped",
			  100 * m->collector_cpu_seconds / m->collector_wall_seconds,
			  (long long)m->skipped, (long long)m->dropped);
	if (m->reconciliation.unexplained_bytes != MODEL_NONE)
		pen_print(&pen, "     at the peak  %s unexplained",
			  format_bytes(gap, m->reconciliation.unexplained_bytes));
}

static int without_workers(const struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].workers)
			return 0;
	return (int)m->pool_count;
}

/* Why loaders are not followed in some process, or NULL. */
static const char *why_not_followed(const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].python_reason && *m->processes[i].python_reason)
			return m->processes[i].python_reason;
	return NULL;
}

static const char *empty_words(const struct ui *ui)
{
	if (!model_has_shim(ui->model))
		return ui->model->attached
			       ? "It is watched from outside: its pools and its heap are not known. loopmem run -- COMMAND sees both."
			       : "The shim is in no process, so pools and heap are not known: it loads into programs that are linked "
				 "dynamically and not setuid.";
	if (ui->live)
		return "Its memory is counted. Pools appear here when a loader starts one:\n"
		       "a torch DataLoader, or a program that calls loopmem.h.";
	return "All of the memory is the processes' own.";
}

/* What there is to say when the table would say nothing. */
static void draw_empty(const struct ui *ui, struct cells *cells, int y, int end)
{
	const char *reason = why_not_followed(ui->model);
	char text[512];

	y = paragraph_draw(cells, y + 1, end, 3,
			   ui->live ? "No data loader yet."
				    : "No data loader was seen in this run.");
	y = paragraph_draw(cells, y + 1, end, 3, empty_words(ui));
	if (!reason)
		return;
	snprintf(text, sizeof(text), "Python's loaders are not followed: %s", reason);
	paragraph_draw(cells, y + 1, end, 3, text);
}

struct rows {
	int chart, band, axis, legend, sheet, findings, small_print, log;
};

/*
 * Who gets how many of the lines. The chart has 7/10 of what is over 11 lines of frame, at least 6 and at most 20, never
 * more than half the screen. When it is low the axis goes first, then legend, findings, band; under 14 rows the chart.
 */
static struct rows share_out(const struct ui *ui, const struct cells *cells, int height,
			     int sheet_rows)
{
	int total = cells->height, wanted = (total - 11) * 7 / 10, left;
	struct rows rows = {.axis = total >= 20, .band = total >= 16};

	rows.legend = total >= 19 && cells->width < WIDE;
	rows.findings = total >= 17 ? 1 : 0;
	if (total >= 14)
		rows.chart = wanted < 6 ? 6 : wanted > 20 ? 20 : wanted;
	if (total >= 34) {
		rows.findings = (int)(ui->model->finding_count < FINDINGS_SHOWN
					      ? ui->model->finding_count
					      : FINDINGS_SHOWN);
		rows.small_print = 1 + (ui->model->capacity.workers != MODEL_NONE);
	}
	if ((size_t)rows.findings > ui->model->finding_count)
		rows.findings = (int)ui->model->finding_count;
	if (ui->options.log)
		rows.log = total >= 36 ? 8 : total >= 24 ? 4 : 0;
	left = height - rows.axis - rows.band - rows.legend - rows.findings - rows.small_print -
	       rows.log;
	/* a full table is worth a quarter of the chart; heading, two rows and the sum are worth all of it */
	while (rows.chart > 6 && rows.chart > wanted * 3 / 4 && left - rows.chart < sheet_rows + 1)
		rows.chart--;
	if (rows.chart > left - 4)
		rows.chart = left - 4 < 4 ? 0 : left - 4;
	rows.sheet = left - rows.chart;
	return rows;
}

static int draw_chart(struct ui *ui, struct cells *cells, int y, const struct rows *rows)
{
	struct pen pen;

	if (!rows->chart)
		return y;
	ui_draw_chart(ui, cells, &(struct chart_place){y, rows->chart, rows->band, rows->axis});
	y += rows->chart + rows->band + rows->axis;
	if (!rows->legend)
		return y;
	pen = pen_at(cells, y, 4);
	ui_draw_legend(ui, &pen);
	return y + 1;
}

/* What is to be said of loaders without workers, "" when there is nothing. */
static const char *loaders_words(const struct ui *ui, char *out, size_t size)
{
	int loaders = without_workers(ui->model);

	*out = '\0';
	for (size_t i = 0; i < ui->model->pool_count; i++)
		if (ui->now.pools[i].in_owner > 0)
			return "IN OWNER: what loaders without workers loaded; part of the owner's, sampled.";
	if (loaders)
		snprintf(out, size, "%d loader%s without workers: what %s the owner's.", loaders,
			 loaders == 1 ? "" : "s", loaders == 1 ? "it loads is" : "they load is");
	return out;
}

static void draw_pools(struct ui *ui, struct cells *cells, int y, int end, struct sheet *sheet)
{
	char text[128];
	const char *words = loaders_words(ui, text, sizeof(text));

	if (!ui->model->pool_count) {
		draw_empty(ui, cells, y, end);
		return;
	}
	y = ui_draw_sheet(ui, cells, sheet, y, end - y);
	if (*words)
		paragraph_draw(cells, y + 1, end, 1, words);
}

/* The end of what the program wrote, below a line that names the file. */
static void draw_log(const struct ui *ui, struct cells *cells, int y, int height)
{
	struct pen pen = pen_at(cells, y, 0);
	struct tail tail;

	pen_repeat(&pen, 2, GLYPH_LINE);
	pen_print(&pen, " output: %s ", ui->options.log);
	pen_repeat(&pen, cells->width - pen.x, GLYPH_LINE);
	tail_read(&tail, ui->options.log, height - 1);
	for (int i = 0; i < tail.count; i++) {
		pen = pen_at(cells, y + 1 + i, 1);
		pen_text(&pen, tail.lines[i]);
	}
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	struct sheet sheet = {0};
	struct rows rows;
	int end = y + height;

	if (!ui_sheet(ui, &sheet))
		return;
	rows = share_out(ui, cells, height, sheet.row_count);
	y = draw_chart(ui, cells, y, &rows);
	end -= rows.small_print + rows.findings + rows.log;
	draw_pools(ui, cells, y, end, &sheet);
	sheet_release(&sheet);
	draw_findings(ui, cells, end, rows.findings);
	if (rows.small_print)
		draw_small_print(ui, cells, end + rows.findings, rows.small_print);
	if (rows.log)
		draw_log(ui, cells, end + rows.findings + rows.small_print, rows.log);
}

static void go_in(struct ui *ui)
{
	struct sheet_view *view = ui_view(ui);

	if (!view->has_selected)
		return;
	if (view->selected < 0) {
		ui->views[SCREEN_PROCESSES].has_selected = 1;
		ui->views[SCREEN_PROCESSES].selected = -1 - view->selected;
		ui_go_to_screen(ui, SCREEN_PROCESSES);
		return;
	}
	ui->views[SCREEN_POOLS].has_selected = 1;
	ui->views[SCREEN_POOLS].selected = view->selected;
	ui->pool_open = 1;
	ui_go_to_screen(ui, SCREEN_POOLS);
}

static void copy(struct ui *ui, char *out, size_t size)
{
	const struct sheet_view *view = ui_view(ui);

	if (view->has_selected && view->selected < 0)
		snprintf(out, size, "%lld",
			 (long long)ui->model->processes[-1 - view->selected].pid);
	else if (view->has_selected && (size_t)view->selected < ui->model->pool_count)
		snprintf(out, size, "%s", ui->model->pools[view->selected].name);
}

const struct screen screen_overview = {
	.name = "Overview",
	.draw = draw,
	.build = build,
	.go_in = go_in,
	.copy = copy,
};
