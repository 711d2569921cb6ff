/*
 * The totals of a job whose ranks have a session each. Their rounds are walked together in order of time, on the machines'
 * clocks: at every round the figures of all sessions that run then are added, the latest of each.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/run.h"

struct walk {
	const struct model *model;
	int64_t offset_ns;               /* its begin, since the job's */
	size_t next;                     /* round that has not come yet */
	const struct model_round *round; /* the last one that came; NULL = none */
};

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t next_time(const struct walk *w)
{
	return w->next < w->model->round_count ? w->model->rounds[w->next].t_ns + w->offset_ns
					       : INT64_MAX;
}

/* A round in which a process vanished says nothing new. */
static void advance(struct walk *w, int64_t t_ns)
{
	for (; next_time(w) <= t_ns; w->next++)
		if (!w->model->rounds[w->next].incomplete)
			w->round = &w->model->rounds[w->next];
}

static void add_round(struct model_round *sum, const struct walk *w, int64_t t_ns)
{
	if (!w->round || t_ns > w->model->last_ns + w->offset_ns)
		return;
	sum->total_bytes += w->round->total_bytes;
	sum->held_idle_bytes += w->round->held_idle_bytes;
	sum->held_idle_releasable_bytes += w->round->held_idle_releasable_bytes;
	sum->overlap_bytes += w->round->overlap_bytes;
	sum->parked_batch_bytes += w->round->parked_batch_bytes;
	sum->rss_sum_bytes += w->round->rss_sum_bytes;
	sum->pools_alive += w->round->pools_alive;
}

static void note_maximum(int64_t *max, int64_t *at_ns, int64_t value, int64_t t_ns)
{
	if (value > *max || *at_ns == MODEL_NONE) {
		*max = value;
		*at_ns = t_ns;
	}
}

static void note(struct model_totals *out, const struct model_round *sum)
{
	note_maximum(&out->peak_bytes, &out->peak_at_ns, sum->total_bytes, sum->t_ns);
	note_maximum(&out->peak_without_idle_bytes, &out->peak_without_idle_at_ns,
		     sum->total_bytes - sum->held_idle_bytes, sum->t_ns);
	note_maximum(&out->idle_max_bytes, &out->idle_max_at_ns, sum->held_idle_bytes, sum->t_ns);
	note_maximum(&out->overlap_max_bytes, &out->overlap_max_at_ns, sum->overlap_bytes,
		     sum->t_ns);
	out->peak_with_release_bytes = larger(out->peak_with_release_bytes,
					      sum->total_bytes - sum->held_idle_releasable_bytes);
	out->parked_batch_max_bytes = larger(out->parked_batch_max_bytes, sum->parked_batch_bytes);
	out->peak_rss_sum_bytes = larger(out->peak_rss_sum_bytes, sum->rss_sum_bytes);
	out->pools_alive_max = larger(out->pools_alive_max, sum->pools_alive);
}

static struct model_round sum_at(struct walk *walks, size_t count, int64_t t_ns)
{
	struct model_round sum = {.t_ns = t_ns};

	for (size_t i = 0; i < count; i++) {
		advance(&walks[i], t_ns);
		add_round(&sum, &walks[i], t_ns);
	}
	return sum;
}

static int64_t earliest(const struct walk *walks, size_t count)
{
	int64_t t_ns = INT64_MAX;

	for (size_t i = 0; i < count; i++)
		if (next_time(&walks[i]) < t_ns)
			t_ns = next_time(&walks[i]);
	return t_ns;
}

/* What needs no common instant: times, bytes over time, the nearest limit of those that are known. */
static void add_whole(struct model_totals *out, const struct walk *w)
{
	const struct model_totals *t = &w->model->totals;

	out->duration_ns = larger(out->duration_ns, w->offset_ns + t->duration_ns);
	out->idle_byte_seconds += t->idle_byte_seconds;
	if (t->limit_bytes != MODEL_NONE &&
	    (out->limit_bytes == MODEL_NONE || t->limit_bytes < out->limit_bytes)) {
		out->limit_bytes = t->limit_bytes;
		out->limit_source = t->limit_source;
	}
}

static void sum_walks(struct model_totals *out, struct walk *walks, size_t count)
{
	struct model_round before = {0};

	*out = (struct model_totals){.peak_at_ns = MODEL_NONE,
				     .peak_without_idle_at_ns = MODEL_NONE,
				     .idle_max_at_ns = MODEL_NONE,
				     .overlap_max_at_ns = MODEL_NONE,
				     .limit_bytes = MODEL_NONE,
				     .limit_source = ""};
	for (size_t i = 0; i < count; i++)
		add_whole(out, &walks[i]);
	for (int64_t t_ns; (t_ns = earliest(walks, count)) != INT64_MAX;) {
		struct model_round sum = sum_at(walks, count, t_ns);

		note(out, &sum);
		if (before.held_idle_bytes)
			out->idle_ns += t_ns - before.t_ns;
		before = sum;
	}
	if (out->duration_ns)
		out->idle_average_bytes =
			(int64_t)(out->idle_byte_seconds / ((double)out->duration_ns / 1e9));
}

int job_totals(struct model_totals *out, const struct model *const *models, size_t count)
{
	struct walk *walks;
	int64_t begin_ns = INT64_MAX;

	if (count == 1) {
		*out = models[0]->totals;
		return 0;
	}
	walks = calloc(count, sizeof(*walks));
	if (!walks)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (models[i]->started_unix_ns < begin_ns)
			begin_ns = models[i]->started_unix_ns;
	for (size_t i = 0; i < count; i++) {
		walks[i].model = models[i];
		walks[i].offset_ns = models[i]->started_unix_ns - begin_ns;
	}
	sum_walks(out, walks, count);
	free(walks);
	return 0;
}
