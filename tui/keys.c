/* The key table, from keys.def. */
#include "tui/keys.h"

#include <stddef.h>
#include <stdio.h>
#include <wchar.h>

#define GROUP(id, title)    {.kind = KEY_GROUP, .text = title},
#define ROW(shown, meaning) {.kind = KEY_ROW, .keys = shown, .text = meaning},
#define KEY(key, act)       {.kind = KEY_BINDING, .code = key, .action = ACTION_##act},
#define ALSO(key, act)      KEY(key, act)
#define BAR(key, label)     {.kind = KEY_BAR, .code = key, .text = label},

const struct key_entry key_entries[] = {
#include "tui/keys.def"
};

const int key_entry_count = sizeof(key_entries) / sizeof(key_entries[0]);

enum action key_action(int code)
{
	if (code == '\r')
		code = CODE_ENTER;
	if (code == CODE_CONTROL('H'))
		code = CODE_BACKSPACE;
	for (int i = 0; i < key_entry_count; i++)
		if (key_entries[i].kind == KEY_BINDING && key_entries[i].code == code)
			return key_entries[i].action;
	return ACTION_NONE;
}

static const struct {
	int code;
	const char *name;
} names[] = {
	{CODE_TAB, "Tab"},        {CODE_ENTER, "Enter"},    {CODE_ESCAPE, "Esc"},
	{CODE_BACKSPACE, "Bksp"}, {' ', "Space"},           {CODE_LEFT, "←"},
	{CODE_RIGHT, "→"},        {CODE_UP, "↑"},           {CODE_DOWN, "↓"},
	{CODE_HOME, "Home"},      {CODE_END, "End"},        {CODE_PAGE_UP, "PgUp"},
	{CODE_PAGE_DOWN, "PgDn"}, {CODE_BACK_TAB, "S-Tab"}, {CODE_DELETE, "Del"},
};

const char *key_text(int code, char *buffer, int size)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].code == code)
			return names[i].name;
	if (code > CODE_F0 && code <= CODE_LAST_SPECIAL)
		snprintf(buffer, (size_t)size, "F%d", code - CODE_F0);
	else if (code > 0 && code < ' ')
		snprintf(buffer, (size_t)size, "^%c", code + '@');
	else if (code < CODE_FIRST_SPECIAL)
		snprintf(buffer, (size_t)size, "%lc", (wint_t)code);
	else
		snprintf(buffer, (size_t)size, "?");
	return buffer;
}
