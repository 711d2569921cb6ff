/* Parser of "key value" lines: see the header. */
#include "profiler/collect/keyed_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* 1 and the value when the line holds a number. */
static int parse_value(const char *text, const char *line_end, int64_t *out)
{
	char *end;
	int64_t value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || end > line_end || errno)
		return 0;
	while (end < line_end && *end == ' ')
		end++;
	if (line_end - end >= 2 && !memcmp(end, "kB", 2))
		value = value > INT64_MAX / 1024 ? INT64_MAX : value * 1024;
	*out = value;
	return 1;
}

int keyed_text_parse(const char *text, const struct keyed_field *fields, size_t count, void *out)
{
	int found = 0;

	for (size_t i = 0; i < count; i++)
		*(int64_t *)((char *)out + fields[i].offset) = KEYED_ABSENT;
	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t key_size = strcspn(text, ": \t\n");

		for (size_t i = 0; i < count; i++) {
			int64_t *field = (int64_t *)((char *)out + fields[i].offset);

			if (strncmp(fields[i].key, text, key_size) || fields[i].key[key_size])
				continue;
			if (*field == KEYED_ABSENT && text + key_size < end)
				found += parse_value(text + key_size + 1, end, field);
			break;
		}
		text = *end ? end + 1 : end;
	}
	return found;
}
