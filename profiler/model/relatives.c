/* Families of forked processes, and what their members had copied of what they inherited (relatives.h). */
#include "profiler/model/relatives.h"

static int64_t within(int64_t value, int64_t low, int64_t high)
{
	return value < low ? low : value > high ? high : value;
}

static int is_forked(const struct tables *t, int process, int parent)
{
	const struct session_process *p = &t->processes.items[process];

	if (parent < 0)
		return 0;
	if (p->shared_at_fork_bytes != SESSION_NULL || p->inherited_live_bytes != SESSION_NULL)
		return 1;
	/* not walked yet: it still runs its parent's program */
	return !t->tracks.items[process].rollups.count &&
	       t->processes.items[parent].cmdline == p->cmdline;
}

static int root_of_family(const struct tables *t, int process)
{
	/* bounded: a damaged file may hold a ring */
	for (size_t i = 0; i < t->tracks.count && t->tracks.items[process].forked; i++)
		process = t->tracks.items[process].parent;
	return process;
}

/* What statm said at the moment of the walk, else the walk itself. */
static int64_t anon_at_walk(const struct track *track, const struct rollup_row *walk)
{
	size_t n = array_until(&track->samples, walk->t_ns);

	if (n && track->samples.items[n - 1].t_ns == walk->t_ns)
		return track->samples.items[n - 1].anon_bytes;
	return walk->anonymous_bytes;
}

/* Private anonymous bytes at a walk that growth since the process was first seen does not explain: inherited and copied. */
static int64_t copied_at(const struct track *track, const struct rollup_row *walk)
{
	int64_t growth = track->samples.count
				 ? walk->statm_anon_bytes - track->samples.items[0].anon_bytes
				 : 0;

	return within(walk->private_anon_bytes - within(growth, 0, INT64_MAX), 0, INT64_MAX);
}

/* Kept by time, and by process where times are equal. */
static int collect(struct tables *t, int process, struct rollup_row *walk)
{
	struct track *track = &t->tracks.items[process], *root = &t->tracks.items[track->family];
	struct copied_row row = {walk->t_ns, walk->t_ns - t->processes.items[process].born_ns,
				 copied_at(track, walk), process};
	size_t at;

	if (!array_add(&root->copied))
		return -1;
	for (at = root->copied.count - 1; at; at--) {
		const struct copied_row *before = &root->copied.items[at - 1];

		if (before->t_ns < row.t_ns ||
		    (before->t_ns == row.t_ns && before->process < process))
			break;
		root->copied.items[at] = *before;
	}
	root->copied.items[at] = row;
	walk->collected = 1;
	return 0;
}

/* Rows that were read again lie among the last few. */
enum { READ_AGAIN = 16 };

static int look_at_walks(struct tables *t, int process)
{
	struct track *track = &t->tracks.items[process];
	size_t from = track->related > READ_AGAIN ? track->related - READ_AGAIN : 0;

	for (size_t i = from; i < track->rollups.count; i++) {
		struct rollup_row *walk = &track->rollups.items[i];

		walk->statm_anon_bytes = anon_at_walk(track, walk);
		if (track->forked && !walk->collected && collect(t, process, walk) < 0)
			return -1;
	}
	/* a process of which it is not known yet that it was forked is looked at again */
	track->related = track->forked || track->parent < 0 ? track->rollups.count : 0;
	return 0;
}

static void find_families(struct tables *t)
{
	for (size_t i = 0; i < t->tracks.count; i++) {
		struct track *track = &t->tracks.items[i];
		int64_t parent = t->processes.items[i].parent;

		track->parent = parent == SESSION_NULL ? -1 : tables_process(t, parent);
		if (track->parent == (int)i)
			track->parent = -1;
		track->forked = is_forked(t, (int)i, track->parent);
	}
	for (size_t i = 0; i < t->tracks.count; i++)
		t->tracks.items[i].family = root_of_family(t, (int)i);
}

static void find_kinds(struct tables *t)
{
	for (size_t i = 0; i < t->tracks.count; i++)
		t->tracks.items[i].kind = NULL;
	for (size_t i = 0; i < t->links.count; i++)
		t->tracks.items[t->links.items[i].process].kind =
			t->pools.items[t->links.items[i].pool].stage;
}

int relatives_find(struct tables *t)
{
	find_families(t);
	find_kinds(t);
	for (size_t i = 0; i < t->tracks.count; i++)
		if (look_at_walks(t, (int)i) < 0)
			return -1;
	return 0;
}

enum { LOOK_BACK = 64 };

int64_t relatives_copied(const struct tables *t, int process, int64_t t_ns,
			 const struct rollup_row *walk)
{
	const struct track *track = &t->tracks.items[process],
			   *root = &t->tracks.items[track->family];
	int64_t born_ns = t->processes.items[process].born_ns,
		known = walk ? copied_at(track, walk) : 0;
	size_t n = array_until(&root->copied, t_ns);

	for (size_t i = n; i-- > 0 && n - i <= LOOK_BACK;) {
		const struct copied_row *row = &root->copied.items[i];

		if (t->tracks.items[row->process].kind != track->kind ||
		    row->age_ns > t_ns - born_ns || (walk && row->age_ns <= walk->t_ns - born_ns))
			continue;
		return row->bytes > known ? row->bytes - known : 0;
	}
	return 0;
}
