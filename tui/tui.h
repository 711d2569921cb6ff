/*
 * tui.h: the dashboard, as `loopmem top` and `loopmem run --top` see it. It reads a session through the model and nothing
 * else: no key, failure or delay of it reaches the program it watches.
 *
 * setlocale() must have been called. All three return a negative error_kind with the message in `e` when they fail.
 */
#ifndef TUI_TUI_H
#define TUI_TUI_H

#include <stdint.h>
#include <stdio.h>

#include "profiler/error.h"
#include "profiler/model/model.h"

enum tui_glyphs { TUI_GLYPHS_AUTO, TUI_GLYPHS_BLOCKS, TUI_GLYPHS_BRAILLE, TUI_GLYPHS_ASCII };
enum tui_colour { TUI_COLOUR_AUTO, TUI_COLOUR_NEVER, TUI_COLOUR_8, TUI_COLOUR_16, TUI_COLOUR_256 };

struct tui_options {
	const char *
		file; /* NULL: a running session of this user, chosen on the screen if there are several */
	const char *screen; /* name or number to open with; NULL = overview */
	const char *at; /* moment to open at, as key `b` reads it; NULL = by the kind of session */
	enum tui_glyphs glyphs;
	enum tui_colour colour;
	double delay_s; /* between frames, 0.1 to 60 */
	int mouse;
	int stop_at_findings; /* replay stops at the worst moment of each error */
	int width, height;    /* tui_print only; 0 = 80 x 24 */
	const char
		*log; /* what the program writes: its last lines are shown on the overview; NULL */
	int shares_terminal; /* the terminal is that of the run itself: ^Z would stop it, so it does nothing */
	int config; /* read and write the person's own settings (top.conf) */
	/* 1 = nobody writes this session any more, though it was never closed; NULL = cannot be told */
	int (*collector_is_gone)(const struct model *m);
	/* names native frames of a session that is not closed: all, or in a `hurry` those of one module, at most a third of a second long;
	 * 1 = there may be more; NULL = cannot */
	int (*name_frames)(struct model *m, int hurry);
};

/* The defaults: automatic, half a second, mouse. */
void tui_options_init(struct tui_options *options);

/* The dashboard, until the person leaves it (0) or a signal ends it (its number). */
int tui_run(const struct tui_options *options, struct error *e);

/* One screen as text. */
int tui_print(const struct tui_options *options, FILE *out, struct error *e);

/* No screen control: a line at every event and every 30 s, until the session ends. */
int tui_plain(const struct tui_options *options, FILE *out, struct error *e);

/* The key table; `roff` = as a part of a man page. */
void tui_print_keys(FILE *out, int roff);

#endif
