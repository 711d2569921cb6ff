/*
 * keys.h: what a key does. The table is keys.def; the codes are this program's own, so that nothing but term.c depends on
 * curses. A printable character is its code point.
 */
#ifndef TUI_KEYS_H
#define TUI_KEYS_H

enum key_code {
	CODE_TAB = '\t',
	CODE_ENTER = '\n',
	CODE_ESCAPE = 0x1b,
	CODE_BACKSPACE = 0x7f,
	CODE_FIRST_SPECIAL = 0x110000, /* after the last code point */
	CODE_LEFT,
	CODE_RIGHT,
	CODE_UP,
	CODE_DOWN,
	CODE_HOME,
	CODE_END,
	CODE_PAGE_UP,
	CODE_PAGE_DOWN,
	CODE_BACK_TAB,
	CODE_DELETE,
	CODE_F0, /* CODE_F(1) to CODE_F(12) follow */
	CODE_LAST_SPECIAL = CODE_F0 + 12
};

#define CODE_F(n)            (CODE_F0 + (n))
#define CODE_CONTROL(letter) ((letter) - '@')

enum action {
	ACTION_NONE,
#define GROUP(id, title)
#define ROW(keys, text)
#define KEY(code, action) ACTION_##action,
#define ALSO(code, action)
#define BAR(code, label)
#include "tui/keys.def"
#undef GROUP
#undef ROW
#undef KEY
#undef ALSO
#undef BAR
	ACTIONS
};

enum key_group {
#define GROUP(id, title) GROUP_##id,
#define ROW(keys, text)
#define KEY(code, action)
#define ALSO(code, action)
#define BAR(code, label)
#include "tui/keys.def"
#undef GROUP
#undef ROW
#undef KEY
#undef ALSO
#undef BAR
	GROUPS
};

/* A line of the table, in order; `kind` says which fields are set. */
struct key_entry {
	enum { KEY_GROUP, KEY_ROW, KEY_BINDING, KEY_BAR } kind;
	int code;           /* binding, bar */
	enum action action; /* binding */
	const char *keys;   /* row */
	const char *text;   /* group: its heading; row: what the keys do; bar: the label */
};

extern const struct key_entry key_entries[];
extern const int key_entry_count;

/* ACTION_NONE for a key that does nothing. */
enum action key_action(int code);

/* How a person writes the key: "F5", "^L", "Tab", "h"; in `buffer` or a constant. */
const char *key_text(int code, char *buffer, int size);

#endif
