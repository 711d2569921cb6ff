/* Names of subjects as keys spell them; see subject_name.h. */
#include "profiler/gate/subject_name.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/view/escape.h"

/* A label as a key takes it: in quotes when it holds more than names do. */
static const char *quoted(struct strings *s, const char *label)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:";
	char *text, *to;
	const char *kept;

	if (!label[strspn(label, plain)])
		return label;
	text = to = malloc(2 * strlen(label) + 3);
	if (!text) {
		s->failed = 1;
		return "";
	}
	*to++ = '"';
	for (; *label; label++) {
		if (*label == '"' || *label == '\\')
			*to++ = '\\';
		*to++ = *label;
	}
	strcpy(to, "\"");
	kept = strings_keep(s, text);
	free(text);
	return kept;
}

const char *subject_text(struct strings *s, const char *text)
{
	char *copy = escape_utf8(text);
	const char *kept = copy ? strings_keep(s, copy) : "";

	s->failed |= !copy;
	free(copy);
	return kept;
}

const char *subject_name(struct strings *s, const char *word, const char *stage,
			 const struct select_subject *fields, int several_ranks)
{
	const char *label = fields->values[SELECT_LABEL], *rank = fields->values[SELECT_RANK];
	int has_label = label && *label, has_rank = rank && several_ranks;

	return strings_format(s, "%s(%s%s%s%s%s)", word, stage, has_label ? ",label=" : "",
			      has_label ? quoted(s, label) : "", has_rank ? ",rank=" : "",
			      has_rank ? rank : "");
}

const char *subject_number(struct strings *s, int64_t value)
{
	return value == MODEL_NONE ? NULL : strings_format(s, "%lld", (long long)value);
}
