/* The sum over ranks: a merge of their rounds by wall clock. Between its rounds a rank has what it had at the last whole one. */
#include "profiler/model/node.h"

#include <stdlib.h>
#include <string.h>

/* Where the merge stands in one model. */
struct rank {
	const struct model *m;
	int64_t offset_ns; /* of its start from the node's */
	size_t next;
	struct model_round now;
};

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t start_of(const struct model *m)
{
	return m->started_unix_ns == MODEL_NONE ? 0 : m->started_unix_ns;
}

/* The moment of the next round of any rank; INT64_MAX = no more. */
static int64_t next_moment(const struct rank *ranks, size_t count)
{
	int64_t t_ns = INT64_MAX;

	for (size_t i = 0; i < count; i++) {
		const struct model *m = ranks[i].m;

		if (ranks[i].next < m->round_count &&
		    m->rounds[ranks[i].next].t_ns + ranks[i].offset_ns < t_ns)
			t_ns = m->rounds[ranks[i].next].t_ns + ranks[i].offset_ns;
	}
	return t_ns;
}

static void advance(struct rank *r, int64_t t_ns)
{
	const struct model *m = r->m;

	for (; r->next < m->round_count && m->rounds[r->next].t_ns + r->offset_ns <= t_ns;
	     r->next++)
		if (!m->rounds[r->next].incomplete)
			r->now = m->rounds[r->next];
	if (m->end != MODEL_RUNNING && r->next == m->round_count &&
	    t_ns > m->last_ns + r->offset_ns)
		r->now = (struct model_round){0}; /* it is over */
}

static int holds_idle(const struct rank *ranks, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ranks[i].now.held_idle_bytes)
			return 1;
	return 0;
}

static void note_moment(struct node *node, const struct rank *ranks, size_t count, int64_t t_ns)
{
	int64_t total = 0, idle = 0, releasable = 0, overlap = 0, parked = 0;

	for (size_t i = 0; i < count; i++) {
		total += ranks[i].now.total_bytes;
		idle += ranks[i].now.held_idle_bytes;
		releasable += ranks[i].now.held_idle_releasable_bytes;
		overlap += ranks[i].now.overlap_bytes;
		parked += ranks[i].now.parked_batch_bytes;
	}
	node->peak_without_idle_bytes = larger(node->peak_without_idle_bytes, total - idle);
	node->overlap_max_bytes = larger(node->overlap_max_bytes, overlap);
	node->parked_batch_max_bytes = larger(node->parked_batch_max_bytes, parked);
	node->peak_with_release_bytes = larger(node->peak_with_release_bytes, total - releasable);
	if (idle > node->idle_max_bytes) {
		node->idle_max_bytes = idle;
		node->idle_max_at_ns = t_ns;
	}
	if (total <= node->peak_bytes)
		return;
	node->peak_bytes = total;
	node->peak_at_ns = t_ns;
	for (size_t i = 0; i < count; i++)
		node->rank_bytes[i] = ranks[i].now.total_bytes;
}

/* Ranks that are told the same limit share it, as long as they fit under it together. */
static void find_limit(struct node *node, struct model *const *models, size_t count)
{
	int shared = 1;

	node->limit_bytes = models[0]->totals.limit_bytes;
	node->limit_source = models[0]->totals.limit_source;
	for (size_t i = 1; i < count; i++)
		shared &= models[i]->totals.limit_bytes == models[0]->totals.limit_bytes;
	if (shared && node->peak_bytes <= node->limit_bytes)
		return;
	node->limit_bytes = models[0]->ram_bytes;
	node->limit_source = node->limit_bytes == MODEL_NONE ? "" : "RAM";
}

static void find_span(struct node *node, struct model *const *models, size_t count)
{
	int64_t end_ns = INT64_MIN;

	node->start_unix_ns = INT64_MAX;
	for (size_t i = 0; i < count; i++) {
		if (start_of(models[i]) < node->start_unix_ns)
			node->start_unix_ns = start_of(models[i]);
		end_ns = larger(end_ns, start_of(models[i]) + models[i]->last_ns);
	}
	node->duration_ns = end_ns - node->start_unix_ns;
}

int node_sum(struct node *node, struct model *const *models, size_t count)
{
	struct rank *ranks = calloc(count, sizeof(*ranks));
	double byte_seconds = 0;
	int64_t t_ns;

	*node = (struct node){
		.host = models[0]->host, .peak_at_ns = MODEL_NONE, .idle_max_at_ns = MODEL_NONE};
	node->rank_bytes = calloc(count, sizeof(*node->rank_bytes));
	if (!ranks || !node->rank_bytes) {
		free(ranks);
		node_release(node);
		return ERROR_SYSTEM;
	}
	find_span(node, models, count);
	for (size_t i = 0; i < count; i++) {
		ranks[i] = (struct rank){.m = models[i],
					 .offset_ns = start_of(models[i]) - node->start_unix_ns};
		byte_seconds += models[i]->totals.idle_byte_seconds;
	}
	for (int64_t idle_since_ns = MODEL_NONE; (t_ns = next_moment(ranks, count)) != INT64_MAX;) {
		if (idle_since_ns != MODEL_NONE)
			node->idle_ns += t_ns - idle_since_ns;
		for (size_t i = 0; i < count; i++)
			advance(&ranks[i], t_ns);
		note_moment(node, ranks, count, t_ns);
		idle_since_ns = holds_idle(ranks, count) ? t_ns : MODEL_NONE;
	}
	find_limit(node, models, count);
	if (node->duration_ns > 0)
		node->idle_average_bytes =
			(int64_t)(byte_seconds / ((double)node->duration_ns / 1e9));
	free(ranks);
	return 0;
}

void node_release(struct node *node)
{
	free(node->rank_bytes);
	node->rank_bytes = NULL;
}
