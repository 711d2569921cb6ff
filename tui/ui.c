/* The dashboard's life: opening, reading what is new, the moments at cursor and marks, and what a frame leaves for the mouse. */
#include "tui/ui.h"

#include <ctype.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SECOND INT64_C(1000000000)

enum { SAY_S = 2 };

void ui_say(struct ui *ui, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(ui->message, sizeof(ui->message), format, args);
	va_end(args);
	ui->message_until_ns = ui->clock_ns + SAY_S * SECOND;
}

/* ---- the session -------------------------------------------------------------------------------------------- */

/* A session that nobody closed and nobody writes any more. */
static int is_abandoned(const struct ui *ui, const struct model *m)
{
	return !m->complete && ui->options.collector_is_gone && ui->options.collector_is_gone(m);
}

static void identify_file(const char *file, uint64_t id[2])
{
	struct stat status;

	id[0] = id[1] = 0;
	if (stat(file, &status))
		return;
	id[0] = (uint64_t)status.st_dev;
	id[1] = (uint64_t)status.st_ino;
}

static void forget_session(struct ui *ui)
{
	model_moment_release(&ui->now);
	model_moment_release(&ui->at_a);
	model_moment_release(&ui->at_b);
	ui->moments_valid = 0;
	stack_release(&ui->stack);
	for (int i = 0; i < SCREENS; i++)
		sheet_view_release(&ui->views[i]);
	model_close(ui->model);
	ui->model = NULL;
	ui->trouble[0] = ui->filter[0] = '\0';
	ui->pool_open = ui->back_count = ui->ended_here = 0;
	ui->opened = 0;
	ui->chart.owner = -1;
}

/* The pool of the process that died, for a session that opens at its end. */
static void select_victim(struct ui *ui)
{
	const struct model *m = ui->model;

	if (m->end != MODEL_KILLED)
		return;
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pool >= 0 && m->processes[i].exit_signal == SIGKILL) {
			struct sheet_view *view = &ui->views[SCREEN_OVERVIEW];

			view->has_selected = 1;
			view->selected = m->processes[i].pool;
		}
}

int ui_open(struct ui *ui, const char *file, struct error *e)
{
	struct model *model;
	int failed = model_open(&model, file, e);

	if (failed)
		return failed;
	if (is_abandoned(ui, model) && (failed = model_abandon(model, e))) {
		model_close(model);
		return failed;
	}
	if (model->abandoned && ui->options.name_frames)
		ui->options.name_frames(model, 0);
	forget_session(ui);
	ui->model = model;
	ui->live = !model->complete && !model->abandoned;
	ui->news_ns = ui->clock_ns;
	identify_file(model->file, ui->file_id);
	timeline_init(&ui->time, model, ui->live);
	ui->screen = SCREEN_OVERVIEW;
	select_victim(ui);
	if (model->damage)
		ui_say(ui, "%s", model->damage);
	return 0;
}

static int find_screen(const char *name, enum screen_id *id)
{
	for (int i = 0; i < SCREENS; i++) {
		char number[2] = {(char)('1' + i), '\0'};

		if (!strcasecmp(name, ui_screen((enum screen_id)i)->name) ||
		    (i < SCREEN_TABS && !strcmp(name, number))) {
			*id = (enum screen_id)i;
			return 0;
		}
	}
	return -1;
}

static int refuse_screen(const char *name, struct error *e)
{
	char list[128] = "";

	for (int i = 0; i <= SCREEN_HELP; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s", i ? ", " : "",
			 ui_screen((enum screen_id)i)->name);
	for (char *letter = list; *letter; letter++)
		*letter = (char)tolower((unsigned char)*letter);
	return error_set(e, ERROR_USAGE, "--screen %s: not one of %s", name, list);
}

static int apply_place(struct ui *ui, struct error *e)
{
	const struct tui_options *options = &ui->options;
	char end[FORMAT_MAX];
	int64_t t_ns;

	if (options->screen && find_screen(options->screen, &ui->screen))
		return refuse_screen(options->screen, e);
	if (!options->at || !ui->model)
		return 0;
	if (timeline_parse(&ui->time, ui->model, options->at, &t_ns)) {
		error_set(e, ERROR_USAGE, "no moment \"%s\" in %s, which ends at %s", options->at,
			  ui->model->file, format_moment(end, ui->model->last_ns));
		error_hint(e, "12:33, 90, e1, val1, peak, idle, start or end");
		return e->kind;
	}
	timeline_seek(&ui->time, ui->model, t_ns);
	return 0;
}

/* The session to open when none was named. */
static int choose(struct ui *ui, struct error *e)
{
	running_find(&ui->running);
	if (ui->running.count == 1)
		return ui_open(ui, ui->running.sessions[0].file, e);
	ui->screen = SCREEN_CHOOSER;
	return 0;
}

static void init_fields(struct ui *ui, const struct tui_options *options)
{
	static const enum glyphs sets[] = {
		[TUI_GLYPHS_BLOCKS] = GLYPHS_BLOCKS,
		[TUI_GLYPHS_BRAILLE] = GLYPHS_BRAILLE,
		[TUI_GLYPHS_ASCII] = GLYPHS_ASCII,
	};

	memset(ui, 0, sizeof(*ui));
	ui->options = *options;
	if (options->config)
		config_read(&ui->options);
	ui->delay_s = ui->options.delay_s;
	ui->own_glyphs = ui->glyphs = glyphs_for_terminal(getenv("TERM"));
	if (ui->options.glyphs != TUI_GLYPHS_AUTO && ui->glyphs != GLYPHS_ASCII)
		ui->glyphs = sets[ui->options.glyphs];
	ui->chart.owner = ui->drag_from = -1;
	for (int i = 0; i < SCREENS; i++)
		sheet_view_init(&ui->views[i]);
}

int ui_init(struct ui *ui, const struct tui_options *options, struct error *e)
{
	int failed;

	init_fields(ui, options);
	failed = options->file ? ui_open(ui, options->file, e) : choose(ui, e);
	if (!failed)
		failed = apply_place(ui, e);
	if (failed)
		ui_release(ui);
	return failed;
}

void ui_release(struct ui *ui)
{
	forget_session(ui);
	running_release(&ui->running);
}

/* ---- news ---------------------------------------------------------------------------------------------------- */

/* The file under our feet: deleted, or another one by now. What was read stays on the screen. */
static void watch_file(struct ui *ui)
{
	uint64_t id[2];

	identify_file(ui->model->file, id);
	if (!id[0] && !id[1])
		snprintf(ui->trouble, sizeof(ui->trouble), "%s is gone: this is the last picture",
			 ui->model->file);
	else if (id[0] != ui->file_id[0] || id[1] != ui->file_id[1])
		snprintf(ui->trouble, sizeof(ui->trouble), "%s is another file now   ^L opens it",
			 ui->model->file);
	else
		ui->trouble[0] = '\0';
}

static void note_end(struct ui *ui)
{
	ui->live = 0;
	ui->ended_here = ui->time.following;
}

/* 1 = the model changed. */
static int read_news(struct ui *ui)
{
	struct error e;
	int changed = model_refresh(ui->model, &e);

	if (changed < 0)
		snprintf(ui->trouble, sizeof(ui->trouble), "%.250s", e.text);
	else if (ui->model->damage)
		snprintf(ui->trouble, sizeof(ui->trouble), "%.250s", ui->model->damage);
	else
		watch_file(ui);
	if (changed > 0)
		ui->news_ns = ui->clock_ns;
	if (ui->live && ui->model->complete) {
		note_end(ui);
		changed = 1;
	} else if (ui->live && changed == 0 && ui->clock_ns - ui->news_ns > 2 * SECOND &&
		   is_abandoned(ui, ui->model)) {
		model_abandon(ui->model, &e);
		note_end(ui);
		changed = 1;
	}
	if (changed)
		timeline_update(&ui->time, ui->model, ui->live);
	return changed != 0;
}

/* While they are looked at: module by module, between two frames. 1 = the model changed. */
static int name_frames(struct ui *ui)
{
	return ui->screen == SCREEN_SITES && ui->options.name_frames &&
	       ui->options.name_frames(ui->model, 1) > 0;
}

int ui_tick(struct ui *ui, int64_t elapsed_ns)
{
	int changed = 0;

	if (ui->message[0] && ui->clock_ns >= ui->message_until_ns) {
		ui->message[0] = '\0';
		changed = 1;
	}
	if (!ui->model) {
		running_find(&ui->running);
		return 1;
	}
	if (ui->live)
		changed |= read_news(ui) | name_frames(ui);
	else if (!ui->trouble[0])
		watch_file(ui);
	if (ui->time.playing) {
		timeline_play(&ui->time, ui->model, elapsed_ns, ui->options.stop_at_findings);
		changed = 1;
	}
	if (changed)
		ui_moved(ui);
	return changed || ui->live || ui->trouble[0];
}

/* ---- moments --------------------------------------------------------------------------------------------------- */

void ui_moved(struct ui *ui)
{
	ui->moments_valid = 0;
}

static int read_moment(const struct model *m, int64_t t_ns, struct model_moment *moment)
{
	model_moment_release(moment);
	return model_at(m, t_ns, moment) ? -1 : 0;
}

int ui_moments(struct ui *ui)
{
	int64_t a_ns, b_ns;
	int failed;

	if (!ui->model || !ui->model->round_count)
		return 0;
	if (ui->moments_valid)
		return 1;
	failed = read_moment(ui->model, ui->time.cursor_ns, &ui->now);
	if (!failed && ui->time.difference && timeline_moments(&ui->time, &a_ns, &b_ns))
		failed = read_moment(ui->model, a_ns, &ui->at_a) ||
			 read_moment(ui->model, b_ns, &ui->at_b);
	ui->moments_valid = !failed;
	return !failed;
}

/* ---- the frame ------------------------------------------------------------------------------------------------ */

struct sheet_view *ui_view(struct ui *ui)
{
	return &ui->views[ui->screen];
}

void ui_hit(struct ui *ui, struct hit hit)
{
	if (ui->hit_count < HITS_MAX)
		ui->hits[ui->hit_count++] = hit;
}
