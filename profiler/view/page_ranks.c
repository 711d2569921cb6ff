/* The report of several sessions: for each machine the sum at one instant, then a row per rank. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/model/node.h"
#include "profiler/view/page.h"
#include "profiler/view/table.h"
#include "profiler/view/words.h"

enum { FOLDED = 3 }; /* from so many alike on */

enum column { RANK, PEAK, SHARE, AT, HELD, WITHOUT, SESSION, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[RANK] = {"RANK", 4, 0, 0},          [PEAK] = {"PEAK", 6, 0, 0},
	[SHARE] = {"AT NODE PEAK", 6, 2, 0}, [AT] = {"AT", 6, 3, 0},
	[HELD] = {"HELD IDLE", 9, 0, 0},     [WITHOUT] = {"WITHOUT", 7, 1, 0},
	[SESSION] = {"FILE", 8, 4, 1},
};

/* The rank its owner told, else the place on the command line. */
int64_t page_rank_of(const struct model *m, size_t place)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].role == MODEL_ROLE_OWNER && m->processes[i].rank != MODEL_NONE)
			return m->processes[i].rank;
	return (int64_t)place;
}

static void answer(const struct page *p, const struct node *node, size_t count)
{
	char peak[FORMAT_MAX], limit[FORMAT_MAX], share[FORMAT_MAX], at[FORMAT_MAX],
		idle[FORMAT_MAX], average[FORMAT_MAX];
	char without[FORMAT_MAX], host[128], start[WORDS_MAX];

	words_safe(host, sizeof(host), node->host[0] ? node->host : "one node", p->options.utf8);
	snprintf(start, sizeof(start), "%s", format_bytes(peak, node->peak_bytes));
	fprintf(p->out, "Peak       %s", start);
	if (node->limit_bytes != MODEL_NONE)
		fprintf(p->out, " of %s%s (%s)", format_bytes(limit, node->limit_bytes),
			strcmp(node->limit_source, "RAM") ? "" : " RAM",
			format_percent(share, node->peak_bytes, node->limit_bytes));
	fprintf(p->out, ", at %s: %zu ranks on %s at one instant\n",
		format_moment(at, node->peak_at_ns), count, host);
	if (!node->idle_max_bytes) {
		fputs("Held idle  nothing\n", p->out);
		return;
	}
	fprintf(p->out,
		"Held idle  %s at most, %s on average over the run; without it the peak is %s\n",
		format_bytes(idle, node->idle_max_bytes),
		format_bytes(average, node->idle_average_bytes),
		format_bytes(without, node->peak_without_idle_bytes));
}

/* The worst thing to do that any rank has. */
static void what_to_do(const struct page *p, const struct node *node, struct model *const *models,
		       size_t count)
{
	const struct model *worst = models[0];
	char command[WORDS_MAX], safe[WORDS_MAX], gain[FORMAT_MAX];

	for (size_t i = 1; i < count; i++)
		if (models[i]->finding_count &&
		    (!worst->finding_count ||
		     models[i]->findings[0].severity > worst->findings[0].severity))
			worst = models[i];
	if (words_notices(command, sizeof(command), worst)[0])
		fprintf(p->out, "Do         nothing urgent; %s\n", command);
	else if (!worst->finding_count)
		fputs("Do         nothing: no errors, no warnings\n", p->out);
	else if (!worst->findings[0].release_helps)
		fprintf(p->out, "Do         %s\n",
			words_safe(safe, sizeof(safe),
				   words_advice(command, sizeof(command), worst,
						&worst->findings[0]),
				   p->options.utf8));
	else
		fprintf(p->out, "Do         %s      %s, costs no restart\n",
			words_safe(safe, sizeof(safe),
				   words_release(command, sizeof(command), worst,
						 p->options.width - 50),
				   p->options.utf8),
			format_difference(gain, node->peak_with_release_bytes - node->peak_bytes));
}

static int are_alike(struct model *const *models, size_t count)
{
	int64_t least = INT64_MAX, most = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t peak = models[i]->totals.peak_bytes;

		least = peak < least ? peak : least;
		most = peak > most ? peak : most;
	}
	return count >= FOLDED && (double)(most - least) <= 0.05 * (double)most;
}

static void print_folded(const struct page *p, struct model *const *models, const int64_t *ranks,
			 size_t count)
{
	int64_t least = INT64_MAX, most = 0, first = INT64_MAX, last = INT64_MIN;
	char low[FORMAT_MAX], high[FORMAT_MAX];

	for (size_t i = 0; i < count; i++) {
		int64_t peak = models[i]->totals.peak_bytes;

		least = peak < least ? peak : least;
		most = peak > most ? peak : most;
		first = ranks[i] < first ? ranks[i] : first;
		last = ranks[i] > last ? ranks[i] : last;
	}
	fprintf(p->out, "\nranks %lld-%lld, %s to %s %s each\n", (long long)first, (long long)last,
		page_cell(p, low, least), page_cell(p, high, most), format_unit_name(p->unit));
}

static void print_rows(const struct page *p, const struct node *node, struct model *const *models,
		       const int64_t *ranks, size_t count)
{
	struct table t;

	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < count; i++) {
		const struct model_totals *totals = &models[i]->totals;
		char text[FORMAT_MAX], file[WORDS_MAX];

		table_row(&t);
		snprintf(text, sizeof(text), "%lld", (long long)ranks[i]);
		table_set(&t, RANK, text);
		table_set(&t, PEAK, page_cell(p, text, totals->peak_bytes));
		table_set(&t, SHARE, page_cell(p, text, node->rank_bytes[i]));
		table_set(&t, AT, format_moment(text, totals->peak_at_ns));
		table_set(&t, HELD, page_cell(p, text, totals->idle_max_bytes));
		table_set(&t, WITHOUT, page_cell(p, text, totals->peak_without_idle_bytes));
		table_set(&t, SESSION,
			  words_safe(file, sizeof(file), models[i]->file, p->options.utf8));
	}
	fprintf(p->out, "\nRanks, %s\n", format_unit_name(p->unit));
	table_print(&t, p->out, p->options.width);
	table_release(&t);
}

static int report_node(FILE *out, struct model *const *models, const int64_t *ranks, size_t count,
		       const struct report_options *options)
{
	struct page p = {.out = out, .m = models[0], .options = *options};
	struct node node;

	if (node_sum(&node, models, count) < 0)
		return -1;
	p.unit = format_unit_for(node.peak_bytes);
	answer(&p, &node, count);
	what_to_do(&p, &node, models, count);
	if (are_alike(models, count) && !options->full)
		print_folded(&p, models, ranks, count);
	else
		print_rows(&p, &node, models, ranks, count);
	node_release(&node);
	return 0;
}

int page_ranks(FILE *out, struct model *const *models, size_t count,
	       const struct report_options *options)
{
	struct model **here = calloc(count, sizeof(struct model *));
	int64_t *ranks = calloc(count, sizeof(*ranks));
	int failed = !here || !ranks, printed = 0;

	for (size_t i = 0; i < count && !failed; i++) {
		size_t n = 0, earlier = 0;

		for (size_t k = 0; k < i; k++)
			earlier += !strcmp(models[k]->host, models[i]->host);
		if (earlier) /* its machine had its turn */
			continue;
		for (size_t k = i; k < count; k++)
			if (!strcmp(models[k]->host, models[i]->host)) {
				here[n] = models[k];
				ranks[n++] = page_rank_of(models[k], k);
			}
		fputs(printed++ ? "\n" : "", out);
		failed = report_node(out, here, ranks, n, options);
	}
	if (!failed)
		fprintf(out, "\nThe story of one rank:  loopmem report %s\n", models[0]->file);
	free(here);
	free(ranks);
	return failed ? -1 : 0;
}
