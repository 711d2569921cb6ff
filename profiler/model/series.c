/* Figures of a process at a moment: the last walk, carried forward by what statm saw since (series.h). */
#include "profiler/model/series.h"

#include <string.h>

#include "profiler/model/model.h"
#include "profiler/model/relatives.h"
#include "profiler/model/unshared.h"

static int64_t within(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

void series_seek(const struct track *track, int64_t t_ns, struct series_cursor *c)
{
	c->samples = array_until(&track->samples, t_ns);
	c->rollups = array_until(&track->rollups, t_ns);
	c->heaps = array_until(&track->heaps, t_ns);
}

#define ADVANCE(array, at, t)                                           \
	while ((at) < (array)->count && (array)->items[at].t_ns <= (t)) \
	(at)++

void series_advance(const struct track *track, int64_t t_ns, struct series_cursor *c)
{
	ADVANCE(&track->samples, c->samples, t_ns);
	ADVANCE(&track->rollups, c->rollups, t_ns);
	ADVANCE(&track->heaps, c->heaps, t_ns);
}

/* Allocated and not freed, as counted last, and what the process has grown by since: in between, growth is taken for allocations, as far as it is private. Memory
 * that the program mapped itself counts as far as it is resident. */
static int64_t live_bytes(const struct track *track, const struct heap_row *heap,
			  const struct sample_row *sample, const struct figures *f)
{
	size_t n = array_until(&track->samples, heap->t_ns);
	int64_t then = n ? track->samples.items[n - 1].anon_bytes : sample->anon_bytes;
	int64_t most = heap->live_bytes > f->private_anon_bytes ? heap->live_bytes
								: f->private_anon_bytes;
	int64_t counted = within(heap->live_bytes + sample->anon_bytes - then, 0, most);
	return counted +
	       within(heap->mapped_bytes, 0, within(f->private_anon_bytes - counted, 0, INT64_MAX));
}

/* Never walked before now: its own memory when it is no forked child, of a child what it added since it was first seen. */
static void without_walk(const struct tables *t, int process, const struct sample_row *sample,
			 struct figures *f)
{
	const struct track *track = &t->tracks.items[process];
	const struct rollup_row *later = track->rollups.count ? &track->rollups.items[0] : NULL;

	f->estimated = 1;
	if (track->forked) {
		f->unshared_bytes = relatives_copied(t, process, sample->t_ns, NULL);
		f->copied_guess_bytes = f->unshared_bytes;
		f->private_anon_bytes = within(
			sample->anon_bytes - track->samples.items[0].anon_bytes + f->unshared_bytes,
			0, sample->anon_bytes);
		f->private_bytes = f->anon_bytes = f->private_anon_bytes;
		return;
	}
	f->private_anon_bytes = sample->anon_bytes;
	if (later) { /* carried back from the first walk */
		f->private_anon_bytes = within(later->private_anon_bytes + sample->anon_bytes -
						       later->statm_anon_bytes,
					       0, sample->rss_bytes);
		f->file_bytes =
			within(later->pss_file_bytes, 0, sample->rss_bytes - f->private_anon_bytes);
	}
	f->private_bytes = f->anon_bytes = f->private_anon_bytes;
	f->share_bytes = f->file_bytes;
}

static void since_walk(const struct tables *t, int process, const struct rollup_row *walk,
		       const struct sample_row *sample, struct figures *f)
{
	const struct track *track = &t->tracks.items[process];
	int64_t growth = 0, copied = 0;

	f->walk_ns = walk->t_ns;
	f->estimated = walk->t_ns != sample->t_ns;
	f->share_bytes = within(walk->pss_bytes - walk->private_bytes, 0, INT64_MAX);
	if (f->estimated) {
		growth = sample->anon_bytes - walk->statm_anon_bytes;
		copied = track->forked ? relatives_copied(t, process, sample->t_ns, walk) : 0;
	}
	f->private_anon_bytes = within(walk->private_anon_bytes + growth + copied, 0, INT64_MAX);
	/* not more than there is; statm may lag behind the walk */
	if (f->estimated)
		f->private_anon_bytes =
			within(f->private_anon_bytes, 0, walk->anonymous_bytes + growth);
	f->private_bytes = walk->private_bytes + f->private_anon_bytes - walk->private_anon_bytes;
	if (f->estimated)
		f->private_bytes =
			within(f->private_bytes, f->private_anon_bytes, sample->rss_bytes);
	f->anon_bytes =
		within(walk->pss_anon_bytes + f->private_anon_bytes - walk->private_anon_bytes, 0,
		       INT64_MAX);
	f->file_bytes = walk->pss_file_bytes;
	f->shmem_bytes = walk->pss_shmem_bytes;
	f->unshared_bytes = f->copied_guess_bytes = copied;
}

void series_figures(const struct tables *t, int process, const struct series_cursor *c,
		    int64_t t_ns, struct figures *f)
{
	const struct session_process *p = &t->processes.items[process];
	const struct track *track = &t->tracks.items[process];
	const struct heap_row *heap = c->heaps ? &track->heaps.items[c->heaps - 1] : NULL;
	const struct sample_row *sample = c->samples ? &track->samples.items[c->samples - 1] : NULL;
	int ended = p->ended_ns != MODEL_NONE && p->ended_ns <= t_ns;

	memset(f, 0, sizeof(*f));
	f->walk_ns = MODEL_NONE;
	if (!sample || (ended && sample->t_ns != t_ns))
		return;
	f->vanished = sample->t_ns != t_ns;
	f->alive = !f->vanished || c->samples < track->samples.count;
	if (!f->alive)
		return;
	f->rss_bytes = sample->rss_bytes;
	if (c->rollups) {
		since_walk(t, process, &track->rollups.items[c->rollups - 1], sample, f);
		f->unshared_bytes += unshared_bytes(p->shared_at_fork_bytes,
						    &track->rollups.items[c->rollups - 1], heap);
	} else {
		without_walk(t, process, sample, f);
	}
	if (heap)
		f->live_bytes = live_bytes(track, heap, sample, f);
}

static int64_t scaled(int64_t bytes, int64_t sharers, int64_t now)
{
	return sharers == now ? bytes : (int64_t)((double)bytes * (double)sharers / (double)now);
}

static int64_t anon_share(const struct figures *f)
{
	return within(f->anon_bytes - f->private_anon_bytes, 0, f->share_bytes);
}

/* The share as it is among `now` members. */
static void scale_share(struct figures *f, const struct rollup_row *walk, int64_t now)
{
	int64_t anon = anon_share(f), change = scaled(anon, walk->sharers, now) - anon;

	f->share_bytes += change;
	f->anon_bytes += change;
}

static void share_like_parent(struct figures *child, const struct figures *parent)
{
	child->share_bytes = anon_share(parent);
	child->anon_bytes += child->share_bytes;
}

/* What the child shares beyond its parent's share was private to the parent at the parent's last walk. */
static void take_from_parent(const struct figures *child, struct figures *parent)
{
	int64_t taken =
		within(anon_share(child) - anon_share(parent), 0, parent->private_anon_bytes);

	parent->private_bytes -= taken;
	parent->private_anon_bytes -= taken;
	parent->anon_bytes = within(parent->anon_bytes - taken, 0, INT64_MAX);
}

static void settle_with_parent(const struct tables *t, int process, struct figures *figures)
{
	struct figures *child = &figures[process], *parent;

	if (!t->tracks.items[process].forked)
		return;
	parent = &figures[t->tracks.items[process].parent];
	if (!parent->alive || parent->walk_ns == MODEL_NONE)
		return;
	if (child->walk_ns == MODEL_NONE)
		share_like_parent(child, parent);
	else if (parent->walk_ns < t->processes.items[process].born_ns)
		take_from_parent(child, parent);
}

void series_share(struct tables *t, const int *alive, size_t alive_count, struct figures *figures,
		  const struct series_cursor *cursors, int64_t t_ns, int *counts)
{
	for (size_t i = 0; i < alive_count; i++)
		counts[t->tracks.items[alive[i]].family]++;
	for (size_t i = 0; i < alive_count; i++) {
		struct track *track = &t->tracks.items[alive[i]];
		struct figures *f = &figures[alive[i]];
		struct rollup_row *walk;

		if (f->walk_ns == MODEL_NONE)
			continue;
		walk = &track->rollups.items[cursors[alive[i]].rollups - 1];
		if (!walk->sharers || walk->t_ns == t_ns)
			walk->sharers = counts[track->family];
		scale_share(f, walk, counts[track->family]);
	}
	for (size_t i = 0; i < alive_count; i++)
		settle_with_parent(t, alive[i], figures);
	for (size_t i = 0; i < alive_count; i++)
		counts[t->tracks.items[alive[i]].family] = 0;
}

int64_t series_proportional(const struct figures *f)
{
	int64_t sum = f->private_bytes + f->share_bytes;

	/* an estimate never exceeds what statm saw resident */
	return f->estimated && sum > f->rss_bytes ? f->rss_bytes : sum;
}
