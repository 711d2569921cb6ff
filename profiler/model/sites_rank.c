/* Call sites in rows: those of one pool and one line of code together, the largest first. */
#include <stdlib.h>
#include <string.h>

#include "profiler/error.h"
#include "profiler/model/model.h"

int model_site_is_wanted(const struct model *m, const struct model_site *site,
			 const struct model_site_filter *f)
{
	if (site->process < 0)
		return 0;
	if (f->pool >= 0 && site->pool != f->pool)
		return 0;
	if (f->stage >= 0 && (site->pool < 0 || (int)m->pools[site->pool].stage != f->stage))
		return 0;
	if (f->from_stage && site->stage != f->from_stage - 1)
		return 0;
	return !f->pid || m->processes[site->process].pid == f->pid;
}

static int line_of(const struct model *m, const struct model_site *site)
{
	return site->stack < 0 ? -1 : m->stacks[site->stack].yours;
}

static int compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : (uintptr_t)a < (uintptr_t)b ? -1 : 1;
}

/* Texts are kept once, so equal ones have equal addresses. */
int model_line_compare(const struct model *m, int a, int b, int by_function)
{
	const struct model_line *x, *y;
	int order;

	if (a == b || a < 0 || b < 0)
		return (a > b) - (a < b);
	x = &m->lines[a];
	y = &m->lines[b];
	order = compare_texts(x->file, y->file);
	if (!order)
		order = compare_texts(x->function, y->function);
	if (!order)
		order = compare_texts(x->module, y->module);
	if (!order && !(by_function && x->function))
		order = (x->line > y->line) - (x->line < y->line);
	if (!order && !x->function)
		order = (x->address > y->address) - (x->address < y->address);
	return order;
}

/* A row of one site, and the model, for qsort. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct model_site_row *x = a, *y = b;

	if (x->pool != y->pool)
		return x->pool < y->pool ? -1 : 1;
	if (x->pool < 0 && x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->mapped != y->mapped)
		return x->mapped - y->mapped;
	return model_line_compare(arg, x->line, y->line, 0);
}

/* What tells the row of a site from others. */
static struct model_site_row row_of(const struct model *m, size_t site)
{
	return (struct model_site_row){
		.pool = m->sites[site].pool,
		.process = m->sites[site].process,
		.mapped = m->sites[site].mapped,
		.line = line_of(m, &m->sites[site]),
		.site = (int)site,
		.processes = 1,
	};
}

int64_t model_site_rows_live(const struct model_site_row *rows, size_t count)
{
	int64_t live = 0;

	for (size_t i = 0; i < count; i++)
		live += rows[i].live_bytes;
	return live;
}

int model_site_row_find(const struct model *m, size_t site, const struct model_site_row *rows,
			size_t count)
{
	const struct model_site_row row = row_of(m, site);

	for (size_t i = 0; i < count; i++)
		if (!compare_rows(&rows[i], &row, (void *)m))
			return (int)i;
	return -1;
}

/* For sorting: those of one process together. */
static int compare_all(const void *a, const void *b, void *arg)
{
	const struct model_site_row *x = a, *y = b;
	int order = compare_rows(a, b, arg);

	return order                      ? order
	       : x->process != y->process ? x->process - y->process
					  : x->site - y->site;
}

static int larger_first(const void *a, const void *b)
{
	const struct model_site_row *x = a, *y = b;

	if (x->live_bytes != y->live_bytes)
		return x->live_bytes > y->live_bytes ? -1 : 1;
	if (x->alloc_bytes != y->alloc_bytes)
		return x->alloc_bytes > y->alloc_bytes ? -1 : 1;
	return x->site - y->site;
}

static void add(struct model_site_row *into, const struct model_site_row *row)
{
	into->live_bytes += row->live_bytes;
	into->live_blocks += row->live_blocks;
	into->alloc_bytes += row->alloc_bytes;
	into->alloc_blocks += row->alloc_blocks;
}

/* Rows that compare equal follow each other, those of one process too. */
static size_t fold(const struct model *m, struct model_site_row *rows, size_t count)
{
	int64_t largest = 0;
	int last_process = -1;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct model_site_row row = rows[i], *into = kept ? &rows[kept - 1] : NULL;

		if (!into || compare_rows(into, &row, (void *)m)) {
			largest = row.live_bytes;
			rows[kept++] = row;
		} else {
			add(into, &row);
			into->processes += row.process != last_process;
			if (row.live_bytes > largest) {
				largest = row.live_bytes;
				into->site = row.site;
			}
		}
		last_process = row.process;
	}
	return kept;
}

int64_t model_sites_moment(const struct model *m, const struct model_site_filter *f)
{
	int64_t first = model_sites_read_from(m), peak = m->round_count ? m->totals.peak_at_ns : 0;

	if (f->t_ns != MODEL_NONE)
		return f->t_ns;
	return first != MODEL_NONE && first > peak ? first : peak;
}

int model_sites_rank(const struct model *m, const struct model_site_filter *filter,
		     struct model_site_row **out, size_t *count)
{
	struct model_site_row *rows = calloc(m->site_count + 1, sizeof(*rows));
	int64_t t_ns = model_sites_moment(m, filter);
	size_t n = 0;

	*out = rows;
	*count = 0;
	if (!rows)
		return ERROR_SYSTEM;
	for (size_t i = 0; i < m->site_count; i++) {
		struct model_site_amount amount = model_site_at(m, i, t_ns);

		if (!amount.alloc_bytes || !model_site_is_wanted(m, &m->sites[i], filter))
			continue;
		rows[n] = row_of(m, i);
		rows[n].live_bytes = amount.live_bytes;
		rows[n].live_blocks = amount.live_blocks;
		rows[n].alloc_bytes = amount.alloc_bytes;
		rows[n].alloc_blocks = amount.alloc_blocks;
		n++;
	}
	qsort_r(rows, n, sizeof(*rows), compare_all, (void *)m);
	*count = fold(m, rows, n);
	qsort(rows, *count, sizeof(*rows), larger_first);
	return 0;
}
