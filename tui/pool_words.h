/*
 * pool_words.h: how a pool's state and batches read in a sheet.
 */
#ifndef TUI_POOL_WORDS_H
#define TUI_POOL_WORDS_H

#include "profiler/model/model.h"
#include "tui/sheet.h"

/* "exhausted  !", "likely idle !" of a guessed pool: the mark follows a state that costs memory for nothing. A pool that was parked at the time, and is only known
 * since to have been at its end, is still called parked. */
const char *pool_state_text(struct sheet *sheet, const struct model_pool *pool,
			    const struct model_pool_moment *moment);

/* "train #4 e1", with ", rank 0" where there are several. */
const char *pool_row_name(struct sheet *sheet, const struct model_pool *pool);

/* "51/112", "51" without a known number, "-" when unknown. */
void pool_batches(const struct model_pool *pool, int64_t batches, struct value *value);

#endif
