/*
 * python_layout.c: chooses the layout of the interpreter's frames, and reads its strings in place.
 */
#include "inject/python_layout.h"

#include <dlfcn.h>

#include "inject/loaded.h"
#include "inject/python_api.h"

static const struct python_layout layouts[] = {
#define PYTHON_STACK(minor, ...) {minor, __VA_ARGS__},
#define PYTHON_DEBUG_OFFSETS(minor, thread, frame, code)
#include "inject/python_stack.def"
#undef PYTHON_STACK
#undef PYTHON_DEBUG_OFFSETS
};

/* Where the groups of _Py_DebugOffsets begin, in words. */
static const struct groups {
	int minor;
	int thread, frame, code;
} groups[] = {
#define PYTHON_STACK(minor, ...)
#define PYTHON_DEBUG_OFFSETS(minor, thread, frame, code) {minor, thread, frame, code},
#include "inject/python_stack.def"
#undef PYTHON_STACK
#undef PYTHON_DEBUG_OFFSETS
};

/* Words before the groups, and in a group. New ones came at the ends of groups so far. */
enum {
	WORD_COOKIE = 0,
	WORD_VERSION = 1,
	WORD_FREE_THREADED = 2,
	THREAD_TOP = 4,
	FRAME_BACK = 1,
	FRAME_CODE = 2,
	FRAME_INSTRUCTION = 3,
	FRAME_OWNER = 5,
	CODE_FILENAME = 1,
	CODE_NAME = 2,
	CODE_QUALNAME = 3,
	CODE_LINETABLE = 4,
	CODE_FIRSTLINENO = 5,
	CODE_BYTECODE = 9,
};

static void take_groups(struct python_layout *layout, const uint64_t *words,
			const struct groups *at)
{
	const uint64_t *frame = words + at->frame, *code = words + at->code;

	layout->top = (int)words[at->thread + THREAD_TOP];
	layout->back = (int)frame[FRAME_BACK];
	layout->code = (int)frame[FRAME_CODE];
	layout->instruction = (int)frame[FRAME_INSTRUCTION];
	layout->owner = (int)frame[FRAME_OWNER];
	layout->filename = (int)code[CODE_FILENAME];
	layout->name = (int)code[CODE_NAME];
	layout->qualname = (int)code[CODE_QUALNAME];
	layout->linetable = (int)code[CODE_LINETABLE];
	layout->firstlineno = (int)code[CODE_FIRSTLINENO];
	layout->bytecode = (int)code[CODE_BYTECODE];
}

static const char *take_debug_offsets(struct python_layout *layout)
{
	const uint64_t *words = loaded_first("_PyRuntime") ? dlsym(RTLD_DEFAULT, "_PyRuntime")
							   : NULL;

	if (!words || memcmp(&words[WORD_COOKIE], "xdebugpy", 8))
		return "this Python does not say where its frames are";
	if ((uint32_t)words[WORD_VERSION] != python_api_version())
		return "this Python says nothing certain about its frames";
	if (words[WORD_FREE_THREADED])
		return "this Python is free-threaded";
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (groups[i].minor == layout->minor)
			take_groups(layout, words, &groups[i]);
	return NULL;
}

const char *python_layout_find(struct python_layout *layout)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		if (layouts[i].minor != python_api_minor())
			continue;
		*layout = layouts[i];
		return layout->minor >= 13 ? take_debug_offsets(layout) : NULL;
	}
	return "the frames of this version of Python are not known";
}

/* -- strings --------------------------------------------------------------------------------- */

/* The state word of a str: how wide its characters are, and where. */
enum {
	STR_LENGTH = 16,
	STR_STATE = 32,
	STATE_KIND_SHIFT = 2,
	STATE_KIND_MASK = 7,
	STATE_COMPACT = 1 << 5,
	STATE_ASCII = 1 << 6,
};

static uint32_t character(const char *data, unsigned int kind, size_t i)
{
	uint32_t wide;
	uint16_t half;

	if (kind == 1)
		return (uint8_t)data[i];
	if (kind == 2) {
		memcpy(&half, data + 2 * i, sizeof(half));
		return half;
	}
	memcpy(&wide, data + 4 * i, sizeof(wide));
	return wide;
}

/* Returns the bytes of a character, 1 to 4. */
static size_t encode(uint32_t c, char out[4])
{
	if (c >= 0xd800 && c < 0xe000)
		c = '?';
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 63));
		out[2] = (char)(0x80 | (c & 63));
		return 3;
	}
	out[0] = (char)(0xf0 | (c >> 18 & 7));
	out[1] = (char)(0x80 | (c >> 12 & 63));
	out[2] = (char)(0x80 | (c >> 6 & 63));
	out[3] = (char)(0x80 | (c & 63));
	return 4;
}

static const char *data_of(const struct python_layout *layout, const char *str, unsigned int state)
{
	if (!(state & STATE_COMPACT))
		return python_word(str, layout->wide);
	return str + (state & STATE_ASCII ? layout->ascii : layout->wide);
}

size_t python_text(const struct python_layout *layout, const char *str, char *out, size_t size)
{
	unsigned int state = (unsigned int)python_int(str, STR_STATE);
	unsigned int kind = state >> STATE_KIND_SHIFT & STATE_KIND_MASK;
	size_t length = (size_t)python_word(str, STR_LENGTH), used = 0;
	const char *data = data_of(layout, str, state);
	char bytes[4];

	if (!data || (kind != 1 && kind != 2 && kind != 4))
		return 0;
	for (size_t i = 0; i < length; i++) {
		size_t n = encode(character(data, kind, i), bytes);
		if (used + n > size)
			break;
		memcpy(out + used, bytes, n);
		used += n;
	}
	return used;
}
