/* loopmem top: the dashboard of a running session, the replay of a finished one. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/choice.h"
#include "profiler/cmd/command.h"
#include "profiler/cmd/native_names.h"
#include "profiler/cmd/open_session.h"
#include "tui/tui.h"

enum {
	KEY_PLAIN = 0x100,
	KEY_WIDTH,
	KEY_HEIGHT,
	KEY_SCREEN,
	KEY_AT,
	KEY_ASCII,
	KEY_GLYPHS,
	KEY_COLOR,
	KEY_NO_COLOR,
	KEY_NO_MOUSE,
	KEY_STOP,
	KEY_KEYS,
	KEY_LOG,
};

enum { SMALLEST = 3, LARGEST = 1000 };

struct arguments {
	struct tui_options tui;
	enum { SHOW, PRINT, PLAIN, LIST_KEYS } what;
	int roff;
};

static const struct argp_option options[] = {
	{"plain", KEY_PLAIN, NULL, 0, "no screen: a line at every event and every 30 s", 0},
	{"dump", '1', NULL, 0, "print one screen as text", 0},
	{"width", KEY_WIDTH, "N", 0, "columns of -1 (80)", 0},
	{"height", KEY_HEIGHT, "N", 0, "lines of -1 (24)", 0},
	{"screen", KEY_SCREEN, "overview|pools|processes|sites|findings|events|help", 0,
	 "the first screen", 0},
	{"at", KEY_AT, "TIME", 0, "open at a moment: 12:33, 90, e1, val1, peak, idle, start, end",
	 0},
	{"delay", 'd', "SECONDS", 0, "between frames, 0.1 to 60 (0.5)", 0},
	{"glyphs", KEY_GLYPHS, "auto|blocks|braille|ascii", 0, "what the chart is drawn with", 0},
	{"ascii", KEY_ASCII, NULL, 0, "no other characters than ASCII", 0},
	{"color", KEY_COLOR, "auto|never|8|16|256", 0, "colours", 0},
	{"no-color", KEY_NO_COLOR, NULL, 0, "as --color=never; so does the variable NO_COLOR", 0},
	{"no-mouse", KEY_NO_MOUSE, NULL, 0, "leave the mouse to the terminal", 0},
	{"stop-at-findings", KEY_STOP, NULL, 0, "replay stops at the worst moment of every error",
	 0},
	{"log", KEY_LOG, "FILE", 0, "show the end of FILE, what the program writes, below", 0},
	{"keys", KEY_KEYS, "text|roff", 0, "list the keys, for people or for the man page", 0},
	{0},
};

static const char *const glyph_names[] = {"auto", "blocks", "braille", "ascii", NULL};
static const char *const colour_names[] = {"auto", "never", "8", "16", "256", NULL};
static const char *const key_forms[] = {"text", "roff", NULL};

static int number(const char *text, const char *option, const struct argp_state *state)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || end == text || value < SMALLEST || value > LARGEST)
		command_misuse(state, "--%s takes a number from %d to %d", option, SMALLEST,
			       LARGEST);
	return (int)value;
}

static double delay(const char *text, const struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= 0.1 && value <= 60))
		command_misuse(state, "-d takes seconds, 0.1 to 60");
	return value;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case '1':
		a->what = PRINT;
		return 0;
	case KEY_PLAIN:
		a->what = PLAIN;
		return 0;
	case KEY_KEYS:
		a->what = LIST_KEYS;
		a->roff = option_choice(state, "--keys", text, key_forms);
		return 0;
	case KEY_WIDTH:
		a->tui.width = number(text, "width", state);
		return 0;
	case KEY_HEIGHT:
		a->tui.height = number(text, "height", state);
		return 0;
	case KEY_SCREEN:
		a->tui.screen = text;
		return 0;
	case KEY_AT:
		a->tui.at = text;
		return 0;
	case 'd':
		a->tui.delay_s = delay(text, state);
		return 0;
	case KEY_GLYPHS:
		a->tui.glyphs =
			(enum tui_glyphs)option_choice(state, "--glyphs", text, glyph_names);
		return 0;
	case KEY_ASCII:
		a->tui.glyphs = TUI_GLYPHS_ASCII;
		return 0;
	case KEY_COLOR:
		a->tui.colour =
			(enum tui_colour)option_choice(state, "--color", text, colour_names);
		return 0;
	case KEY_NO_COLOR:
		a->tui.colour = TUI_COLOUR_NEVER;
		return 0;
	case KEY_NO_MOUSE:
		a->tui.mouse = 0;
		return 0;
	case KEY_LOG:
		a->tui.log = text;
		return 0;
	case KEY_STOP:
		a->tui.stop_at_findings = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (a->tui.file)
			command_misuse(state, "one session at a time: \"%s\" is too much", text);
		a->tui.file = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_top_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[FILE]",
	.doc = "Shows a running session live, or plays a finished one back: how close the memory is to its limit, what is held for "
	       "nothing and by whom, the chart over time, pools, processes and findings. Without FILE it looks for a session "
	       "that is being written by a loopmem of yours.",
};

static int print(const struct arguments *a, struct error *e)
{
	int failed = a->what == PRINT ? tui_print(&a->tui, stdout, e)
				      : tui_plain(&a->tui, stdout, e);

	if (!failed && (fflush(stdout) || ferror(stdout)))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write");
	return failed;
}

int cmd_top(int argc, char **argv)
{
	struct arguments a = {.what = SHOW};
	struct error e = {0};
	int failed;

	setlocale(LC_CTYPE, "");
	tui_options_init(&a.tui);
	a.tui.collector_is_gone = collector_is_gone;
	a.tui.name_frames = native_names_of;
	command_parse(&cmd_top_argp, argc, argv, 0, &a);
	if (a.what == LIST_KEYS) {
		tui_print_keys(stdout, a.roff);
		return 0;
	}
	a.tui.config = a.what == SHOW;
	failed = a.what == SHOW ? tui_run(&a.tui, &e) : print(&a, &e);
	return failed < 0 ? command_failed(argv[0], &e) : 0;
}
