/* Words for pools; see pool_words.h. */
#include "tui/pool_words.h"

#include "profiler/view/words.h"

const char *pool_state_text(struct sheet *sheet, const struct model_pool *pool,
			    const struct model_pool_moment *moment)
{
	enum model_state shown = moment->hindsight ? MODEL_PARKED : moment->state;

	if (pool->guessed && shown == MODEL_EXHAUSTED)
		return moment->held_idle > 0 ? "likely idle !" : "likely idle";
	if (moment->state == MODEL_EXHAUSTED && moment->held_idle > 0)
		return sheet_text(sheet, "%-10s !", model_state_name(shown));
	return words_doing(pool, moment->state);
}

const char *pool_row_name(struct sheet *sheet, const struct model_pool *pool)
{
	char rank[WORDS_RANK];

	return sheet_text(sheet, "%s%s", pool->name, words_rank(rank, pool->rank));
}

void pool_batches(const struct model_pool *pool, int64_t batches, struct value *value)
{
	value_number(value, VALUE_COUNT, batches);
	if (value->kind == VALUE_COUNT && pool->expected_batches > 0) {
		value->kind = VALUE_PART;
		value->whole = pool->expected_batches;
	}
}
