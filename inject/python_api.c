/*
 * python_api.c: finds the interpreter's functions by name. Names are chosen by version, so that no
 * name is looked up that a version does not have.
 */
#include "inject/python_api.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "inject/loaded.h"
#include "inject/text.h"

struct python_api py;    /* written once, before python_boot.c hands it on */
static uint32_t version; /* PY_VERSION_HEX */

static const struct {
	int from, to;
	const char *name;
	size_t offset;
} symbols[] = {
#define PY(from, to, ret, name, parameters) {from, to, #name, offsetof(struct python_api, name)},
#define PY_DATA(name)                       {8, 99, #name, offsetof(struct python_api, name)},
#include "inject/python_api.def"
#undef PY
#undef PY_DATA
};

/* The oldest and newest minor versions this was tried with. */
enum { OLDEST_MINOR = 8, NEWEST_MINOR = 15 };

static uint32_t number(const char **text)
{
	uint32_t value = 0;

	while (**text >= '0' && **text <= '9' && value < 1000)
		value = value * 10 + (uint32_t)(*(*text)++ - '0');
	return value;
}

/* "3.13.0rc1 (main, ..." as PY_VERSION_HEX. */
static uint32_t parse_version(const char *text)
{
	static const struct {
		const char *mark;
		uint32_t level;
	} levels[] = {{"a", 0xa0}, {"b", 0xb0}, {"rc", 0xc0}};
	uint32_t hex = number(&text) << 24;

	if (*text++ != '.')
		return 0;
	hex |= number(&text) << 16;
	if (*text++ != '.')
		return 0;
	hex |= number(&text) << 8;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		size_t length = strlen(levels[i].mark);
		if (strncmp(text, levels[i].mark, length) == 0) {
			text += length;
			return hex | levels[i].level | number(&text);
		}
	}
	return hex | 0xf0;
}

static const char *why_not(const char *text)
{
	int minor = python_api_minor();

	if (version >> 24 != 3 || minor < OLDEST_MINOR)
		return "this Python is older than 3.8";
	if (minor > NEWEST_MINOR)
		return "this Python is newer than 3.15";
	if (strstr(text, "free-threading"))
		return "this Python is free-threaded";
	return NULL;
}

static const char *lacks(const char *name)
{
	static char text[64];
	struct text out = text_into(text, sizeof(text));

	text_put(&out, "this Python has no ");
	text_put(&out, name);
	return text;
}

enum python_found python_api_find(const char **reason)
{
	const char *(*get_version)(void);
	int minor;

	if (!loaded_first("Py_GetVersion"))
		return PYTHON_NONE;
	get_version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
	if (!get_version)
		return PYTHON_NONE;
	version = parse_version(get_version());
	minor = python_api_minor();
	*reason = why_not(get_version());
	for (size_t i = 0; !*reason && i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found;
		if (minor < symbols[i].from || minor > symbols[i].to)
			continue;
		found = dlsym(RTLD_DEFAULT, symbols[i].name);
		if (!found)
			*reason = lacks(symbols[i].name);
		memcpy((char *)&py + symbols[i].offset, &found, sizeof(found));
	}
	return *reason ? PYTHON_UNSUPPORTED : PYTHON_FOUND;
}

uint32_t python_api_version(void)
{
	return version;
}

int python_api_minor(void)
{
	return (int)(version >> 16 & 0xff);
}

/* Up to 3.11 the current thread state is whoever's holds the GIL: it must be this thread's as
 * well. */
static bool holds_gil(void)
{
	int minor = python_api_minor();

	if (minor >= 13)
		return py.PyThreadState_GetUnchecked() != NULL;
	if (minor == 12)
		return py._PyThreadState_UncheckedGet() != NULL;
	return py._PyThreadState_UncheckedGet() != NULL &&
	       py._PyThreadState_UncheckedGet() == py.PyGILState_GetThisThreadState();
}

bool python_api_is_ours(void)
{
	if (!py.Py_IsInitialized() || !holds_gil())
		return false;
	/* 3.8 has one queue of calls for all interpreters. */
	return python_api_minor() < 9 ||
	       py.PyInterpreterState_Get() == py.PyInterpreterState_Main();
}
