/* Sites as rows and stacks; see site_rows.h. */
#include "tui/site_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/format.h"

#define SECOND INT64_C(1000000000)

enum { WIDE = 112 };

static struct model_site_filter filter_at(const struct ui *ui, int64_t t_ns)
{
	return (struct model_site_filter){
		.t_ns = t_ns, .stage = -1, .pool = -1, .pid = ui->sites_pid};
}

int64_t site_row_id(const struct model_site_row *row)
{
	int64_t whose = row->pool >= 0 ? (int64_t)row->pool << 1 : (int64_t)row->process << 1 | 1;

	return whose << 33 | (int64_t)(row->line + 1) << 1 | (row->mapped != 0);
}

const struct model_site_row *site_rows_find(const struct site_rows *rows, int64_t id)
{
	for (size_t i = 0; i < rows->count; i++)
		if (site_row_id(&rows->rows[i]) == id)
			return &rows->rows[i];
	return NULL;
}

static int64_t moment_ns(const struct ui *ui, int moment)
{
	return (int64_t)((double)ui->model->last_ns / SITE_MOMENTS * (moment + 1));
}

static int count_moments(const struct ui *ui)
{
	int count = 1;

	while (count < SITE_MOMENTS && moment_ns(ui, count) <= ui->time.cursor_ns)
		count++;
	return count;
}

static void add_history(struct site_rows *rows, const struct ui *ui, size_t site, int row)
{
	int64_t before_ns = ui->time.cursor_ns - SITE_GROWTH_S * SECOND;

	for (int i = 0; i < rows->moments; i++)
		rows->history[row][i] +=
			model_site_at(ui->model, site, moment_ns(ui, i)).live_bytes;
	if (before_ns > 0)
		rows->before[row] += model_site_at(ui->model, site, before_ns).live_bytes;
}

static int read_history(struct site_rows *rows, const struct ui *ui)
{
	const struct model_site_filter filter = filter_at(ui, ui->time.cursor_ns);
	const struct model *m = ui->model;

	rows->history = calloc(rows->shown + 1, sizeof(*rows->history));
	rows->before = calloc(rows->shown + 1, sizeof(*rows->before));
	if (!rows->history || !rows->before)
		return -1;
	rows->moments = count_moments(ui);
	for (size_t i = 0; i < m->site_count; i++) {
		int row = model_site_is_wanted(m, &m->sites[i], &filter)
				  ? model_site_row_find(m, i, rows->rows, rows->shown)
				  : -1;

		if (row >= 0)
			add_history(rows, ui, i, row);
	}
	return 0;
}

int site_rows_read(struct site_rows *rows, const struct ui *ui)
{
	const struct model_site_filter filter = filter_at(ui, ui->time.cursor_ns);

	memset(rows, 0, sizeof(*rows));
	if (model_sites_rank(ui->model, &filter, &rows->rows, &rows->count))
		return -1;
	while (rows->count && rows->rows[rows->count - 1].live_bytes <= 0)
		rows->count--;
	for (size_t i = 0; i < rows->count; i++) {
		rows->live_bytes += rows->rows[i].live_bytes;
		rows->mapped_bytes += rows->rows[i].mapped ? rows->rows[i].live_bytes : 0;
	}
	while (rows->shown < rows->count &&
	       (ui->sites_all || rows->rows[rows->shown].live_bytes * 100 >= rows->live_bytes))
		rows->shown++;
	if (ui->width >= WIDE && read_history(rows, ui)) {
		site_rows_release(rows);
		return -1;
	}
	return 0;
}

void site_rows_release(struct site_rows *rows)
{
	free(rows->rows);
	free(rows->history);
	free(rows->before);
	memset(rows, 0, sizeof(*rows));
}

const char *site_sparkline(const struct site_rows *rows, size_t row, char *out)
{
	static const char *const bars[] = {"▁", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	int64_t most = 1;

	*out = '\0';
	if (!rows->history)
		return out;
	for (int i = 0; i < rows->moments; i++)
		if (rows->history[row][i] > most)
			most = rows->history[row][i];
	for (int i = 0; i < rows->moments; i++)
		strcat(out, bars[(int)((double)rows->history[row][i] / (double)most * 8 + 0.5)]);
	return out;
}

/* The first moment from which on it stayed within a twentieth of what it is now. */
static int level_from(const int64_t *history, int moments)
{
	int64_t now = history[moments - 1], slack = now / 20;
	int from = moments - 1;

	while (from > 0 && history[from - 1] >= now - slack && history[from - 1] <= now + slack)
		from--;
	return from;
}

/* The first moment from which on it grew by a hundredth of what it is now at each. */
static int growing_from(const int64_t *history, int moments)
{
	int from = moments - 1;

	while (from > 0 && history[from] - history[from - 1] > history[moments - 1] / 100)
		from--;
	return from;
}

const char *site_growth(const struct site_rows *rows, size_t row, const struct ui *ui, char *out,
			size_t size)
{
	enum { LEAST_STEPS = 2 };
	const int64_t *history = rows->history ? rows->history[row] : NULL;
	int last = rows->moments - 1, level, growing;
	char since[FORMAT_MAX], bytes[FORMAT_MAX];

	*out = '\0';
	if (!history || last < LEAST_STEPS || history[last] <= 0)
		return out;
	level = level_from(history, rows->moments);
	growing = growing_from(history, rows->moments);
	if (last - level >= LEAST_STEPS)
		snprintf(out, size, "level since %s", format_moment(since, moment_ns(ui, level)));
	else if (last - growing >= LEAST_STEPS)
		snprintf(out, size, "growing since %s, %s in the last minute",
			 format_moment(since, moment_ns(ui, growing)),
			 format_bytes(bytes, rows->rows[row].live_bytes - rows->before[row]));
	return out;
}

/* ---- stacks --------------------------------------------------------------------------------------------- */

static int count_lines(const struct model *m, int stack)
{
	int count = 0;

	for (; stack >= 0; stack = m->stacks[stack].parent)
		count += (int)m->stacks[stack].line_count;
	return count;
}

int site_stack_read(struct site_stack *stack, const struct model *m, int site)
{
	int at = m->sites[site].stack;

	memset(stack, 0, sizeof(*stack));
	if (at < 0)
		return -1;
	stack->lines = calloc((size_t)count_lines(m, at) + 1, sizeof(*stack->lines));
	if (!stack->lines)
		return -1;
	for (int node = at; node >= 0; node = m->stacks[node].parent)
		for (size_t i = 0; i < m->stacks[node].line_count; i++) {
			int line = (int)(m->stacks[node].first_line + i);

			if (line == m->stacks[at].yours)
				stack->yours = stack->count;
			stack->lines[stack->count++] = line;
		}
	return 0;
}

void site_stack_release(struct site_stack *stack)
{
	free(stack->lines);
	memset(stack, 0, sizeof(*stack));
}
