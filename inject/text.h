/*
 * text.h: building short strings in the caller's buffer without stdio. What does not fit is cut; the
 * string always ends in a zero byte.
 */
#ifndef INJECT_TEXT_H
#define INJECT_TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
	char *at;
	char *end; /* the last byte of the buffer, kept for the zero */
};

static inline struct text text_into(char *buffer, size_t size)
{
	*buffer = '\0';
	return (struct text){buffer, buffer + size - 1};
}

static inline void text_put_char(struct text *text, char c)
{
	if (text->at < text->end)
		*text->at++ = c;
	*text->at = '\0';
}

static inline void text_put(struct text *text, const char *string)
{
	while (*string)
		text_put_char(text, *string++);
}

/* base 10 or 16 */
static inline void text_put_number(struct text *text, uint64_t number, unsigned int base)
{
	char digits[20];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[number % base];
		number /= base;
	} while (number);
	while (n)
		text_put_char(text, digits[--n]);
}

/* Copies `string` (NULL = nothing) into a field of the segment. */
static inline void text_copy(char *field, size_t size, const char *string)
{
	struct text text = text_into(field, size);

	text_put(&text, string ? string : "");
}

#endif
