/* Who held the memory that a row speaks of, when, and during what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/explain.h"
#include "profiler/view/format.h"
#include "profiler/view/words.h"

enum { NAMED = 3 }; /* holders that are named; the rest is counted */

struct holder {
	const char *name;
	int64_t bytes;
	const char *doing; /* "" = nothing to say */
	int64_t for_ns;    /* MODEL_NONE = not said */
};

struct holders {
	struct holder list[NAMED];
	size_t count, more;
};

/* Keeps the largest. */
static void add(struct holders *h, struct holder holder)
{
	size_t at;

	if (holder.bytes <= 0)
		return;
	if (h->count == NAMED && h->list[NAMED - 1].bytes >= holder.bytes) {
		h->more++;
		return;
	}
	if (h->count == NAMED)
		h->more++;
	else
		h->count++;
	for (at = h->count - 1; at && h->list[at - 1].bytes < holder.bytes; at--)
		h->list[at] = h->list[at - 1];
	h->list[at] = holder;
}

static void print_holders(FILE *out, const struct holders *h)
{
	char bytes[FORMAT_MAX], time[FORMAT_MAX];

	for (size_t i = 0; i < h->count; i++) {
		const struct holder *holder = &h->list[i];

		fprintf(out, "%s%s %s", i ? ", " : "", holder->name,
			format_bytes(bytes, holder->bytes));
		if (holder->doing[0])
			fprintf(out, " (%s)", holder->doing);
		if (holder->for_ns != MODEL_NONE)
			fprintf(out, " for %s", format_duration(time, holder->for_ns));
	}
	if (h->more)
		fprintf(out, ", %zu more", h->more);
}

static void print_moment(FILE *out, const struct model *m, int64_t t_ns)
{
	char at[FORMAT_MAX], when[WORDS_MAX];

	words_when(when, sizeof(when), m, t_ns);
	fprintf(out, "at %s%s%s: ", format_moment(at, t_ns), when[0] ? ", " : "", when);
}

/* Everything that was alive at the job's peak. */
static void hold_all(struct holders *h, const struct model *m, const struct model_moment *at)
{
	add(h, (struct holder){"owner", at->round.owner_bytes, "", MODEL_NONE});
	for (size_t i = 0; i < m->pool_count; i++)
		if (at->pools[i].state > MODEL_LATER && at->pools[i].state < MODEL_ENDED)
			add(h, (struct holder){m->pools[i].name, at->pools[i].memory,
					       words_doing(&m->pools[i], at->pools[i].state),
					       MODEL_NONE});
}

static void hold_idle(struct holders *h, const struct model *m, const struct model_moment *at)
{
	for (size_t i = 0; i < m->pool_count; i++)
		add(h, (struct holder){m->pools[i].name, at->pools[i].held_idle, "idle",
				       m->pools[i].idle_ns});
}

static void print_at(FILE *out, const struct model *m, int64_t t_ns,
		     void (*hold)(struct holders *, const struct model *,
				  const struct model_moment *))
{
	struct model_moment at;
	struct holders h = {0};

	if (t_ns == MODEL_NONE || model_at(m, t_ns, &at))
		return;
	hold(&h, m, &at);
	print_moment(out, m, t_ns);
	print_holders(out, &h);
	model_moment_release(&at);
}

static void print_parked(FILE *out, const struct model *m)
{
	struct holders h = {0};

	for (size_t i = 0; i < m->pool_count; i++)
		add(&h, (struct holder){m->pools[i].name, m->pools[i].parked_batch_max, "",
					MODEL_NONE});
	print_holders(out, &h);
}

/* Of a job with several sessions the moment is that of one of them: only sessions are named. */
static void print_total(FILE *out, const struct row *row)
{
	const struct model_totals *t = row->subject->object;
	const char *name = row->rule->metric->name;
	const struct model *m = row->subject->model;

	if (row->run->model_count > 1) {
		fprintf(out, "sum of %zu sessions at one instant", row->run->model_count);
		return;
	}
	if (!strcmp(name, "peak_pss_bytes"))
		print_at(out, m, t->peak_at_ns, hold_all);
	else if (!strcmp(name, "peak_pss_bytes_without_idle"))
		print_at(out, m, t->peak_without_idle_at_ns, hold_all);
	else if (!strncmp(name, "idle_retained", 13))
		print_at(out, m, t->idle_max_at_ns, hold_idle);
	else if (!strcmp(name, "overlap_bytes_max"))
		print_at(out, m, t->overlap_max_at_ns, hold_all);
	else if (!strcmp(name, "parked_batch_bytes_max"))
		print_parked(out, m);
}

static void print_pool(FILE *out, const struct row *row)
{
	const struct model *m = row->subject->model;
	const struct model_pool *pool = &m->pools[row->subject->pool];
	char time[FORMAT_MAX], at[FORMAT_MAX], when[WORDS_MAX];

	fputs(row->subject->where, out);
	if (strncmp(row->rule->metric->name, "idle_retained", 13) != 0 ||
	    pool->idle_max_at_ns == MODEL_NONE || !pool->idle_ns)
		return;
	words_when(when, sizeof(when), m, pool->idle_max_at_ns);
	fprintf(out, ", held for %s, most at %s%s%s", format_duration(time, pool->idle_ns),
		format_moment(at, pool->idle_max_at_ns), when[0] ? ", " : "", when);
}

/* The pool it is about; what it says of the whole run stands with the cause. */
static void print_finding(FILE *out, const struct row *row)
{
	char *text = row->subject->pool < 0 ? explain_finding(row->subject->object) : NULL;

	fputs(text ? text : row->subject->where, out);
	free(text);
}

/* With several runs the figure is a median: it is said of which run the words are. */
static void print_run(FILE *out, const struct row *row)
{
	if (row->head_runs > 1 && row->rule->kind != BUDGET_FINDING)
		fprintf(out, "  [median of %zu runs; %s]", row->head_runs,
			row->run->models[0]->file);
}

char *explain_why(const struct row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (row->subject && row->run) {
		if (row->subject->kind == MODEL_SCOPE_TOTAL)
			print_total(out, row);
		else if (row->subject->kind == MODEL_SCOPE_POOL)
			print_pool(out, row);
		else if (row->subject->kind == SELECT_FINDING)
			print_finding(out, row);
		else
			fputs(row->subject->where, out);
		print_run(out, row);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
