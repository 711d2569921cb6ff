/* The dashboard without a terminal: one screen as text, and the line-by-line form for screen readers and logs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "profiler/view/format.h"
#include "tui/eventlist.h"
#include "tui/ui.h"

#define SECOND INT64_C(1000000000)

enum { EVERY_S = 30, WIDTH = 80, HEIGHT = 24 };

/* Without a person who could choose there has to be one session. */
static int need_session(struct ui *ui, struct error *e)
{
	if (ui->model)
		return 0;
	if (ui->running.count)
		error_set(e, ERROR_USAGE, "%d sessions are running: name one", ui->running.count);
	else
		error_set(e, ERROR_UNREADABLE, "no session is running");
	for (int i = 0; i < ui->running.count && i < 2; i++)
		error_hint(e, "loopmem top %s", ui->running.sessions[i].file);
	if (!ui->running.count)
		error_hint(
			e,
			"start one: loopmem run -- python train.py     or open one: loopmem top FILE");
	return e->kind;
}

int tui_print(const struct tui_options *options, FILE *out, struct error *e)
{
	struct cells cells = {0};
	struct ui ui;
	int failed = ui_init(&ui, options, e);

	if (failed)
		return failed;
	failed = need_session(&ui, e);
	if (!failed && cells_resize(&cells, options->width ? options->width : WIDTH,
				    options->height ? options->height : HEIGHT))
		failed = error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot draw");
	if (!failed) {
		ui.width = cells.width;
		ui_draw(&ui, &cells);
		cells_print(&cells, out);
	}
	cells_release(&cells);
	ui_release(&ui);
	return failed;
}

/* ---- plain ---------------------------------------------------------------------------------------------------- */

struct plain {
	struct ui ui;
	struct event_list events;
	int64_t *told; /* ids of the events that were printed */
	size_t told_count;
	int64_t state_ns; /* of the last line about the state */
	FILE *out;
};

/* "11:58 23.0 GiB 82% of 28.0, validate e1, held idle 10.0 by train #4 for 0:28" */
static void print_state(struct plain *p, int64_t t_ns)
{
	const struct model *m = p->ui.model;
	struct model_moment moment;
	char t[FORMAT_MAX], bytes[FORMAT_MAX], share[FORMAT_MAX], limit[FORMAT_MAX], phase[96],
		held[FORMAT_MAX];

	if (model_at(m, t_ns, &moment))
		return;
	fprintf(p->out, "%s %s", format_moment(t, t_ns),
		format_bytes(bytes, moment.round.total_bytes));
	if (moment.round.limit_bytes != MODEL_NONE)
		fprintf(p->out, " %s of %s",
			format_percent(share, moment.round.total_bytes, moment.round.limit_bytes),
			format_bytes_like(limit, moment.round.limit_bytes,
					  moment.round.limit_bytes));
	phrase_phase(m, t_ns, 0, phase, sizeof(phase));
	fprintf(p->out, ", %s", phase);
	for (size_t i = 0; i < m->pool_count; i++)
		if (moment.pools[i].state == MODEL_EXHAUSTED && moment.pools[i].held_idle > 0)
			fprintf(p->out, ", held idle %s by %s for %s",
				format_bytes_like(held, moment.pools[i].held_idle,
						  moment.round.total_bytes),
				m->pools[i].short_name,
				format_duration(t, t_ns - moment.pools[i].since_ns));
	fputc('\n', p->out);
	p->state_ns = t_ns;
	model_moment_release(&moment);
}

static void print_event(struct plain *p, const struct event *event)
{
	const struct model *m = p->ui.model;
	int round = model_round_at(m, event->t_ns);
	char t[FORMAT_MAX], bytes[FORMAT_MAX];

	fprintf(p->out, "%s %s, %s: %s", format_moment(t, event->t_ns),
		format_bytes(bytes, round < 0 ? 0 : m->rounds[round].total_bytes),
		event_kind_name(event->kind), event->text);
	fprintf(p->out, event->note[0] ? " (%s)\n" : "\n", event->note);
}

/* A running record is no event until it stood: only what is final is told. */
static int is_final(const struct plain *p, const struct event *event)
{
	return !p->ui.live || event->kind != EVENT_PEAK ||
	       p->ui.model->last_ns - event->t_ns > 60 * SECOND;
}

static int was_told(const struct plain *p, int64_t id)
{
	for (size_t i = p->told_count; i-- > 0;)
		if (p->told[i] == id)
			return 1;
	return 0;
}

static int remember(struct plain *p, int64_t id)
{
	int64_t *told = reallocarray(p->told, p->told_count + 1, sizeof(*told));

	if (!told)
		return -1;
	p->told = told;
	told[p->told_count++] = id;
	return 0;
}

/* The state every 30 s, up to a moment. */
static void print_states(struct plain *p, int64_t t_ns)
{
	while (t_ns - p->state_ns > EVERY_S * SECOND)
		print_state(p, p->state_ns + EVERY_S * SECOND);
}

/* Every event that is new, in order of time, and the state every 30 s in between. What is only known later of an earlier moment is told
 * when it is known. */
static int print_news(struct plain *p, struct error *e)
{
	int failed = event_list_build(&p->events, p->ui.model);

	for (size_t i = 0; i < p->events.count && !failed; i++) {
		const struct event *event = &p->events.events[i];

		if (was_told(p, event->id) || !is_final(p, event))
			continue;
		print_states(p, event->t_ns);
		print_event(p, event);
		failed = remember(p, event->id);
	}
	if (failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot list the events");
	print_states(p, p->ui.model->last_ns);
	fflush(p->out);
	return ferror(p->out) ? error_set_errno(e, ERROR_SYSTEM, errno, "cannot write") : 0;
}

static void sleep_for(double s)
{
	struct timespec t = {(time_t)s, (long)((s - (double)(time_t)s) * 1e9)};

	nanosleep(&t, NULL);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

int tui_plain(const struct tui_options *options, FILE *out, struct error *e)
{
	struct plain p = {.out = out};
	int failed = ui_init(&p.ui, options, e);

	if (failed)
		return failed;
	p.ui.clock_ns = p.ui.news_ns = now_ns();
	failed = need_session(&p.ui, e);
	while (!failed) {
		failed = print_news(&p, e);
		if (failed || !p.ui.live)
			break;
		sleep_for(p.ui.delay_s);
		p.ui.clock_ns = now_ns();
		ui_tick(&p.ui, 0);
		if (p.ui.trouble[0]) {
			fprintf(out, "%s\n", p.ui.trouble);
			break;
		}
	}
	event_list_release(&p.events);
	free(p.told);
	ui_release(&p.ui);
	return failed;
}
