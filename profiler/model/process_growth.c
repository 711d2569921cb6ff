/* Samples of one process as growth: see the header. */
#include "profiler/model/process_growth.h"

#define LIVE_PART 0.5

void process_growth_add(struct growth *g, const struct track *track)
{
	size_t i = g->count ? array_until(&track->samples, g->stretches[0].start_ns - 1) : 0;
	int64_t end_ns = g->count ? g->stretches[g->count - 1].end_ns : 0;

	for (; i < track->samples.count && track->samples.items[i].t_ns < end_ns; i++)
		growth_add(g, track->samples.items[i].t_ns,
			   (double)track->samples.items[i].anon_bytes);
}

int64_t process_growth_anon_at(const struct track *track, int64_t t_ns)
{
	size_t n = array_until(&track->samples, t_ns);

	return n ? track->samples.items[n - 1].anon_bytes : 0;
}

static int64_t allocated(const struct heap_row *heap)
{
	return heap->live_bytes + heap->mapped_bytes;
}

int process_growth_is_live(const struct track *track, int64_t start_ns, int64_t end_ns)
{
	size_t first = array_until(&track->heaps, start_ns - 1);
	size_t end = array_until(&track->heaps, end_ns - 1);
	const struct heap_row *a, *b;
	int64_t grew;

	if (end < first + 2)
		return 1;
	a = &track->heaps.items[first];
	b = &track->heaps.items[end - 1];
	grew = process_growth_anon_at(track, b->t_ns) - process_growth_anon_at(track, a->t_ns);
	return (double)(allocated(b) - allocated(a)) >= LIVE_PART * (double)grew;
}
