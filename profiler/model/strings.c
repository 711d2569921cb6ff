/* A set of strings: FNV-1a, linear probing, at most half full. */
#include "profiler/model/strings.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t hash(const char *text)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return h;
}

static char **slot_of(char **slots, size_t capacity, const char *text)
{
	size_t i = hash(text) & (capacity - 1);

	while (slots[i] && strcmp(slots[i], text))
		i = (i + 1) & (capacity - 1);
	return &slots[i];
}

static int grow(struct strings *s)
{
	size_t larger = s->capacity ? s->capacity * 2 : 64;
	char **slots = calloc(larger, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < s->capacity; i++)
		if (s->slots[i])
			*slot_of(slots, larger, s->slots[i]) = s->slots[i];
	free(s->slots);
	s->slots = slots;
	s->capacity = larger;
	return 0;
}

static const char *lost(struct strings *s)
{
	s->failed = 1;
	return "";
}

const char *strings_keep(struct strings *s, const char *text)
{
	char **slot;

	if (!text)
		return NULL;
	if (s->count * 2 >= s->capacity && grow(s) < 0)
		return lost(s);
	slot = slot_of(s->slots, s->capacity, text);
	if (!*slot) {
		*slot = strdup(text);
		if (!*slot)
			return lost(s);
		s->count++;
	}
	return *slot;
}

const char *strings_vformat(struct strings *s, const char *format, va_list args)
{
	const char *kept;
	char *text;

	if (vasprintf(&text, format, args) < 0)
		return lost(s);
	kept = strings_keep(s, text);
	free(text);
	return kept;
}

const char *strings_format(struct strings *s, const char *format, ...)
{
	const char *kept;
	va_list args;

	va_start(args, format);
	kept = strings_vformat(s, format, args);
	va_end(args);
	return kept;
}

void strings_release(struct strings *s)
{
	for (size_t i = 0; i < s->capacity; i++)
		free(s->slots[i]);
	free(s->slots);
	memset(s, 0, sizeof(*s));
}
