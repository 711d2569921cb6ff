/* Lanes for the pools, then one pass over the moments. */
#include "profiler/view/html_series.h"

#include <stdlib.h>
#include <string.h>

struct lane {
	enum model_stage stage;
	int64_t free_ns; /* its last pool ended then */
	int owner;
};

const char *html_kind_name(enum html_kind kind)
{
	static const char *const names[HTML_KINDS] = {
		[HTML_IDLE] = "idle",
		[HTML_PARKED] = "parked",
		[HTML_DELIVERING] = "delivering",
		[HTML_OWNER] = "owner",
	};

	return names[kind];
}

/* The first lane of the pool's stage that is free, a new one, or when there are enough the last of that stage. */
static int lane_for(const struct model_pool *pool, const struct lane *lanes, int count)
{
	int last = -1;

	for (int i = 0; i < count; i++) {
		if (lanes[i].stage != pool->stage)
			continue;
		if (lanes[i].free_ns <= pool->begin_ns)
			return i;
		last = i;
	}
	return count < HTML_LANES ? count : last >= 0 ? last : HTML_LANES - 1;
}

static int choose_lanes(struct html_series *s, const struct model *m, struct lane *lanes)
{
	int count = 0;

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];
		int64_t end = pool->end_ns == MODEL_NONE ? INT64_MAX : pool->end_ns;
		int lane = lane_for(pool, lanes, count);

		if (lane == count)
			lanes[count++] = (struct lane){.stage = pool->stage, .free_ns = INT64_MIN};
		s->lanes[i] = lane;
		lanes[lane].free_ns = lanes[lane].free_ns > end ? lanes[lane].free_ns : end;
	}
	return count;
}

/* Idle ones on top, the youngest lane first; the owners last. */
static int make_columns(struct html_series *s, const struct lane *lanes, int lane_count)
{
	size_t rows = s->rows.count + 1;

	for (int kind = HTML_IDLE; kind < HTML_OWNER; kind++)
		for (int lane = lane_count - 1; lane >= 0; lane--)
			s->columns[s->column_count++] = (struct html_column){
				.kind = (enum html_kind)kind,
				.lane = lane,
				.stage = lanes[lane].stage,
			};
	s->columns[s->column_count++] = (struct html_column){.kind = HTML_OWNER, .lane = -1};
	for (size_t i = 0; i < s->column_count; i++) {
		s->columns[i].bytes = calloc(rows, sizeof(int64_t));
		if (!s->columns[i].bytes)
			return -1;
	}
	return 0;
}

static enum html_kind kind_of(enum model_state state)
{
	return state == MODEL_EXHAUSTED ? HTML_IDLE
	       : state == MODEL_PARKED  ? HTML_PARKED
					: HTML_DELIVERING;
}

static void fill_columns(struct html_series *s, const struct model *m,
			 const struct model_moment *at, size_t row)
{
	int64_t rest = at->round.total_bytes;

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool_moment *pool = &at->pools[i];

		if (pool->state == MODEL_LATER || pool->state == MODEL_ENDED)
			continue;
		for (size_t k = 0; k < s->column_count; k++)
			if (s->columns[k].lane == s->lanes[i] &&
			    s->columns[k].kind == kind_of(pool->state))
				s->columns[k].bytes[row] += pool->memory;
		rest -= pool->memory;
		s->batch_bytes[row] += pool->shm;
	}
	s->columns[s->column_count - 1].bytes[row] = rest > 0 ? rest : 0;
}

static int fill_process(struct html_process *p, const struct model_process_moment *at, size_t row)
{
	if (!at->alive)
		return 0;
	if (!p->rows.count)
		p->first = row;
	/* a row in which it was not seen shows it as before */
	while (p->first + p->rows.count <= row) {
		struct html_process_row *added = array_add(&p->rows);

		if (!added)
			return -1;
		if (p->rows.count > 1)
			*added = added[-1];
	}
	p->rows.items[row - p->first] =
		(struct html_process_row){at->proportional, at->private_bytes};
	return 0;
}

static int fill_row(struct html_series *s, const struct model *m, size_t row)
{
	struct model_moment at;
	int failed = 0;

	if (model_at(m, s->rows.t_ns[row], &at) < 0)
		return -1;
	s->rounds[row] = at.round;
	fill_columns(s, m, &at, row);
	for (size_t i = 0; i < m->process_count; i++)
		failed |= fill_process(&s->processes[i], &at.processes[i], row);
	model_moment_release(&at);
	return failed;
}

/* Columns that are 0 throughout are no columns; the owners' stays. */
static void drop_empty(struct html_series *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->column_count; i++) {
		struct html_column column = s->columns[i];
		int used = column.kind == HTML_OWNER;

		for (size_t row = 0; row < s->rows.count && !used; row++)
			used = column.bytes[row] > 0;
		if (used)
			s->columns[kept++] = column;
		else
			free(column.bytes);
	}
	s->column_count = kept;
}

int html_series_make(struct html_series *s, const struct model *m, size_t limit)
{
	struct lane lanes[HTML_LANES + 1];
	int failed;

	memset(s, 0, sizeof(*s));
	if (timeline_choose(&s->rows, m, limit) < 0)
		return -1;
	s->rounds = calloc(s->rows.count + 1, sizeof(*s->rounds));
	s->batch_bytes = calloc(s->rows.count + 1, sizeof(*s->batch_bytes));
	s->columns = calloc(HTML_LANES * HTML_OWNER + 1, sizeof(*s->columns));
	s->lanes = calloc(m->pool_count + 1, sizeof(*s->lanes));
	s->processes = calloc(m->process_count + 1, sizeof(*s->processes));
	if (!s->rounds || !s->batch_bytes || !s->columns || !s->lanes || !s->processes)
		return -1;
	failed = make_columns(s, lanes, choose_lanes(s, m, lanes));
	for (size_t row = 0; row < s->rows.count && !failed; row++)
		failed = fill_row(s, m, row);
	if (!failed)
		drop_empty(s);
	return failed;
}

void html_series_release(struct html_series *s, const struct model *m)
{
	for (size_t i = 0; s->columns && i < s->column_count; i++)
		free(s->columns[i].bytes);
	for (size_t i = 0; s->processes && i < m->process_count; i++)
		array_release(&s->processes[i].rows);
	timeline_release(&s->rows);
	free(s->rounds);
	free(s->batch_bytes);
	free(s->columns);
	free(s->lanes);
	free(s->processes);
	memset(s, 0, sizeof(*s));
}
