/* Screen 2: every pool of the session with its own maxima, their lives in time, and one pool in full. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/format.h"
#include "profiler/view/words.h"
#include "tui/pool_words.h"
#include "tui/ui.h"

enum { WIDE = 112, FACT_AT = 3, FACT_TITLE = 11 };

#define CELL(name) sheet_value(sheet, row, COLUMN_POOLS_##name)

static void number_or_none(struct value *value, int64_t bytes)
{
	if (bytes > 0)
		value_number(value, VALUE_BYTES, bytes);
}

/* Held idle spread over the run. */
static int64_t average(const struct model *m, const struct model_pool *pool)
{
	double seconds = (double)m->totals.duration_ns / 1e9;

	return seconds > 0 ? (int64_t)(pool->idle_byte_seconds / seconds) : 0;
}

static void add_pool(struct ui *ui, struct sheet *sheet, size_t i)
{
	const struct model_pool *pool = &ui->model->pools[i];
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, (int64_t)i);

	if (!row)
		return;
	value_text(CELL(POOL), pool_row_name(sheet, pool));
	CELL(POOL)->role = role_of_stage(pool->stage);
	value_text(CELL(STATE), pool_state_text(sheet, pool, &ui->now.pools[i]));
	if (pool->workers)
		value_number(CELL(WORKERS), VALUE_COUNT,
			     pool->grouped ? pool->workers : (int64_t)pool->member_count);
	number_or_none(CELL(MEMORY), pool->memory_max);
	number_or_none(CELL(IN_OWNER), pool->in_owner_max);
	number_or_none(CELL(PRIVATE), pool->private_max);
	number_or_none(CELL(HEAP), pool->live_heap_max);
	number_or_none(CELL(UNSHARED), pool->unshared_max);
	number_or_none(CELL(SHM), pool->shm_max);
	if (pool->idle_max_bytes > 0) {
		value_number(CELL(IDLE), VALUE_BYTES, pool->idle_max_bytes);
		CELL(IDLE)->over = OVER_IDLE;
		value_number(CELL(HELD), VALUE_DURATION, pool->idle_ns);
		value_number(CELL(AVERAGE), VALUE_BYTES, average(ui->model, pool));
	}
	pool_batches(pool, pool->batches, CELL(BATCHES));
	value_number(CELL(START), VALUE_DURATION, pool->start_ns);
	if (pool->stall_ns > 0)
		value_number(CELL(STALL), VALUE_DURATION, pool->stall_ns);
}

/* The job at its peak: not the sum of the rows, and it says so under the sheet. */
static void add_total(struct ui *ui, struct sheet *sheet)
{
	const struct model *m = ui->model;
	struct sheet_row *row = sheet_add(sheet, ROW_TOTAL, 0);
	int64_t workers = 0;

	if (!row)
		return;
	for (int i = 0; i < sheet->column_count; i++)
		row->value[i].kind = VALUE_EMPTY;
	for (size_t i = 0; i < m->pool_count; i++)
		workers += (int64_t)m->pools[i].member_count;
	value_text(CELL(POOL), "all");
	value_number(CELL(WORKERS), VALUE_COUNT, workers);
	value_number(CELL(MEMORY), VALUE_BYTES, m->totals.peak_bytes);
	number_or_none(CELL(HEAP), m->peak.live_heap);
	number_or_none(CELL(UNSHARED), m->peak.unshared);
	number_or_none(CELL(SHM), m->peak.shm + m->peak.parked);
	number_or_none(CELL(IDLE), m->totals.idle_max_bytes);
	if (m->totals.idle_ns > 0)
		value_number(CELL(HELD), VALUE_DURATION, m->totals.idle_ns);
	number_or_none(CELL(AVERAGE), m->totals.idle_average_bytes);
}

static void build(struct ui *ui, struct sheet *sheet)
{
	sheet_init(sheet, SHEET_POOLS);
	for (size_t i = 0; i < ui->model->pool_count; i++)
		if (ui->chart.owner < 0 || ui->model->pools[i].owner == ui->chart.owner)
			add_pool(ui, sheet, i);
	add_total(ui, sheet);
}

/* ---- one pool in full ---------------------------------------------------------------------------------------- */

static const struct model_pool *selected_pool(struct ui *ui)
{
	const struct sheet_view *view = ui_view(ui);

	if (!view->has_selected || view->selected < 0 ||
	    (size_t)view->selected >= ui->model->pool_count)
		return NULL;
	return &ui->model->pools[view->selected];
}

/* Text of several lines that is put together piece by piece. */
struct note {
	char text[512];
	size_t length;
};

__attribute__((format(printf, 2, 3))) static void note_add(struct note *note, const char *format,
							   ...)
{
	size_t room = sizeof(note->text) - note->length;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(note->text + note->length, room, format, arguments);
	va_end(arguments);
	note->length += length < 0 ? 0 : (size_t)length < room ? (size_t)length : room - 1;
}

static int draw_fact(struct cells *cells, int y, int end, const char *title,
		     const struct note *note)
{
	struct pen pen = pen_at(cells, y, FACT_AT);

	pen_text(&pen, title);
	return paragraph_draw(cells, y, end, FACT_AT + FACT_TITLE, note->text);
}

static int draw_birth(struct cells *cells, int y, int end, const struct model_pool *pool)
{
	struct pen pen = pen_at(cells, y, 1);
	struct note note = {.length = 0};
	char rank[WORDS_RANK];

	pen.over = OVER_IDLE;
	pen_role(&pen, role_of_stage(pool->stage), pool->name);
	if (pool->dataset[0])
		note_add(&note, "%s, ", pool->dataset);
	if (pool->origin[0])
		note_add(&note, "built at %s, ", pool->origin);
	if (pool->workers)
		note_add(&note, "%s, %lld worker%s",
			 pool->start_method[0] ? pool->start_method : "?", (long long)pool->workers,
			 pool->workers == 1 ? "" : "s");
	else
		note_add(&note, "no workers");
	if (pool->prefetch > 0)
		note_add(&note, ", prefetch %lld", (long long)pool->prefetch);
	if (pool->batch_size > 0)
		note_add(&note, ", batch %lld", (long long)pool->batch_size);
	note_add(&note, "%s", pool->persistent ? ", persistent" : "");
	if (pool->framework[0])
		note_add(&note, ", %s %s", pool->framework, pool->framework_version);
	note_add(&note, "%s%s", words_rank(rank, pool->rank),
		 pool->guessed ? ", found from outside: likely" : "");
	return paragraph_draw(cells, y, end, pen.x + 3, note.text);
}

static void add_moment(struct note *note, const char *word, int64_t t_ns)
{
	char t[FORMAT_MAX];

	if (t_ns != MODEL_NONE)
		note_add(note, "%s%s %s", note->length ? "   " : "", word,
			 format_moment_tenths(t, t_ns));
}

static int draw_life(struct cells *cells, int y, int end, const struct model_pool *pool)
{
	struct note note = {.length = 0};

	add_moment(&note, pool->workers ? "forked" : "built", pool->begin_ns);
	add_moment(&note, "first batch", pool->first_batch_ns);
	add_moment(&note, "exhausted", pool->exhausted_ns);
	add_moment(&note, "ended", pool->end_ns);
	return draw_fact(cells, y, end, "life", &note);
}

static int draw_most(struct cells *cells, int y, int end, const struct model_pool *pool)
{
	struct note note = {.length = 0};
	enum format_unit unit = format_unit_for(pool->memory_max);
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[FORMAT_MAX], e[FORMAT_MAX];

	if (pool->in_owner_max)
		note_add(&note, "%s in the owner, sampled", format_bytes(a, pool->in_owner_max));
	else
		note_add(&note,
			 "%s memory, %s private, %s live heap, %s unshared, %s shared memory",
			 format_bytes(a, pool->memory_max),
			 format_cell(b, pool->private_max, unit, 1),
			 format_cell(c, pool->live_heap_max, unit, 1),
			 format_cell(d, pool->unshared_max, unit, 1),
			 format_cell(e, pool->shm_max, unit, 1));
	if (cells->width >= WIDE && !pool->in_owner_max)
		note_add(&note, ", each at its own moment");
	return draw_fact(cells, y, end, "at most", &note);
}

static int in_hindsight(const struct model_pool *pool)
{
	for (size_t i = 0; i < pool->span_count; i++)
		if (pool->spans[i].hindsight)
			return 1;
	return 0;
}

/* Both sides: what is held, and what ending it would cost. */
static int draw_held(struct cells *cells, int y, int end, const struct model_pool *pool)
{
	struct note note = {.length = 0};
	char bytes[FORMAT_MAX], held[FORMAT_MAX], start[FORMAT_MAX];

	if (pool->idle_max_bytes <= 0)
		note_add(&note, "nothing");
	else
		note_add(&note, "%s for %s%s.", format_bytes(bytes, pool->idle_max_bytes),
			 format_duration(held, pool->idle_ns),
			 in_hindsight(pool) ? ", in hindsight" : "");
	if (pool->idle_max_bytes > 0 && pool->start_ns != MODEL_NONE)
		note_add(&note, " A restart costs %s%s", format_duration(start, pool->start_ns),
			 pool->persistent ? ", saved: it is used again"
					  : ", paid anyway: not persistent");
	if (pool->kept)
		note_add(&note, "   Not released: %s", words_kept(pool->kept));
	return draw_fact(cells, y, end, "held idle", &note);
}

static void exit_text(const struct model_process *process, char *out)
{
	if (process->exit_signal != MODEL_NONE && process->exit_signal)
		signal_name(out, process->exit_signal);
	else if (process->exit_code != MODEL_NONE)
		snprintf(out, SIGNAL_NAME_MAX, "%lld", (long long)process->exit_code);
	else
		snprintf(out, SIGNAL_NAME_MAX, process->ended_ns == MODEL_NONE ? "-" : "?");
}

static void draw_worker(struct cells *cells, int y, int x, const struct model_process *p,
			enum format_unit unit)
{
	struct pen pen = pen_at(cells, y, x);
	char memory[FORMAT_MAX], private_bytes[FORMAT_MAX], heap[FORMAT_MAX], unshared[FORMAT_MAX],
		end[SIGNAL_NAME_MAX];

	exit_text(p, end);
	pen_print(&pen, "%6lld %8lld %7s %8s %5s %9s %7s", (long long)p->worker_id,
		  (long long)p->pid, format_cell(memory, p->proportional_max, unit, 2),
		  format_cell(private_bytes, p->private_max, unit, 2),
		  format_cell(heap, p->live_heap_max, unit, 2),
		  format_cell(unshared, p->unshared_max, unit, 2), end);
}

/* The workers with their maxima, in one or two columns. */
static void draw_workers(const struct ui *ui, struct cells *cells, int y, int end,
			 const struct model_pool *pool)
{
	static const char heading[] = "WORKER      PID  MEMORY  PRIVATE  HEAP  UNSHARED    EXIT";
	int columns = cells->width >= 2 * (int)sizeof(heading) + 6 ? 2 : 1, rows = end - y - 1;
	int64_t most = 0;

	if (rows < 1 || !pool->member_count)
		return;
	if (columns == 2 && (int)(pool->member_count + 1) / 2 < rows)
		rows = (int)(pool->member_count + 1) / 2;
	for (size_t i = 0; i < pool->member_count; i++)
		if (ui->model->processes[pool->members[i]].proportional_max > most)
			most = ui->model->processes[pool->members[i]].proportional_max;
	for (int c = 0; c < columns; c++) {
		struct pen pen = pen_at(cells, y, 3 + c * ((int)sizeof(heading) + 4));

		pen_role(&pen, ROLE_STRONG, heading);
	}
	for (int i = 0; i < (int)pool->member_count && i < rows * columns; i++)
		draw_worker(cells, y + 1 + i % rows, 3 + i / rows * ((int)sizeof(heading) + 4),
			    &ui->model->processes[pool->members[i]], format_unit_for(most));
	if ((int)pool->member_count > rows * columns) {
		struct pen pen = pen_at(cells, y + rows, 3);

		pen_print(&pen, "… %d more workers: Enter lists them%60s",
			  (int)pool->member_count - rows * columns + 1, "");
	}
}

static int draw_pool(const struct ui *ui, struct cells *cells, int y, int end,
		     const struct model_pool *pool)
{
	int roomy = end - y >= 12;

	if (end - y < 4)
		return y;
	y = draw_birth(cells, y, end, pool) + roomy;
	y = draw_life(cells, y, end, pool);
	y = draw_most(cells, y, end, pool);
	y = draw_held(cells, y, end, pool) + roomy;
	draw_workers(ui, cells, y, end, pool);
	return end;
}

/* ---- the screen ---------------------------------------------------------------------------------------------------- */

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	const struct model_pool *pool;
	int end = y + height, below, gantt;
	struct sheet sheet = {0};
	enum format_unit unit;

	if (!ui_moments(ui))
		return;
	if (!ui->model->pool_count) {
		struct pen pen = pen_at(cells, y + 1, 3);

		pen_text(&pen,
			 ui->live ? "No data loader yet." : "No data loader was seen in this run.");
		return;
	}
	if (!ui_sheet(ui, &sheet))
		return;
	below = height - sheet.row_count - 1;
	if (below < 8)
		below = height < 16 ? 0 : 8;
	y = ui_draw_sheet(ui, cells, &sheet, y, height - below);
	unit = sheet_unit(&sheet);
	sheet_release(&sheet);
	pool = ui->pool_open && !ui->time.difference ? selected_pool(ui) : NULL;
	gantt = (int)ui->model->pool_count + 3;
	if (pool && end - y < gantt + 12)
		gantt = 0; /* no room for both */
	if (gantt > end - y - 1)
		gantt = end - y - 1;
	y += y < end;
	if (gantt >= 4) {
		gantt_draw(ui, cells, y, gantt, unit);
		y += gantt + 1;
	}
	if (pool)
		draw_pool(ui, cells, y, end, pool);
}

static void go_in(struct ui *ui)
{
	const struct model_pool *pool = selected_pool(ui);

	if (!pool)
		return;
	if (!ui->pool_open) {
		ui->pool_open = 1;
		return;
	}
	ui->views[SCREEN_PROCESSES].has_selected = 1;
	ui->views[SCREEN_PROCESSES].selected = -1 - ui_view(ui)->selected;
	ui_go_to_screen(ui, SCREEN_PROCESSES);
}

static int go_out(struct ui *ui)
{
	int was_open = ui->pool_open;

	ui->pool_open = 0;
	return was_open;
}

static void copy(struct ui *ui, char *out, size_t size)
{
	const struct model_pool *pool = selected_pool(ui);

	if (pool)
		snprintf(out, size, "%s", pool->origin[0] ? pool->origin : pool->name);
}

const struct screen screen_pools = {
	.name = "Pools",
	.draw = draw,
	.build = build,
	.go_in = go_in,
	.go_out = go_out,
	.copy = copy,
};
