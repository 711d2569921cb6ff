/* Two moments side by side: what every pool, owner or process had at A, has at B, and the difference. */
#include <stdio.h>
#include <stdlib.h>

#include "profiler/view/format.h"
#include "profiler/view/words.h"
#include "tui/ui.h"

#define CELL(name) sheet_value(sheet, row, COLUMN_DIFFERENCE_##name)

/* The figures of one thing at one moment. */
struct figures {
	int here;
	int64_t memory, private_bytes, heap, unshared, shm, idle;
};

static struct figures pool_figures(const struct model_moment *moment, size_t i)
{
	const struct model_pool_moment *p = &moment->pools[i];

	return (struct figures){
		.here = p->state != MODEL_LATER && p->state != MODEL_ENDED,
		.memory = p->memory,
		.private_bytes = p->private_bytes,
		.heap = p->live_heap,
		.unshared = p->unshared,
		.shm = p->shm,
		.idle = p->held_idle,
	};
}

static struct figures process_figures(const struct model_moment *moment, size_t i)
{
	const struct model_process_moment *p = &moment->processes[i];

	return (struct figures){
		.here = p->alive,
		.memory = p->alive ? p->proportional : 0,
		.private_bytes = p->alive ? p->private_bytes : 0,
		.heap = p->alive ? p->live_heap : 0,
		.unshared = p->alive ? p->unshared : 0,
	};
}

static struct figures job_figures(const struct model_moment *moment)
{
	return (struct figures){
		.here = 1,
		.memory = moment->round.total_bytes,
		.heap = moment->composition.live_heap,
		.unshared = moment->composition.unshared,
		.shm = moment->composition.shm + moment->composition.parked,
		.idle = moment->round.held_idle_bytes,
	};
}

/* The same thing at both moments. */
struct pair {
	struct figures a, b;
};

static struct pair pool_pair(const struct ui *ui, size_t i)
{
	return (struct pair){pool_figures(&ui->at_a, i), pool_figures(&ui->at_b, i)};
}

static struct pair process_pair(const struct ui *ui, size_t i)
{
	return (struct pair){process_figures(&ui->at_a, i), process_figures(&ui->at_b, i)};
}

static struct pair job_pair(const struct ui *ui)
{
	return (struct pair){job_figures(&ui->at_a), job_figures(&ui->at_b)};
}

static void change(struct value *value, int64_t a, int64_t b)
{
	if (!a && !b)
		return;
	value_number(value, VALUE_CHANGE, b - a);
	value->role = b > a ? ROLE_GROWN : b < a ? ROLE_SHRUNK : ROLE_TEXT;
}

static void fill(struct sheet *sheet, struct sheet_row *row, struct pair pair)
{
	const struct figures a = pair.a, b = pair.b;

	if (a.here)
		value_number(CELL(A), VALUE_BYTES, a.memory);
	if (b.here)
		value_number(CELL(B), VALUE_BYTES, b.memory);
	change(CELL(CHANGE), a.memory, b.memory);
	change(CELL(PRIVATE), a.private_bytes, b.private_bytes);
	change(CELL(HEAP), a.heap, b.heap);
	change(CELL(UNSHARED), a.unshared, b.unshared);
	change(CELL(SHM), a.shm, b.shm);
	change(CELL(IDLE), a.idle, b.idle);
}

static void add(struct sheet *sheet, int64_t id, const char *name, enum role role, struct pair pair)
{
	struct sheet_row *row;

	if (!pair.a.here && !pair.b.here)
		return;
	row = sheet_add(sheet, ROW_PLAIN, id);
	if (!row)
		return;
	value_text(CELL(NAME), name);
	CELL(NAME)->role = role;
	fill(sheet, row, pair);
}

static void add_pools(struct ui *ui, struct sheet *sheet)
{
	const struct model *m = ui->model;
	char name[64];

	for (size_t i = 0; i < m->pool_count; i++)
		if (ui->chart.owner < 0 || m->pools[i].owner == ui->chart.owner)
			add(sheet, (int64_t)i, m->pools[i].name, role_of_stage(m->pools[i].stage),
			    pool_pair(ui, i));
	for (size_t i = 0; i < m->process_count; i++)
		if (words_is_owner(m, (int)i) && (ui->chart.owner < 0 || (int)i == ui->chart.owner))
			add(sheet, -1 - (int64_t)i,
			    sheet_text(sheet, "%s", words_process(name, sizeof(name), m, (int)i)),
			    ROLE_TEXT, process_pair(ui, i));
}

static void add_processes(struct ui *ui, struct sheet *sheet)
{
	const struct model *m = ui->model;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];
		const char *name = p->cmdline;

		if (p->role == MODEL_ROLE_WORKER && p->pool >= 0)
			name = sheet_text(sheet, "%lld worker %lld of %s", (long long)p->pid,
					  (long long)p->worker_id, m->pools[p->pool].name);
		else
			name = sheet_text(sheet, "%lld %s", (long long)p->pid, name);
		add(sheet, (int64_t)i, name, ROLE_TEXT, process_pair(ui, i));
	}
}

static int by_change(const void *left, const void *right, void *arg)
{
	const struct sheet_row *a = left, *b = right;
	const int column = *(const int *)arg;
	int64_t x = llabs(a->value[column].number), y = llabs(b->value[column].number);

	if (x != y)
		return x > y ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* The largest difference first, whatever its sign. */
void difference_build(struct ui *ui, struct sheet *sheet, int processes)
{
	int column = COLUMN_DIFFERENCE_CHANGE - COLUMN_DIFFERENCE_NAME;
	struct sheet_row *row;

	sheet_init(sheet, SHEET_DIFFERENCE);
	sheet->heading = processes ? "PROCESS" : "POOL";
	if (processes)
		add_processes(ui, sheet);
	else
		add_pools(ui, sheet);
	if (sheet->row_count)
		qsort_r(sheet->rows, (size_t)sheet->row_count, sizeof(*sheet->rows), by_change,
			&column);
	sheet->sorted_already = 1;
	row = sheet_add(sheet, ROW_TOTAL, 0);
	if (!row)
		return;
	value_text(CELL(NAME), "all");
	fill(sheet, row, job_pair(ui));
}
