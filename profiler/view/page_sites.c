/* The call sites in the report: the five largest at the peak, and those of each pool that was held idle. */
#include <stdio.h>
#include <stdlib.h>

#include "profiler/view/page.h"
#include "profiler/view/site_words.h"
#include "profiler/view/words.h"

enum { SHOWN = 5, OWNER = 16, TEXT = 192, POOLS_SHOWN = 3 };

static void print_row(const struct page *p, const struct model_site_row *row, int with_owner)
{
	char cell[FORMAT_MAX], owner[TEXT], site[TEXT];
	int room = p->options.width - (with_owner ? 12 + OWNER : 12), blank;

	site_row_words(site, sizeof(site), p->m, row, p->options.utf8);
	site_owner(owner, sizeof(owner), p->m, row, p->options.utf8);
	blank = OWNER - words_columns(owner);
	if (with_owner)
		fprintf(p->out, "  %6s  %s%*s  %.*s\n", page_cell(p, cell, row->live_bytes), owner,
			blank > 0 ? blank : 0, "", words_fit(site, room), site);
	else
		fprintf(p->out, "    %6s  %.*s\n", page_cell(p, cell, row->live_bytes),
			words_fit(site, room), site);
}

/* Below a hundredth of the largest nothing is of interest. */
static size_t count_of(const struct page *p, const struct model_site_row *rows, size_t count)
{
	size_t n = 0;

	while (n < count && rows[n].live_bytes > 0 &&
	       rows[n].live_bytes * 100 >= rows[0].live_bytes && (n < SHOWN || p->options.full))
		n++;
	return n;
}

static void print_rest(const struct page *p, const struct model_site_row *rows, size_t count)
{
	char cell[FORMAT_MAX];
	int64_t rest = model_site_rows_live(rows, count);

	if (count)
		fprintf(p->out, "  %6s  %-*s  loopmem sites %s\n", page_cell(p, cell, rest), OWNER,
			count == 1 ? "one more" : "more", p->m->file);
}

static int print_list(const struct page *p, const struct model_site_filter *filter, int with_owner)
{
	struct model_site_row *rows;
	size_t count, shown;

	if (model_sites_rank(p->m, filter, &rows, &count))
		return -1;
	shown = count_of(p, rows, count);
	for (size_t i = 0; i < shown; i++)
		print_row(p, &rows[i], with_owner);
	if (with_owner)
		print_rest(p, rows + shown, count - shown);
	free(rows);
	return 0;
}

/* Pools that were held idle, at the moment they held most. */
static int print_retained(const struct page *p)
{
	int left = p->options.full ? (int)p->m->pool_count : POOLS_SHOWN;

	for (size_t i = 0; i < p->m->pool_count && left > 0; i++) {
		const struct model_pool *pool = &p->m->pools[i];
		struct model_site_filter filter = {pool->idle_max_at_ns, -1, (int)i, 0, 0};
		char at[FORMAT_MAX], name[TEXT];

		if (pool->idle_max_bytes * 50 < p->m->totals.peak_bytes)
			continue;
		fprintf(p->out, "  held idle by %s at %s\n",
			words_safe(name, sizeof(name), pool->name, p->options.utf8),
			format_moment(at, pool->idle_max_at_ns));
		if (print_list(p, &filter, 0))
			return -1;
		left--;
	}
	return 0;
}

int page_sites(const struct page *p)
{
	const struct model_site_filter peak = {MODEL_NONE, -1, -1, 0, 0};

	if (!p->m->site_count)
		return 0;
	fprintf(p->out, "\nSites, live at the peak%*s\n", p->options.width > 60 ? 30 : 14,
		p->m->sample_bytes == 1 ? "every allocation" : "sampled");
	return print_list(p, &peak, 1) || print_retained(p) ? -1 : 0;
}
