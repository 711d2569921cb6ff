/* The line of code behind what grew: call sites at two moments. */
#include <stdlib.h>

#include "profiler/model/findings.h"

enum {
	LARGEST = 16, /* rows that are looked at: what grew most is large in the end */
	LEAST_SHARE = 4,
};

/* What its rows had at a moment is taken off. */
static void subtract(const struct model *m, const struct model_site_filter *filter,
		     struct model_site_row *rows, size_t count, int64_t t_ns)
{
	for (size_t i = 0; i < m->site_count; i++) {
		int row = model_site_is_wanted(m, &m->sites[i], filter)
				  ? model_site_row_find(m, i, rows, count)
				  : -1;

		if (row >= 0)
			rows[row].live_bytes -= model_site_at(m, i, t_ns).live_bytes;
	}
}

/* Batches that a pool's owner was handed are not of its workers. */
static int is_of_owner(const struct model *m, int pool, const struct model_site_row *row)
{
	return pool >= 0 && row->processes == 1 && row->process == m->pools[pool].owner;
}

void finding_locate(const struct model *m, struct model_finding *f, int pool, int process,
		    int64_t from_ns, int64_t to_ns)
{
	const struct model_site_filter filter = {
		.t_ns = to_ns,
		.stage = -1,
		.pool = pool,
		.pid = pool < 0 ? m->processes[process].pid : 0,
	};
	struct model_site_row *rows;
	size_t count;

	f->line_bytes = 0;
	if (model_sites_rank(m, &filter, &rows, &count))
		return;
	if (count > LARGEST)
		count = LARGEST;
	subtract(m, &filter, rows, count, from_ns);
	for (size_t i = 0; i < count; i++) {
		if (rows[i].line < 0 || rows[i].live_bytes <= f->line_bytes ||
		    rows[i].live_bytes < f->bytes / LEAST_SHARE || is_of_owner(m, pool, &rows[i]))
			continue;
		f->line = rows[i].line;
		f->line_bytes = rows[i].live_bytes;
	}
	free(rows);
}
