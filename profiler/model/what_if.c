/* Reads the question of a what-if: KEY[(STAGE)]=NUMBER, separated by commas. */
#include "profiler/model/what_if.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Where the reader is in the text. */
struct question {
	const char *text, *at;
	struct what_if *what;
	struct error *error;
};

static const struct key {
	const char *name;
	int64_t most;
	size_t offset; /* of its numbers by stage */
} keys[] = {
	{"workers", WHAT_IF_WORKERS_MOST, offsetof(struct what_if, workers)},
	{"prefetch", WHAT_IF_PREFETCH_MOST, offsetof(struct what_if, prefetch)},
};

/* `length` characters at `from` are wrong. */
static int wrong(struct question *q, const char *from, size_t length, const char *why)
{
	if (length)
		error_set(q->error, ERROR_USAGE, "--what-if \"%s\", character %d: \"%.*s\" %s",
			  q->text, (int)(from - q->text) + 1, (int)length, from, why);
	else
		error_set(q->error, ERROR_USAGE, "--what-if \"%s\", character %d: %s", q->text,
			  (int)(from - q->text) + 1, why);
	error_hint(q->error,
		   "write --what-if workers=8,prefetch=4 or, for one stage, workers(train)=8");
	return ERROR_USAGE;
}

static int read_key(struct question *q, const struct key **key)
{
	size_t length = strcspn(q->at, "(=,");

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (strlen(keys[i].name) != length || strncmp(keys[i].name, q->at, length))
			continue;
		*key = &keys[i];
		q->at += length;
		return 0;
	}
	return wrong(q, q->at, length,
		     length ? "is neither workers nor prefetch" : "workers or prefetch is missing");
}

/* "(train)", or nothing: -1. */
static int read_stage(struct question *q, int *stage)
{
	size_t length;

	*stage = -1;
	if (*q->at != '(')
		return 0;
	length = strcspn(++q->at, ")=,");
	if (q->at[length] != ')')
		return wrong(q, q->at + length, 0, "a \")\" is missing");
	for (int i = 0; i < MODEL_STAGES; i++) {
		const char *name = model_stage_name((enum model_stage)i);

		if (strlen(name) == length && !strncmp(name, q->at, length))
			*stage = i;
	}
	if (*stage < 0)
		return wrong(q, q->at, length,
			     "is no stage: train, sanity, validate, test, predict and other are");
	q->at += length + 1;
	return 0;
}

static int read_number(struct question *q, const struct key *key, int64_t *value)
{
	char *end = NULL;
	size_t length;

	if (*q->at != '=')
		return wrong(q, q->at, 0, "\"=\" and a number are missing");
	length = strcspn(++q->at, ",");
	*value = isdigit((unsigned char)*q->at) ? strtoll(q->at, &end, 10) : 0;
	if (end != q->at + length || *value < 1 || *value > key->most)
		return wrong(q, q->at, length,
			     length ? "is no number from 1 to 1024" : "a number is missing");
	q->at += length;
	return 0;
}

static int read_word(struct question *q)
{
	const struct key *key = NULL;
	int64_t value = 0, *numbers;
	int stage = -1;

	if (read_key(q, &key) || read_stage(q, &stage) || read_number(q, key, &value))
		return ERROR_USAGE;
	numbers = (int64_t *)(void *)((char *)q->what + key->offset);
	for (int i = 0; i < MODEL_STAGES; i++)
		if (stage < 0 || stage == i)
			numbers[i] = value;
	return 0;
}

int what_if_parse(struct what_if *w, const char *text, struct error *e)
{
	struct question q = {.text = text, .at = text, .what = w, .error = e};

	_Static_assert(WHAT_IF_WORKERS_MOST == 1024 && WHAT_IF_PREFETCH_MOST == 1024,
		       "told in words");
	for (int i = 0; i < MODEL_STAGES; i++)
		w->workers[i] = w->prefetch[i] = MODEL_NONE;
	while (!read_word(&q)) {
		if (!*q.at)
			return 0;
		q.at++; /* the comma */
	}
	return ERROR_USAGE;
}
