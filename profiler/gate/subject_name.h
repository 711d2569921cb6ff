/*
 * subject_name.h: what subjects are called. A name is the same in every run of the same program, and a key of a budget can say it.
 *
 * Texts are kept in `s` and valid as long as that is; "" and s->failed when out of memory.
 */
#ifndef PROFILER_GATE_SUBJECT_NAME_H
#define PROFILER_GATE_SUBJECT_NAME_H

#include <stdint.h>

#include "profiler/gate/selector.h"
#include "profiler/model/strings.h"

/* "pool(train,label=train_loader,rank=1)": what is "" or NULL is left out, the rank where there is only one too. */
const char *subject_name(struct strings *s, const char *word, const char *stage,
			 const struct select_subject *fields, int several_ranks);

/* Foreign text becomes a name only as UTF-8: names are keys of JSON. */
const char *subject_text(struct strings *s, const char *text);

/* NULL for MODEL_NONE. */
const char *subject_number(struct strings *s, int64_t value);

#endif
