/*
 * python_layout.h: the row of python_stack.def that holds for the running interpreter, and reading by it.
 */
#ifndef INJECT_PYTHON_LAYOUT_H
#define INJECT_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct python_layout {
	int minor;
	int top, current, cframe, cframe_next;
	int back, code, instruction, owner, entry, object_frame;
	int filename, name, qualname, firstlineno, linetable, bytecode, traceable;
	int ascii, wide;
};

/* Fills `layout`, from 3.13 on from what the interpreter says of itself. NULL, or why it is not known. */
const char *python_layout_find(struct python_layout *layout);

static inline char *python_word(const char *object, int offset)
{
	char *word;

	memcpy(&word, object + offset, sizeof(word));
	return word;
}

static inline int python_int(const char *object, int offset)
{
	int value;

	memcpy(&value, object + offset, sizeof(value));
	return value;
}

/* The code of a frame. From 3.14 on the word is a reference with a tag in its low bits. */
static inline char *python_code(const struct python_layout *layout, char *word)
{
	return layout->minor >= 14 ? (char *)((uintptr_t)word & ~(uintptr_t)3) : word;
}

/* Writes a str as UTF-8, cut at `size`. Returns the bytes. What UTF-8 has no form for becomes '?'. */
size_t python_text(const struct python_layout *layout, const char *str, char *out, size_t size);

#endif
