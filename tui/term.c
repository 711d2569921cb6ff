/*
 * The terminal. Curses draws and decodes keys; the mouse (SGR 1006), the title and the clipboard are asked for with
 * xterm's sequences, only where terminfo knows of a mouse.
 *
 * File-static state, all of it here: one terminal a program. `restore` is read by a signal handler, so it is complete
 * before the handlers are set and does not change until they are gone. Signals that steer the program are blocked and read from a
 * descriptor, so no handler of ours or of curses runs in the middle of anything.
 */
#include "tui/term.h"

#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* curses.h names single keys KEY_F(n), KEY_UP …; ours are CODE_… */
#include "tui/keys.h"

#define MOUSE_ON   "\033[?1002h\033[?1006h"
#define MOUSE_OFF  "\033[?1006l\033[?1002l"
#define TITLE_PUSH "\033[22;2t"
#define TITLE_POP  "\033[23;2t"

enum { MOUSE_CODE = KEY_MAX + 1, ESCAPE_MS = 25 };

static const int steering[] = {SIGWINCH, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

enum {
	STEERING = sizeof(steering) / sizeof(steering[0]),
	FATAL = sizeof(fatal) / sizeof(fatal[0])
};

static struct {
	SCREEN *screen;
	struct term_options options;
	enum palette palette;
	int xterm; /* understands xterm's sequences */
	int titled;
	int signals; /* signalfd */
	sigset_t mask_before;
	struct cells shown; /* what the terminal shows */
	struct termios modes_before;
	struct sigaction fatal_before[FATAL];
	char restore[256];
	size_t restore_length;
} term = {.signals = -1};

static void send(const char *sequence)
{
	size_t length = strlen(sequence);

	while (length) {
		ssize_t n = write(STDOUT_FILENO, sequence, length);

		if (n <= 0)
			return; /* gone: term_wait will see it */
		sequence += n;
		length -= (size_t)n;
	}
}

/* ---- the way out ------------------------------------------------------------------------------ */

static void on_fatal(int number)
{
	ssize_t ignored = write(STDOUT_FILENO, term.restore, term.restore_length);

	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &term.modes_before);
	for (int i = 0; i < FATAL; i++)
		if (fatal[i] == number)
			sigaction(number, &term.fatal_before[i], NULL);
	raise(number); /* delivered on return: the death the program was to die, or the sanitizer's report */
}

static void prepare_restore(void)
{
	const char *parts[] = {
		term.xterm ? MOUSE_OFF TITLE_POP : NULL,
		exit_attribute_mode,
		cursor_normal,
		exit_ca_mode,
		keypad_local,
	};

	term.restore[0] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (parts[i] && strlen(term.restore) + strlen(parts[i]) < sizeof(term.restore))
			strcat(term.restore, parts[i]);
	term.restore_length = strlen(term.restore);
}

static void catch_fatal(void)
{
	struct sigaction action = {.sa_handler = on_fatal, .sa_flags = SA_RESETHAND};

	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &action, &term.fatal_before[i]);
}

static void release_fatal(void)
{
	for (int i = 0; i < FATAL; i++)
		sigaction(fatal[i], &term.fatal_before[i], NULL);
}

/* ---- opening ---------------------------------------------------------------------------------- */

static int refuse(struct error *e, const char *why)
{
	error_set(e, ERROR_USAGE, "no screen: %s", why);
	error_hint(e,
		   "one screen as text: loopmem top -1     a line per event: loopmem top --plain");
	return e->kind;
}

/* Takes the steering signals out of their handlers' hands. */
static int take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < STEERING; i++)
		sigaddset(&set, steering[i]);
	sigprocmask(SIG_BLOCK, &set, &term.mask_before);
	term.signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return term.signals;
}

static enum palette choose_palette(enum term_colour wanted)
{
	static const int colours_of[] = {[TERM_COLOUR_AUTO] = 256,
					 [TERM_COLOUR_8] = 8,
					 [TERM_COLOUR_16] = 16,
					 [TERM_COLOUR_256] = 256};
	const char *no_color = getenv("NO_COLOR");
	int most;

	if (wanted == TERM_COLOUR_NEVER || (wanted == TERM_COLOUR_AUTO && no_color && *no_color))
		return PALETTE_MONO;
	if (!has_colors() || start_color() == ERR || use_default_colors() == ERR)
		return PALETTE_MONO;
	most = colours_of[wanted] < COLORS ? colours_of[wanted] : COLORS;
	if (most >= 256)
		return PALETTE_256;
	return most >= 16 ? PALETTE_16 : most >= 8 ? PALETTE_8 : PALETTE_MONO;
}

static void take_modes(void)
{
	raw();
	noecho();
	nonl();
	intrflush(stdscr, FALSE);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	if (term.xterm)
		define_key("\033[<", MOUSE_CODE);
}

static void make_pairs(void)
{
	if (term.palette == PALETTE_MONO)
		return;
	for (int role = 0; role < ROLES; role++)
		init_pair((short)(role + 1), role_ink(term.palette, role, 0).colour, -1);
}

int term_open(const struct term_options *options, struct error *e)
{
	const char *name = getenv("TERM");
	TERMINAL *asked;
	int status;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return refuse(e, "standard input and output are not a terminal");
	if (setupterm(name, STDOUT_FILENO, &status) == ERR)
		return refuse(e, "the terminal's kind (TERM) is unknown");
	if (!cursor_address)
		return refuse(e, "this kind of terminal (TERM) cannot position the cursor");
	term.options = *options;
	/* a terminal with a mouse speaks xterm, but for the console, whose mouse is another program */
	term.xterm = key_mouse && strncmp(name, "linux", 5);
	tcgetattr(STDIN_FILENO, &term.modes_before);
	if (take_signals() < 0)
		return error_set(e, ERROR_SYSTEM, "cannot make a descriptor for signals");
	set_escdelay(ESCAPE_MS);
	asked = cur_term;
	term.screen =
		newterm(name, stdout, stdin); /* reads the description once more, as its own */
	if (cur_term != asked)
		del_curterm(asked);
	if (!term.screen) {
		term_close();
		return refuse(e, "the terminal cannot be set up");
	}
	prepare_restore();
	catch_fatal();
	take_modes();
	term.palette = choose_palette(options->colour);
	make_pairs();
	term_mouse(options->mouse);
	return 0;
}

void term_close(void)
{
	if (term.screen) {
		term_mouse(0);
		if (term.titled)
			send(TITLE_POP);
		release_fatal();
		endwin();
		delscreen(term.screen);
	}
	if (term.signals >= 0) {
		close(term.signals);
		sigprocmask(SIG_SETMASK, &term.mask_before, NULL);
	}
	cells_release(&term.shown);
	memset(&term, 0, sizeof(term));
	term.signals = -1;
}

enum palette term_palette(void)
{
	return term.palette;
}

void term_size(int *width, int *height)
{
	getmaxyx(stdscr, *height, *width);
}

/* ---- output ------------------------------------------------------------------------------------ */

static void show_cell(const struct cell *cell, int y, int x)
{
	struct ink ink = role_ink(term.palette, cell->role, cell->over);
	short pair = term.palette == PALETTE_MONO ? 0 : (short)(cell->role + 1);
	wchar_t text[2] = {cell->ch, 0};
	attr_t attributes = A_NORMAL;
	cchar_t out;

	if (ink.attributes & INK_BOLD)
		attributes |= A_BOLD;
	if (ink.attributes & INK_UNDERLINE)
		attributes |= A_UNDERLINE;
	if (ink.attributes & INK_REVERSE)
		attributes |= A_REVERSE;
	setcchar(&out, text, attributes, pair, NULL);
	mvadd_wch(y, x, &out);
}

static int same_cell(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->role == b->role && a->over == b->over;
}

int term_show(const struct cells *cells)
{
	int all = cells->width != term.shown.width || cells->height != term.shown.height;

	if (all && cells_resize(&term.shown, cells->width, cells->height))
		return -1;
	if (all)
		erase();
	for (int y = 0; y < cells->height; y++)
		for (int x = 0; x < cells->width; x++) {
			const struct cell *cell = cells_at(cells, y, x);
			struct cell *shown = cells_at(&term.shown, y, x);

			if (!all && same_cell(cell, shown))
				continue;
			*shown = *cell;
			if (cell->ch)
				show_cell(cell, y, x);
		}
	refresh();
	return 0;
}

void term_forget(void)
{
	cells_release(&term.shown);
	clearok(curscr, TRUE);
}

void term_mouse(int on)
{
	if (term.xterm)
		send(on ? MOUSE_ON : MOUSE_OFF);
	term.options.mouse = on;
}

void term_title(const char *title)
{
	char sequence[160];
	int length;

	if (!term.xterm)
		return;
	if (!term.titled)
		send(TITLE_PUSH);
	term.titled = 1;
	length = snprintf(sequence, sizeof(sequence), "\033]2;%.120s", title);
	for (int i = 4; i < length; i++)
		if ((unsigned char)sequence[i] < ' ' || sequence[i] == 0x7f)
			sequence[i] = '?';
	strcat(sequence, "\033\\");
	send(sequence);
}

void term_copy(const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t length = strlen(text);

	if (!term.xterm)
		return;
	send("\033]52;c;");
	for (size_t i = 0; i < length; i += 3) {
		unsigned bits = 0;
		char out[5] = "====";

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (i + k < length ? (unsigned char)text[i + k] : 0);
		for (size_t k = 0; k < 4 && i + k <= length; k++)
			out[k] = digits[bits >> (18 - 6 * k) & 63];
		send(out);
	}
	send("\033\\");
}

/* ---- input --------------------------------------------------------------------------------------- */

static const struct {
	int curses, code;
} specials[] = {
	{KEY_LEFT, CODE_LEFT},
	{KEY_RIGHT, CODE_RIGHT},
	{KEY_UP, CODE_UP},
	{KEY_DOWN, CODE_DOWN},
	{KEY_HOME, CODE_HOME},
	{KEY_END, CODE_END},
	{KEY_PPAGE, CODE_PAGE_UP},
	{KEY_NPAGE, CODE_PAGE_DOWN},
	{KEY_BTAB, CODE_BACK_TAB},
	{KEY_DC, CODE_DELETE},
	{KEY_BACKSPACE, CODE_BACKSPACE},
	{KEY_ENTER, CODE_ENTER},
	{KEY_A1, CODE_HOME},
	{KEY_C1, CODE_END},
	{KEY_A3, CODE_PAGE_UP},
	{KEY_C3, CODE_PAGE_DOWN},
};

static int code_of(int curses)
{
	for (int n = 1; n <= 12; n++)
		if (curses == KEY_F(n))
			return CODE_F(n);
	for (size_t i = 0; i < sizeof(specials) / sizeof(specials[0]); i++)
		if (specials[i].curses == curses)
			return specials[i].code;
	return CODE_LAST_SPECIAL + 1; /* a key this program does not know */
}

/* The rest of an SGR mouse report, "button;column;rowM" or "...m" for a release. */
static struct input read_mouse(void)
{
	struct input input = {.kind = INPUT_MOUSE};
	int values[3] = {0}, n = 0, ch;

	timeout(ESCAPE_MS);
	while ((ch = getch()) != ERR && ch != 'M' && ch != 'm') {
		if (ch == ';' && n < 2)
			n++;
		else if (ch >= '0' && ch <= '9' && values[n] < 100000)
			values[n] = values[n] * 10 + ch - '0';
		else
			break; /* not a report */
	}
	nodelay(stdscr, TRUE);
	input.x = values[1] - 1;
	input.y = values[2] - 1;
	if (ch != 'M' && ch != 'm')
		input.kind = INPUT_NONE;
	else if (values[0] & 64)
		input.mouse = values[0] & 1 ? MOUSE_WHEEL_DOWN : MOUSE_WHEEL_UP;
	else if ((values[0] & 3) != 0)
		input.kind = INPUT_NONE; /* only the left button means something */
	else
		input.mouse = ch == 'm' ? MOUSE_RELEASE : values[0] & 32 ? MOUSE_DRAG : MOUSE_PRESS;
	return input;
}

/* The next key that is here already, or INPUT_NONE. */
static struct input read_key(void)
{
	wint_t ch;
	int kind = get_wch(&ch);

	if (kind == ERR)
		return (struct input){.kind = INPUT_NONE};
	if (kind == KEY_CODE_YES && ch == MOUSE_CODE)
		return read_mouse();
	return (struct input){.kind = INPUT_KEY,
			      .code = kind == KEY_CODE_YES ? code_of((int)ch)
				      : ch == '\r'         ? '\n'
							   : (int)ch};
}

static void take_size(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		resize_term(size.ws_row,
			    size.ws_col); /* resizeterm would type KEY_RESIZE as well */
}

/* The terminal may have been used by others: take its modes and draw all. */
static void take_again(void)
{
	reset_prog_mode();
	take_modes();
	take_size();
	term_mouse(term.options.mouse);
	term_forget();
}

static struct input read_signal(void)
{
	struct signalfd_siginfo info;

	if (read(term.signals, &info, sizeof(info)) != sizeof(info))
		return (struct input){.kind = INPUT_NONE};
	switch (info.ssi_signo) {
	case SIGWINCH:
		take_size();
		term_forget();
		return (struct input){.kind = INPUT_RESIZE};
	case SIGCONT:
		take_again();
		return (struct input){.kind = INPUT_RESIZE};
	case SIGTSTP:
		return (struct input){.kind = INPUT_STOP};
	default:
		return (struct input){.kind = INPUT_END, .code = (int)info.ssi_signo};
	}
}

struct input term_wait(int timeout_ms)
{
	struct pollfd fds[] = {{.fd = term.signals, .events = POLLIN},
			       {.fd = STDIN_FILENO, .events = POLLIN}};
	struct input input = read_key();

	if (input.kind != INPUT_NONE)
		return input;
	if (poll(fds, 2, timeout_ms) <= 0)
		return input;
	if (fds[0].revents)
		return read_signal();
	if (fds[1].revents & (POLLHUP | POLLERR | POLLNVAL))
		return (struct input){.kind = INPUT_END, .code = SIGHUP};
	return read_key();
}

void term_suspend(void)
{
	struct signalfd_siginfo info;
	sigset_t stop;

	term_mouse(0);
	if (term.titled)
		send(TITLE_POP);
	endwin();
	signal(SIGTSTP, SIG_DFL); /* curses has a handler of its own */
	sigemptyset(&stop);
	sigaddset(&stop, SIGTSTP);
	kill(term.options.stop_group ? 0 : getpid(), SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &stop, NULL); /* stops here */
	sigprocmask(SIG_BLOCK, &stop, NULL);
	while (read(term.signals, &info, sizeof(info)) == sizeof(info))
		;
	if (term.titled)
		send(TITLE_PUSH);
	take_again();
}
