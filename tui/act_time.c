/* Keys that move in time, set marks and steer the replay. */
#include "profiler/view/format.h"
#include "tui/act.h"
#include "tui/ui.h"

enum { FASTEST = 64 };

static void by_columns(struct ui *ui, int count)
{
	struct chart_span span = ui->stack.columns ? ui->stack.span
						   : timeline_span(&ui->time, ui->model, 75);

	if (ui->glyphs == GLYPHS_BRAILLE && span.columns > 1)
		count *= 2; /* the stack holds two samples a cell */
	timeline_columns(&ui->time, ui->model, &span, count);
}

static void go_to(struct ui *ui, int64_t t_ns, const char *without)
{
	if (t_ns == MODEL_NONE)
		ui_say(ui, "%s", without);
	else
		timeline_seek(&ui->time, ui->model, t_ns);
}

static void by_phase(struct ui *ui, int direction)
{
	const struct screen *screen = ui_screen(ui->screen);
	int moved = screen->step ? screen->step(ui, direction)
				 : timeline_phase(&ui->time, ui->model, direction);

	if (!moved)
		ui_say(ui, "no %s %s", direction > 0 ? "later" : "earlier",
		       screen->step ? "moment" : "phase");
}

/* While it runs: stop the picture and go on; a finished session is played. */
static void pause_or_play(struct ui *ui)
{
	struct timeline *tl = &ui->time;

	if (tl->live) {
		if (tl->following)
			tl->following = 0;
		else
			timeline_follow(tl, ui->model);
		return;
	}
	tl->following = 0;
	if (!tl->playing && tl->cursor_ns >= ui->model->rounds[ui->model->round_count - 1].t_ns)
		timeline_seek(tl, ui->model, 0); /* from the start again */
	tl->playing = !tl->playing;
	tl->played_ns = tl->cursor_ns;
}

static void set_speed(struct ui *ui, int faster)
{
	int *speed = &ui->time.speed;
	const char *limit = "";

	if (*speed == (faster ? FASTEST : 1))
		limit = faster ? ", no faster" : ", no slower";
	else
		*speed = faster ? *speed * 2 : *speed / 2;
	if (*speed == 1)
		ui_say(ui, "replay in real time%s", limit);
	else
		ui_say(ui, "replay at %d times real time%s", *speed, limit);
}

static void mark(struct ui *ui)
{
	char t[FORMAT_MAX];

	ui_say(ui, "mark %c at %s", timeline_mark(&ui->time), format_moment(t, ui->time.cursor_ns));
}

static void jump(struct ui *ui)
{
	const struct timeline *tl = &ui->time;

	if (tl->a_ns == MODEL_NONE)
		ui_say(ui, "no mark is set   m sets A");
	else
		timeline_seek(&ui->time, ui->model,
			      tl->cursor_ns == tl->a_ns && tl->b_ns != MODEL_NONE ? tl->b_ns
										  : tl->a_ns);
}

static void difference(struct ui *ui)
{
	if (!ui->time.difference && ui->time.a_ns == MODEL_NONE)
		ui_say(ui, "no mark is set   m sets A, then B");
	else
		ui->time.difference ^= 1;
}

static void by_samples(struct ui *ui, int count)
{
	timeline_samples(&ui->time, ui->model, count);
}

static void to_start(struct ui *ui)
{
	timeline_seek(&ui->time, ui->model, 0);
}

static void to_end(struct ui *ui)
{
	timeline_seek(&ui->time, ui->model, ui->model->last_ns);
}

static void to_peak(struct ui *ui)
{
	const struct model_totals *totals = &ui->model->totals;

	go_to(ui, totals->peak_bytes > 0 ? totals->peak_at_ns : MODEL_NONE, "no peak yet");
}

static void to_most_idle(struct ui *ui)
{
	const struct model_totals *totals = &ui->model->totals;

	go_to(ui, totals->idle_max_bytes > 0 ? totals->idle_max_at_ns : MODEL_NONE,
	      "nothing was held idle");
}

static void follow(struct ui *ui)
{
	timeline_follow(&ui->time, ui->model);
}

static void swap_marks(struct ui *ui)
{
	timeline_swap_marks(&ui->time);
}

static void forget_marks(struct ui *ui)
{
	timeline_forget_marks(&ui->time);
}

const struct act act_time[ACTIONS] = {
	[ACTION_TIME_LEFT] = {NULL, by_columns, -1, NEEDS_SAMPLES},
	[ACTION_TIME_RIGHT] = {NULL, by_columns, 1, NEEDS_SAMPLES},
	[ACTION_TIME_LEFT_TEN] = {NULL, by_columns, -10, NEEDS_SAMPLES},
	[ACTION_TIME_RIGHT_TEN] = {NULL, by_columns, 10, NEEDS_SAMPLES},
	[ACTION_SAMPLE_NEXT] = {NULL, by_samples, 1, NEEDS_SAMPLES},
	[ACTION_SAMPLE_PREVIOUS] = {NULL, by_samples, -1, NEEDS_SAMPLES},
	[ACTION_PHASE_NEXT] = {NULL, by_phase, 1, NEEDS_SAMPLES},
	[ACTION_PHASE_PREVIOUS] = {NULL, by_phase, -1, NEEDS_SAMPLES},
	[ACTION_TIME_START] = {to_start, NULL, 0, NEEDS_SAMPLES},
	[ACTION_TIME_END] = {to_end, NULL, 0, NEEDS_SAMPLES},
	[ACTION_TIME_PEAK] = {to_peak, NULL, 0, NEEDS_SAMPLES},
	[ACTION_TIME_IDLE] = {to_most_idle, NULL, 0, NEEDS_SAMPLES},
	[ACTION_PAUSE] = {pause_or_play, NULL, 0, NEEDS_SAMPLES},
	[ACTION_FOLLOW] = {follow, NULL, 0, NEEDS_SAMPLES},
	[ACTION_SLOWER] = {NULL, set_speed, 0, 0},
	[ACTION_FASTER] = {NULL, set_speed, 1, 0},
	[ACTION_MARK] = {mark, NULL, 0, NEEDS_SAMPLES},
	[ACTION_DIFFERENCE] = {difference, NULL, 0, NEEDS_SAMPLES},
	[ACTION_MARK_JUMP] = {jump, NULL, 0, NEEDS_SAMPLES},
	[ACTION_MARK_SWAP] = {swap_marks, NULL, 0, NEEDS_SAMPLES},
	[ACTION_MARK_FORGET] = {forget_marks, NULL, 0, NEEDS_SAMPLES},
};
