/*
 * series.h: the figures of one process at one moment, from its rows.
 *
 * Walks (smaps_rollup) are exact but rare; statm comes ten times a second. In between a figure is carried forward:
 *   private(t)      = private at the last walk + growth of anonymous resident bytes since
 *   proportional(t) = private(t) + share(t), share = Pss - private at the last walk
 * A share is a part of pages that others map too, so it changes when they come and go, without a walk of this process:
 *   - its family (a process and those forked from it) had `sharers` members at the walk and has n now:
 *     share(t) = share x sharers / n, of its anonymous part. Exact for pages that all of them map, which is what a fork
 *     gives. A fork does not hand file pages on: their share stays as it was.
 *   - a child that was not walked yet has its parent's share, and as private what it added since it was first seen.
 *   - a child that was forked after its parent's last walk took its share out of what is private in that walk.
 * Copying inherited pages is not seen by statm: the copy takes the page's place. A child that was not walked for a while is
 * taken to have copied as much as its relatives of the same kind had at its age.
 * So a sum over a family never counts a page twice because one member was measured later than another.
 */
#ifndef PROFILER_MODEL_SERIES_H
#define PROFILER_MODEL_SERIES_H

#include "profiler/model/load.h"

/* How many rows of each kind lie at or before a moment. */
struct series_cursor {
	size_t samples, rollups, heaps;
};

struct figures {
	int alive;       /* resident at the moment */
	int vanished;    /* it ought to be alive but was not seen in this round */
	int estimated;   /* carried forward, not walked at this moment */
	int64_t walk_ns; /* last walk; MODEL_NONE = never */
	int64_t rss_bytes, private_bytes, share_bytes;
	int64_t private_anon_bytes, anon_bytes, file_bytes,
		shmem_bytes; /* the last three: Pss by kind */
	int64_t live_bytes; /* own live heap, and mapped anonymous memory as far as it is resident */
	int64_t unshared_bytes;
	int64_t copied_guess_bytes; /* of them: not seen by a walk of this process, but as its relatives did */
};

/* Puts `c` to t_ns from anywhere / from an earlier moment. */
void series_seek(const struct track *track, int64_t t_ns, struct series_cursor *c);
void series_advance(const struct track *track, int64_t t_ns, struct series_cursor *c);

/* Fills `f` for a process at t_ns; `c` must stand at t_ns. The share is as of the last walk. */
void series_figures(const struct tables *t, int process, const struct series_cursor *c,
		    int64_t t_ns, struct figures *f);

/* Corrects the shares of all processes of one moment, as told above. `figures` and `cursors` are parallel to the
 * processes; `alive` lists the indices of those alive. `counts` is scratch, one per process, all 0 and left so. */
void series_share(struct tables *t, const int *alive, size_t alive_count, struct figures *figures,
		  const struct series_cursor *cursors, int64_t t_ns, int *counts);

int64_t series_proportional(const struct figures *f);

#endif
