/*
 * term.h: the terminal, the only part that knows curses. One terminal a program: the state is file-static in term.c.
 *
 * term_open takes the alternate screen; every way out gives it back: term_close, exit, a fatal signal (SIGSEGV and its
 * kin), and the signals that term_wait reports. Between the two nothing else may write to the terminal.
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include "profiler/error.h"
#include "tui/cells.h"

enum term_colour {
	TERM_COLOUR_AUTO,
	TERM_COLOUR_NEVER,
	TERM_COLOUR_8,
	TERM_COLOUR_16,
	TERM_COLOUR_256
};

struct term_options {
	enum term_colour colour; /* AUTO: what the terminal has, and NO_COLOR */
	int mouse;               /* take the mouse; Shift keeps the terminal's own selection */
	int stop_group; /* ^Z stops the whole process group, as a shell's job; 0 = this process only */
};

/* 0, or ERROR_USAGE when standard input or output is no terminal or it cannot position the cursor. */
int term_open(const struct term_options *options, struct error *e);
void term_close(void);

enum palette term_palette(void);
void term_size(int *width, int *height);

/* Shows the grid; sends only what changed since the last call. 0, or -1 when out of memory. */
int term_show(const struct cells *cells);

/* Forgets what the terminal shows: the next term_show sends everything. */
void term_forget(void);

void term_mouse(int on);
void term_title(const char *title);

/* Asks the terminal to put `text` on the clipboard (OSC 52). Whether it does is not told. */
void term_copy(const char *text);

enum input_kind {
	INPUT_NONE, /* the time is over */
	INPUT_KEY,
	INPUT_MOUSE,
	INPUT_RESIZE, /* also after the program was stopped: draw all */
	INPUT_STOP,   /* SIGTSTP: call term_suspend */
	INPUT_END, /* SIGTERM, SIGINT …: `code` is its number; or the terminal is gone: SIGHUP */
};

enum mouse_kind { MOUSE_PRESS, MOUSE_DRAG, MOUSE_RELEASE, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };

struct input {
	enum input_kind kind;
	int code; /* of the key (keys.h); the signal's number */
	enum mouse_kind mouse;
	int y, x; /* of the mouse, from 0 */
};

/* Waits up to `timeout_ms` (-1 = for ever) for the next thing to happen. */
struct input term_wait(int timeout_ms);

/* Gives the terminal back and stops; returns when continued, with the screen taken again. */
void term_suspend(void);

#endif
