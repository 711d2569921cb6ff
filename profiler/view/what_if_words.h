/*
 * what_if_words.h: the answer to --what-if in sentences, alike in every format: the peak, the stall, what they take for granted.
 */
#ifndef PROFILER_VIEW_WHAT_IF_WORDS_H
#define PROFILER_VIEW_WHAT_IF_WORDS_H

#include "profiler/view/report.h"
#include "profiler/view/words.h"

enum { WHAT_IF_SENTENCES = 6 };

struct what_if_words {
	char sentences[WHAT_IF_SENTENCES][2 * WORDS_MAX];
	size_t count;
};

/* `options` has a question and its answer. */
void what_if_words(struct what_if_words *w, const struct model *m,
		   const struct report_options *options);

#endif
