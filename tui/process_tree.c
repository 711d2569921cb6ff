/* The rows of the process screen; see process_tree.h. */
#include "tui/process_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/pool_words.h"

enum { SHOWN_WORKERS = 3, DEPTH_MAX = 12, PREFIX_SIZE = DEPTH_MAX * 10 + 8 };

#define CELL(name) sheet_value(sheet, row, COLUMN_PROCESSES_##name)

/* What a process is called. */
static const char *process_name(const struct ui *ui, struct sheet *sheet, size_t i)
{
	const struct model_process *p = &ui->model->processes[i];

	if (p->role == MODEL_ROLE_WORKER && p->worker_id != MODEL_NONE)
		return sheet_text(sheet, "worker %lld", (long long)p->worker_id);
	if (p->role == MODEL_ROLE_HELPER && p->role_text && *p->role_text)
		return p->role_text;
	return p->cmdline;
}

static const char *process_state(const struct ui *ui, size_t i)
{
	const struct model_process *p = &ui->model->processes[i];

	if (p->orphan && ui->now.processes[i].state[0])
		return "orphan";
	switch (p->role) {
	case MODEL_ROLE_OWNER:
		return "owner";
	case MODEL_ROLE_HELPER:
		return "helper";
	case MODEL_ROLE_ROOT:
		return "root";
	default:
		return ui->now.processes[i].state;
	}
}

static void fill_bytes(struct ui *ui, struct sheet *sheet, struct sheet_row *row,
		       const struct model_process_moment *now)
{
	value_number(CELL(PRIVATE), VALUE_BYTES, now->private_bytes);
	value_number(CELL(MEMORY), VALUE_BYTES, now->proportional);
	if (now->live_heap)
		value_number(CELL(HEAP), VALUE_BYTES, now->live_heap);
	if (now->unshared)
		value_number(CELL(UNSHARED), VALUE_BYTES, now->unshared);
	value_number(CELL(FDS), VALUE_COUNT, now->fds);
	CELL(PRIVATE)->stale = CELL(UNSHARED)->stale = now->stale && ui->live;
}

static void add_process(struct ui *ui, struct sheet *sheet, size_t i, const char *prefix)
{
	const struct model_process *p = &ui->model->processes[i];
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, (int64_t)i);
	const char *name = process_name(ui, sheet, i);

	if (!row)
		return;
	value_number(CELL(PID), VALUE_COUNT, p->pid);
	if (ui->flat && p->pool >= 0 && p->role == MODEL_ROLE_WORKER)
		name = sheet_text(sheet, "%s of %s", name, ui->model->pools[p->pool].name);
	value_text(CELL(PROCESS), sheet_text(sheet, "%s%s", prefix, name));
	value_text(CELL(STATE), process_state(ui, i));
	fill_bytes(ui, sheet, row, &ui->now.processes[i]);
}

/* ---- what belongs where in the tree -------------------------------------------------------------------------- */

static int alive_here(const struct ui *ui, size_t i)
{
	return ui->now.processes[i].alive;
}

/* A worker stands under its pool, not under its parent (which may be a fork server). */
static int is_pool_worker(const struct model *m, size_t i)
{
	return m->processes[i].role == MODEL_ROLE_WORKER && m->processes[i].pool >= 0;
}

static int is_child(const struct ui *ui, size_t i, int parent)
{
	const struct model_process *p = &ui->model->processes[i];
	int up = p->parent;

	if (!alive_here(ui, i) || is_pool_worker(ui->model, i))
		return 0;
	/* under the nearest ancestor that still lives, a worker's pool counting as itself */
	while (up >= 0 && !ui->now.processes[up].alive)
		up = ui->model->processes[up].parent;
	return up == parent;
}

static int workers_of(const struct ui *ui, size_t pool, const struct model_pool **out)
{
	const struct model_pool *p = &ui->model->pools[pool];
	int alive = 0;

	*out = p;
	for (size_t i = 0; i < p->member_count; i++)
		alive += alive_here(ui, (size_t)p->members[i]) &&
			 ui->model->processes[p->members[i]].pool == (int)pool;
	return alive;
}

/* ---- drawing the tree into rows -------------------------------------------------------------------------------- */

struct branch {
	char prefix[PREFIX_SIZE]; /* of the children */
	int depth;
};

static void add_branch(struct ui *ui, struct sheet *sheet, int parent, const struct branch *up);

static void add_below(struct ui *ui, struct sheet *sheet, size_t process, const struct branch *down)
{
	if (down->depth < DEPTH_MAX)
		add_branch(ui, sheet, (int)process, down);
}

/* The prefix of an entry, and of what hangs below it. */
static void grow(const struct branch *up, int last, char *own, struct branch *down)
{
	snprintf(own, PREFIX_SIZE, "%.*s%s", PREFIX_SIZE - 10, up->prefix, last ? "└─ " : "├─ ");
	snprintf(down->prefix, PREFIX_SIZE, "%.*s%s", PREFIX_SIZE - 10, up->prefix,
		 last ? "   " : "│  ");
	down->depth = up->depth + 1;
}

int64_t process_tree_bit(size_t pool)
{
	return INT64_C(1) << (pool % 63);
}

static int is_open(const struct ui *ui, size_t pool, int alive)
{
	return ui->all_fit || alive <= SHOWN_WORKERS + 1 || (ui->opened & process_tree_bit(pool));
}

static void add_workers(struct ui *ui, struct sheet *sheet, size_t pool, int alive,
			const struct branch *up)
{
	const struct model_pool *p = &ui->model->pools[pool];
	int show = is_open(ui, pool, alive) ? alive : SHOWN_WORKERS, shown = 0;
	struct branch down;
	char own[PREFIX_SIZE];

	for (size_t i = 0; i < p->member_count && shown < show; i++) {
		size_t process = (size_t)p->members[i];

		if (!alive_here(ui, process) || ui->model->processes[process].pool != (int)pool)
			continue;
		grow(up, ++shown == alive, own, &down);
		add_process(ui, sheet, process, own);
		add_below(ui, sheet, process, &down);
	}
	if (shown < alive) {
		struct sheet_row *row = sheet_add(sheet, ROW_NOTE, 0);

		if (!row)
			return;
		for (int c = 0; c < sheet->column_count; c++)
			row->value[c].kind = VALUE_EMPTY;
		grow(up, 1, own, &down);
		value_text(CELL(PROCESS),
			   sheet_text(sheet, "%s%d more, e opens", own, alive - shown));
	}
}

static void add_pool(struct ui *ui, struct sheet *sheet, size_t pool, int alive, const char *prefix)
{
	const struct model_pool *p = &ui->model->pools[pool];
	const struct model_pool_moment *now = &ui->now.pools[pool];
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, -1 - (int64_t)pool);

	if (!row)
		return;
	CELL(PID)->kind = VALUE_EMPTY;
	value_text(CELL(PROCESS), sheet_text(sheet, "%s%-16s %d workers", prefix, p->name, alive));
	CELL(PROCESS)->role = role_of_stage(p->stage);
	value_text(CELL(STATE), pool_state_text(sheet, p, now));
	CELL(STATE)->over = now->state == MODEL_EXHAUSTED && now->held_idle > 0 ? OVER_IDLE
										: OVER_NONE;
	value_number(CELL(PRIVATE), VALUE_BYTES, now->private_bytes);
	value_number(CELL(MEMORY), VALUE_BYTES, now->memory);
	if (now->live_heap)
		value_number(CELL(HEAP), VALUE_BYTES, now->live_heap);
	if (now->unshared)
		value_number(CELL(UNSHARED), VALUE_BYTES, now->unshared);
	CELL(PRIVATE)->stale = CELL(UNSHARED)->stale = now->stale && ui->live;
}

/* One entry below a process: a pool it owns or a child. Pools are numbered from process_count on. */
struct entry {
	size_t index;
	int64_t key; /* by what it is sorted, smallest first */
};

static int by_key(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

/* Sorting the tree sorts what hangs at one place; by default by birth, pools first. */
static int64_t sort_key(const struct ui *ui, size_t index)
{
	const struct sheet_view *view = &ui->views[SCREEN_PROCESSES];
	const struct model *m = ui->model;
	int pool = index >= m->process_count, column = view->sort;
	const struct model_pool_moment *of_pool = pool ? &ui->now.pools[index - m->process_count]
						       : NULL;
	const struct model_process_moment *of_process = pool ? NULL : &ui->now.processes[index];
	int64_t key;

	switch (column + COLUMN_PROCESSES_PID) {
	case COLUMN_PROCESSES_MEMORY:
		key = pool ? of_pool->memory : of_process->proportional;
		break;
	case COLUMN_PROCESSES_PRIVATE:
		key = pool ? of_pool->private_bytes : of_process->private_bytes;
		break;
	case COLUMN_PROCESSES_HEAP:
		key = pool ? of_pool->live_heap : of_process->live_heap;
		break;
	case COLUMN_PROCESSES_UNSHARED:
		key = pool ? of_pool->unshared : of_process->unshared;
		break;
	case COLUMN_PROCESSES_FDS:
		key = pool || of_process->fds == MODEL_NONE ? 0 : of_process->fds;
		break;
	default:
		key = pool ? INT64_MIN / 2 + (int64_t)index : (int64_t)index;
		return column < 0 || !view->reversed ? key : -key;
	}
	return view->reversed ? key : -key;
}

/* 1 = the pool lives under this process at the cursor: its owner or, of orphans, whatever lives of those above it. */
static int hangs_here(const struct ui *ui, size_t pool, int parent, int *alive)
{
	const struct model_pool *p;
	int up;

	*alive = workers_of(ui, pool, &p);
	up = p->owner;
	while (up >= 0 && !alive_here(ui, (size_t)up))
		up = ui->model->processes[up].parent;
	return *alive && up == parent;
}

static size_t collect_entries(struct ui *ui, int parent, struct entry *entries)
{
	const struct model *m = ui->model;
	size_t count = 0;
	int alive;

	for (size_t i = 0; i < m->pool_count; i++)
		if (hangs_here(ui, i, parent, &alive))
			entries[count++].index = m->process_count + i;
	for (size_t i = 0; i < m->process_count; i++)
		if (is_child(ui, i, parent))
			entries[count++].index = i;
	for (size_t i = 0; i < count; i++)
		entries[i].key = sort_key(ui, entries[i].index);
	qsort(entries, count, sizeof(*entries), by_key);
	return count;
}

static void add_entry(struct ui *ui, struct sheet *sheet, size_t index, int last,
		      const struct branch *up)
{
	size_t processes = ui->model->process_count;
	const struct model_pool *p;
	struct branch down;
	char own[PREFIX_SIZE];

	grow(up, last, own, &down);
	if (index >= processes) {
		int alive = workers_of(ui, index - processes, &p);

		add_pool(ui, sheet, index - processes, alive, own);
		add_workers(ui, sheet, index - processes, alive, &down);
		return;
	}
	add_process(ui, sheet, index, own);
	add_below(ui, sheet, index, &down);
}

static void add_branch(struct ui *ui, struct sheet *sheet, int parent, const struct branch *up)
{
	struct entry *entries =
		calloc(ui->model->process_count + ui->model->pool_count + 1, sizeof(*entries));
	size_t count = entries ? collect_entries(ui, parent, entries) : 0;

	for (size_t i = 0; i < count; i++)
		add_entry(ui, sheet, entries[i].index, i + 1 == count, up);
	free(entries);
}

/* Those without a living parent stand at the left edge. */
static void build_tree(struct ui *ui, struct sheet *sheet)
{
	const struct branch root = {.depth = 1};
	int alive;

	for (size_t i = 0; i < ui->model->process_count; i++)
		if (is_child(ui, i, -1)) {
			add_process(ui, sheet, i, "");
			add_branch(ui, sheet, (int)i, &root);
		}
	for (size_t i = 0; i < ui->model->pool_count; i++)
		if (hangs_here(ui, i, -1, &alive)) {
			add_pool(ui, sheet, i, alive, "");
			add_workers(ui, sheet, i, alive, &root);
		}
}

static void build_list(struct ui *ui, struct sheet *sheet)
{
	for (size_t i = 0; i < ui->model->process_count; i++)
		if (alive_here(ui, i))
			add_process(ui, sheet, i, "");
}

/* The tree with all workers if it fits the screen, else with the first few of each pool. */
void process_tree_build(struct ui *ui, struct sheet *sheet)
{
	sheet_init(sheet, SHEET_PROCESSES);
	sheet->decimals = 2;
	if (ui->flat) {
		build_list(ui, sheet);
		return;
	}
	sheet->sorted_already = 1;
	ui->all_fit = 1;
	build_tree(ui, sheet);
	if (sheet->row_count + 1 <= ui->sheet_room)
		return;
	sheet_release(sheet);
	sheet_init(sheet, SHEET_PROCESSES);
	sheet->decimals = 2;
	sheet->sorted_already = 1;
	ui->all_fit = 0;
	build_tree(ui, sheet);
}
