/* The forecast; see forecast.h. */
#include "tui/forecast.h"

#define SECOND INT64_C(1000000000)
#define WINDOW (60 * SECOND)

enum { THIRDS = 3, HOUR_S = 3600 };

static int a_pool_is_starting(const struct model *m, const struct model_moment *now)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (now->pools[i].state == MODEL_STARTING)
			return 1;
	return 0;
}

/* The least total in each third of the window that ends at now_ns. */
static void least_totals(const struct model *m, int64_t now_ns, int64_t least[THIRDS])
{
	for (int i = 0; i < THIRDS; i++)
		least[i] = INT64_MAX;
	for (int i = model_round_at(m, now_ns); i >= 0 && m->rounds[i].t_ns > now_ns - WINDOW;
	     i--) {
		int third = (int)((m->rounds[i].t_ns - (now_ns - WINDOW)) * THIRDS / WINDOW);

		third = third < THIRDS ? third : THIRDS - 1;
		if (m->rounds[i].total_bytes < least[third])
			least[third] = m->rounds[i].total_bytes;
	}
}

int64_t forecast_limit_ns(const struct model *m, const struct model_moment *now,
			  int64_t limit_bytes)
{
	int64_t least[THIRDS];
	double per_s, left_s;

	if (limit_bytes == MODEL_NONE || now->t_ns < WINDOW || a_pool_is_starting(m, now))
		return MODEL_NONE;
	least_totals(m, now->t_ns, least);
	if (least[0] >= least[1] || least[1] >= least[2] || least[2] == INT64_MAX)
		return MODEL_NONE;
	per_s = (double)(least[2] - least[0]) / (WINDOW / SECOND * 2 / THIRDS);
	left_s = (double)(limit_bytes - now->round.total_bytes) / per_s;
	return left_s < 0 || left_s > HOUR_S ? MODEL_NONE : (int64_t)(left_s * 1e9);
}
