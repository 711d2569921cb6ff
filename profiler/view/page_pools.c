/* The table of pools. More than eight fold: those alive at the peak and those that held most idle are shown, the rest is told by stage. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/page.h"
#include "profiler/view/table.h"
#include "profiler/view/words.h"

enum { SHOWN = 8 };

enum column {
	POOL,
	WORKERS,
	MEMORY,
	IN_OWNER,
	PRIVATE,
	HEAP,
	UNSHARED,
	HELD,
	FOR,
	START,
	STALL,
	KEPT,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[POOL] = {"POOL", 15, 0, 1},        [WORKERS] = {"WORKERS", 7, 2, 0},
	[MEMORY] = {"MEMORY", 6, 0, 0},     [IN_OWNER] = {"IN OWNER", 8, 0, 0},
	[PRIVATE] = {"PRIVATE", 7, 4, 0},   [HEAP] = {"HEAP", 5, 4, 0},
	[UNSHARED] = {"UNSHARED", 8, 4, 0}, [HELD] = {"HELD IDLE", 9, 0, 0},
	[FOR] = {"FOR", 5, 1, 0},           [START] = {"START", 5, 3, 0},
	[STALL] = {"STALL", 7, 5, 0},       [KEPT] = {"KEPT", 4, 0, 1},
};

static void set_bytes(const struct page *p, struct table *t, enum column column, int64_t bytes)
{
	char cell[FORMAT_MAX];

	if (bytes)
		table_set(t, column, page_cell(p, cell, bytes));
}

static void add_row(const struct page *p, struct table *t, const struct model_pool *pool)
{
	char text[FORMAT_MAX], name[160], safe[160];

	table_row(t);
	words_safe(safe, sizeof(safe), words_pool(name, sizeof(name), pool), p->options.utf8);
	table_set(t, POOL, safe);
	snprintf(text, sizeof(text), "%lld", (long long)pool->workers);
	table_set(t, WORKERS, pool->workers ? text : "-");
	set_bytes(p, t, MEMORY, pool->memory_max);
	set_bytes(p, t, IN_OWNER, pool->in_owner_max);
	set_bytes(p, t, PRIVATE, pool->private_max);
	set_bytes(p, t, HEAP, pool->live_heap_max);
	set_bytes(p, t, UNSHARED, pool->unshared_max);
	set_bytes(p, t, HELD, pool->idle_max_bytes);
	if (pool->idle_max_bytes)
		table_set(t, FOR, format_duration_cell(text, pool->idle_ns));
	if (pool->start_ns != MODEL_NONE)
		table_set(t, START, format_duration_cell(text, pool->start_ns));
	/* a first pool that is asked twice and cut waits once: its start */
	if (pool->stall_ns > 0)
		table_set(t, STALL, format_duration_cell(text, pool->stall_ns));
	if (pool->kept)
		table_set(t, KEPT, model_kept_name(pool->kept));
}

static int was_alive(const struct model_pool *pool, int64_t t_ns)
{
	enum model_state state = model_pool_state(pool, t_ns);

	return state != MODEL_LATER && state != MODEL_ENDED;
}

/* Marks the pools to show. */
static void choose(const struct page *p, char *shown)
{
	const struct model *m = p->m;
	size_t room = p->options.full || m->pool_count <= SHOWN ? m->pool_count : SHOWN;

	for (size_t i = 0; i < m->pool_count && room; i++)
		if (m->pool_count <= room || was_alive(&m->pools[i], m->totals.peak_at_ns)) {
			shown[i] = 1;
			room -= m->pool_count > SHOWN && !p->options.full;
		}
	while (room) {
		size_t best = m->pool_count;

		for (size_t i = 0; i < m->pool_count; i++)
			if (!shown[i] &&
			    (best == m->pool_count ||
			     m->pools[i].idle_max_bytes > m->pools[best].idle_max_bytes))
				best = i;
		if (best == m->pool_count)
			break;
		shown[best] = 1;
		room--;
	}
}

static void print_range(const struct page *p, const char *stage, int count, int64_t least,
			int64_t most)
{
	char low[FORMAT_MAX], high[FORMAT_MAX];

	fprintf(p->out, "  %s %d more %s pool%s, ", p->options.utf8 ? "…" : "...", count, stage,
		count == 1 ? "" : "s");
	if (strcmp(page_cell(p, low, least), page_cell(p, high, most)))
		fprintf(p->out, "%s to ", low);
	fprintf(p->out, "%s%s\n", high, count == 1 ? "" : " each");
}

static void print_folded(const struct page *p, const char *shown)
{
	for (int stage = 0; stage < MODEL_STAGES; stage++) {
		int64_t least = INT64_MAX, most = 0;
		int count = 0;

		for (size_t i = 0; i < p->m->pool_count; i++) {
			const struct model_pool *pool = &p->m->pools[i];
			int64_t bytes = pool->memory_max + pool->in_owner_max;

			if (shown[i] || (int)pool->stage != stage)
				continue;
			count++;
			least = bytes < least ? bytes : least;
			most = bytes > most ? bytes : most;
		}
		if (count)
			print_range(p, model_stage_name((enum model_stage)stage), count, least,
				    most);
	}
}

/* Of groups that replace their processes. */
static void print_turns(const struct page *p, const char *shown)
{
	char name[128];

	for (size_t i = 0; i < p->m->pool_count; i++) {
		const struct model_pool *pool = &p->m->pools[i];

		if (shown[i] && pool->grouped && (int64_t)pool->member_count > pool->workers)
			fprintf(p->out, "  %s: %zu processes in turn\n",
				words_safe(name, sizeof(name), pool->name, p->options.utf8),
				pool->member_count);
	}
}

/* Whose memory the column IN OWNER is. */
static void print_in_owner(const struct page *p)
{
	if (!words_any_in_owner(p->m))
		return;
	fputs("  ", p->out);
	page_wrap(
		p,
		"IN OWNER: what a loader without workers loaded and somebody still holds, part of the "
		"owner's memory; sampled",
		2, 2);
}

/* What the words of the last column mean. */
static void print_kept(const struct page *p)
{
	char text[WORDS_MAX] = "KEPT by --release-idle-workers:";
	int seen = 0;

	for (int kept = MODEL_NOT_KEPT + 1; kept < MODEL_KEPTS; kept++) {
		size_t at = strlen(text), i = 0;

		while (i < p->m->pool_count && p->m->pools[i].kept != (enum model_kept)kept)
			i++;
		if (i == p->m->pool_count)
			continue;
		snprintf(text + at, sizeof(text) - at, "%s %s = %s", seen++ ? ";" : "",
			 model_kept_name((enum model_kept)kept), words_kept((enum model_kept)kept));
	}
	if (!seen)
		return;
	fputs("  ", p->out);
	page_wrap(p, text, 2, 2);
}

void page_pools(const struct page *p)
{
	struct table t;
	char *shown = calloc(p->m->pool_count + 1, 1);
	int hidden, width = p->options.width < 92 ? p->options.width : 92;

	if (!p->m->pool_count || !shown) {
		free(shown);
		return;
	}
	choose(p, shown);
	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < p->m->pool_count; i++)
		if (shown[i])
			add_row(p, &t, &p->m->pools[i]);
	fprintf(p->out, "\nPools%*s\n", width - 5, format_unit_name(p->unit));
	hidden = table_print(&t, p->out, p->options.width);
	print_folded(p, shown);
	print_turns(p, shown);
	print_in_owner(p);
	print_kept(p);
	if (p->m->attached)
		fprintf(p->out,
			"  ? found from outside: pools, workers and idleness are likely, not known\n");
	if (hidden)
		fprintf(p->out, "  %d hidden columns: --width 100\n", hidden);
	table_release(&t);
	free(shown);
}
