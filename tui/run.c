/*
 * The loop: waits for keys and the clock, reads what is new, draws. One read of the session a frame; when a frame takes long the
 * rate is halved, so that the dashboard never costs more than a small part of a core.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profiler/view/format.h"
#include "tui/term.h"
#include "tui/ui.h"

#define SECOND     INT64_C(1000000000)
#define SLOW_FRAME (SECOND / 10)

enum { SLOW_TO_READ = 64 << 20 };

enum { IDLE_MS = 1000, SLOWEST_S = 8 };

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

static void set_title(const struct ui *ui)
{
	char title[128] = "loopmem";

	if (ui->model) {
		const char *script = ui->model->argc > 1 ? ui->model->argv[1] : ui->model->command,
			   *slash;

		slash = strrchr(script, '/');
		snprintf(title, sizeof(title), "loopmem %.100s", slash ? slash + 1 : script);
	}
	term_title(title);
}

static void save_view(struct ui *ui, const struct cells *cells)
{
	FILE *out = fopen(ui->save_as, "wxe");

	if (!out)
		ui_say(ui, "cannot write %s: %s", ui->save_as, strerror(errno));
	else
		cells_print(cells, out);
	if (out && fclose(out))
		ui_say(ui, "cannot write %s: %s", ui->save_as, strerror(errno));
	else if (out)
		ui_say(ui, "saved as %s", ui->save_as);
	ui->save_as[0] = '\0';
}

/* What a key asked of the loop. 1 = there is something new to show. */
static int serve(struct ui *ui, const struct cells *cells)
{
	int changed = ui->save_as[0] || ui->redraw || ui->suspend;

	if (ui->save_as[0])
		save_view(ui, cells);
	if (ui->copy[0])
		term_copy(ui->copy);
	ui->copy[0] = '\0';
	if (ui->redraw)
		term_forget();
	if (ui->mouse_changed)
		term_mouse(ui->options.mouse);
	ui->redraw = ui->mouse_changed = 0;
	if (ui->suspend && ui->options.shares_terminal)
		ui_say(ui, "not while the program that runs shares this terminal");
	else if (ui->suspend)
		term_suspend();
	ui->suspend = 0;
	return changed;
}

static int show(struct ui *ui, struct cells *cells, struct error *e)
{
	int width, height;

	term_size(&width, &height);
	if ((width != cells->width || height != cells->height) &&
	    cells_resize(cells, width, height))
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot draw");
	ui->width = width;
	ui_draw(ui, cells);
	if (term_show(cells))
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot draw");
	return 0;
}

/* Handles one input; 1 = leave. */
static int handle(struct ui *ui, struct input input)
{
	switch (input.kind) {
	case INPUT_KEY:
		ui_key(ui, input.code);
		break;
	case INPUT_MOUSE:
		ui_mouse(ui, &input);
		break;
	case INPUT_STOP:
		ui->suspend = 1;
		break;
	case INPUT_END:
		ui->ended_by = input.code;
		return 1;
	case INPUT_NONE:
	case INPUT_RESIZE:
		break;
	}
	return ui->quit;
}

/* Milliseconds until the next frame is due. */
static int wait_ms(const struct ui *ui, int64_t last_frame_ns)
{
	int64_t due = last_frame_ns + (int64_t)(ui->delay_s * 1e9);

	if (ui->model && !ui->live && !ui->time.playing)
		return IDLE_MS;
	due -= now_ns();
	return due > 0 ? (int)(due / 1000000) + 1 : 0;
}

static void pace(struct ui *ui, int64_t took_ns)
{
	if (took_ns > SLOW_FRAME && ui->delay_s < SLOWEST_S) {
		ui->delay_s *= 2;
		ui->slow = 1;
	} else if (ui->slow && took_ns < SLOW_FRAME / 8) {
		ui->delay_s /= 2;
		ui->slow = ui->delay_s > ui->options.delay_s;
		ui->delay_s = ui->slow ? ui->delay_s : ui->options.delay_s;
	}
}

static int loop(struct ui *ui, struct cells *cells, struct error *e)
{
	int64_t last = now_ns(), frame;
	int leave = 0, failed = 0, due = 1, keys;

	while (!leave && !failed) {
		const struct model *before = ui->model;
		struct input input;

		if (due && (failed = show(ui, cells, e)))
			break;
		due = serve(ui, cells);
		input = term_wait(due ? 0 : wait_ms(ui, last));
		ui->clock_ns = now_ns();
		/* all keys that are there, then one frame: a paste cannot make it lag */
		for (keys = 0; input.kind != INPUT_NONE && !leave; keys++) {
			leave = handle(ui, input);
			due = 1;
			if (ui->save_as[0] || ui->suspend || keys > 1000)
				break;
			input = term_wait(0);
		}
		if (wait_ms(ui, last) == 0 ||
		    (ui->model && !ui->live && ui->clock_ns - last >= IDLE_MS * SECOND / 1000)) {
			frame = now_ns();
			due |= ui_tick(ui, frame - last);
			last = frame;
			pace(ui, now_ns() - frame);
		}
		if (ui->model != before)
			set_title(ui);
	}
	return failed;
}

static enum term_colour term_colour_of(enum tui_colour colour)
{
	static const enum term_colour colours[] = {
		[TUI_COLOUR_AUTO] = TERM_COLOUR_AUTO, [TUI_COLOUR_NEVER] = TERM_COLOUR_NEVER,
		[TUI_COLOUR_8] = TERM_COLOUR_8,       [TUI_COLOUR_16] = TERM_COLOUR_16,
		[TUI_COLOUR_256] = TERM_COLOUR_256,
	};

	return colours[colour];
}

/* A large file takes a while: the person is told on the line where the shell's prompt was. */
static void say_reading(const char *file)
{
	struct stat status;
	char size[FORMAT_MAX];

	if (!file || !isatty(STDERR_FILENO) || stat(file, &status) || status.st_size < SLOW_TO_READ)
		return;
	fprintf(stderr, "Reading %s\r", format_bytes(size, status.st_size));
}

int tui_run(const struct tui_options *options, struct error *e)
{
	struct term_options terminal = {.stop_group = 1};
	struct cells cells = {0};
	struct ui ui;
	int failed;

	say_reading(options->file);
	failed = ui_init(&ui, options, e);
	if (failed)
		return failed;
	ui.clock_ns = ui.news_ns = now_ns();
	terminal.colour = term_colour_of(ui.options.colour);
	terminal.mouse = ui.options.mouse;
	failed = term_open(&terminal, e);
	if (!failed) {
		ui.colours = term_palette() != PALETTE_MONO;
		set_title(&ui);
		failed = loop(&ui, &cells, e);
		term_close();
	}
	if (!failed)
		failed = ui.ended_by;
	cells_release(&cells);
	ui_release(&ui);
	return failed;
}
