/*
 * selector.h: which subjects a rule speaks of: `(train,label=val_*)`. Terms are globs with `*` and `?`; all must match. A subject that
 * lacks a field matches it only by `*`.
 */
#ifndef PROFILER_GATE_SELECTOR_H
#define PROFILER_GATE_SELECTOR_H

#include <stddef.h>

#include "profiler/model/metrics.h"

enum select_field {
#define FIELD(name, word, kinds) SELECT_##name,
#include "profiler/gate/fields.def"
#undef FIELD
	SELECT_FIELDS
};

/* Kinds of subject: a scope of the metrics, or a finding. */
enum { SELECT_FINDING = MODEL_SCOPES };

struct select_term {
	enum select_field field;
	int negated;
	const char *glob;
};

struct selector {
	struct select_term *terms;
	size_t count;
};

/* What a subject offers; NULL = it has no such thing. */
struct select_subject {
	const char *values[SELECT_FIELDS];
};

/* Whether it asks for a function or a file: a call site has these in every frame of its stack. */
int select_is_of_frame(const struct select_term *term);

/* All terms but those on functions and files: see site_group.h. */
int selector_matches(const struct selector *s, const struct select_subject *subject);

/* 1 = no wildcard and no negation: it names something that must be there. */
int selector_is_literal(const struct selector *s);

int glob_matches(const char *glob, const char *text);
int glob_is_literal(const char *glob);

const char *select_field_word(enum select_field field);

/* -1 when there is no such field. */
int select_field_find(const char *word);

/* Whether subjects of this kind have the field; the field of a term that names none. */
int select_field_applies(enum select_field field, int kind);
enum select_field select_default_field(int kind);

#endif
