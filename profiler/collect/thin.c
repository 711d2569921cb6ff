/* Which rows to thin, and how far: see the header. */
#include "profiler/collect/thin.h"

#define S   INT64_C(1000000000)
#define MIN (60 * S)

enum { MOST_LEVELS = 16 };

static int64_t at_least(int64_t value, int64_t least)
{
	return value > least ? value : least;
}

int thin_due(struct thinning *t, int64_t now_ns, int64_t size_bytes,
	     struct thin_step steps[THIN_STEPS])
{
	int near_limit = size_bytes > t->max_bytes / 10 * 8;
	int64_t recent_ns, old_ns;
	int count = 0;

	if (now_ns - t->last_ns < (near_limit ? 5 * S : MIN))
		return 0;
	t->last_ns = now_ns;
	if (near_limit && t->level < MOST_LEVELS)
		t->level++;
	recent_ns = at_least((15 * MIN) >> t->level, 30 * S);
	old_ns = at_least((120 * MIN) >> t->level, 5 * MIN);
	if (now_ns > old_ns)
		steps[count++] = (struct thin_step){now_ns - old_ns, (10 * S) << t->level};
	if (now_ns > recent_ns)
		steps[count++] = (struct thin_step){now_ns - recent_ns, S << (t->level / 2)};
	return count;
}
