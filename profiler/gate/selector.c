/* Globs, and the fields they are held against: see the header. */
#include "profiler/gate/selector.h"

#include <string.h>

#define KIND(scope)  (1u << MODEL_SCOPE_##scope)
#define KIND_FINDING (1u << SELECT_FINDING)

static const struct {
	const char *word;
	unsigned kinds;
} fields[] = {
#define FIELD(name, word, kinds) {word, kinds},
#include "profiler/gate/fields.def"
#undef FIELD
};

const char *select_field_word(enum select_field field)
{
	return fields[field].word;
}

int select_field_find(const char *word)
{
	for (int i = 0; i < SELECT_FIELDS; i++)
		if (!strcmp(fields[i].word, word))
			return i;
	return -1;
}

int select_field_applies(enum select_field field, int kind)
{
	return (fields[field].kinds >> kind & 1) != 0;
}

enum select_field select_default_field(int kind)
{
	int field = 0;

	while (field < SELECT_FIELDS - 1 && !select_field_applies((enum select_field)field, kind))
		field++;
	return (enum select_field)field;
}

static const char *next_character(const char *text)
{
	text++;
	while (((unsigned char)*text & 0xC0) == 0x80)
		text++;
	return text;
}

/* Without recursion: on a mismatch the last `*` takes one character more, so a hostile glob costs at most the product of both lengths. */
int glob_matches(const char *glob, const char *text)
{
	const char *star = NULL, *retry = NULL;

	while (*text) {
		if (*glob == '*') {
			star = ++glob;
			retry = text;
		} else if (*glob == '?') {
			glob++;
			text = next_character(text);
		} else if (*glob && *glob == *text) {
			glob++;
			text++;
		} else if (star) {
			glob = star;
			retry = next_character(retry);
			text = retry;
		} else {
			return 0;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

int glob_is_literal(const char *glob)
{
	return !strpbrk(glob, "*?");
}

/* How CI tools call the severities of the model. */
static const char *severity_synonym(const char *severity)
{
	static const char *const words[][2] = {
		{"error", "high"}, {"warning", "medium"}, {"notice", "low"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(severity, words[i][0]))
			return words[i][1];
	return severity;
}

static int term_matches(const struct select_term *term, const char *value)
{
	int matches = glob_matches(term->glob, value ? value : "");

	if (!matches && value && term->field == SELECT_SEVERITY)
		matches = glob_matches(term->glob, severity_synonym(value));
	return matches != term->negated;
}

int select_is_of_frame(const struct select_term *term)
{
	return term->field == SELECT_FUNCTION || term->field == SELECT_FILE;
}

int selector_matches(const struct selector *s, const struct select_subject *subject)
{
	for (size_t i = 0; i < s->count; i++)
		if (!select_is_of_frame(&s->terms[i]) &&
		    !term_matches(&s->terms[i], subject->values[s->terms[i].field]))
			return 0;
	return 1;
}

int selector_is_literal(const struct selector *s)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->terms[i].negated || !glob_is_literal(s->terms[i].glob))
			return 0;
	return 1;
}
