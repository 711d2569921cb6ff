/* The first line: the session or its command, live or replay and at which moment, and the phase it was in. */
#include <stdio.h>
#include <string.h>

#include "profiler/model/signal_name.h"
#include "profiler/view/format.h"
#include "tui/ui.h"

#define SECOND INT64_C(1000000000)

enum { WIDE = 112, LOST_S = 5 };

static int is_lost(const struct ui *ui)
{
	return ui->live && ui->clock_ns - ui->news_ns > LOST_S * SECOND;
}

static void end_words(const struct model *m, char *out, size_t size)
{
	char t[FORMAT_MAX], name[SIGNAL_NAME_MAX];

	format_moment(t, m->last_ns);
	if (m->end == MODEL_KILLED)
		snprintf(out, size, "KILLED %s %s%s", t, signal_name(name, m->exit_signal),
			 m->oom_killed ? " (OOM)" : "");
	else if (m->end == MODEL_EXITED)
		snprintf(out, size, "ENDED %s exit %lld", t, (long long)m->exit_code);
	else
		snprintf(out, size, "ENDED %s", t);
}

/* "LIVE 11:58", "REPLAY 12:33 of 18:51", …; the word alone gets the colour of playback when it is no longer live. */
static void mode_words(const struct ui *ui, char *word, size_t word_size, char *rest,
		       size_t rest_size)
{
	const struct model *m = ui->model;
	char at[FORMAT_MAX], end[FORMAT_MAX], more[FORMAT_MAX];

	format_moment(at, ui->time.cursor_ns);
	format_moment(end, m->last_ns);
	if (is_lost(ui)) {
		snprintf(word, word_size, "LOST");
		snprintf(rest, rest_size, " %s", format_moment(more, ui->clock_ns - ui->news_ns));
	} else if (ui->live && ui->time.following) {
		snprintf(word, word_size, "LIVE");
		snprintf(rest, rest_size, " %s", at);
	} else if (ui->live) {
		snprintf(word, word_size, "PAUSED");
		snprintf(rest, rest_size, " %s (+%s)", at,
			 format_moment(more, m->last_ns - ui->time.cursor_ns));
	} else if (ui->ended_here && ui->time.following) {
		end_words(m, word, word_size);
		*rest = '\0';
	} else if (ui->time.playing) {
		snprintf(word, word_size, "PLAY %dx", ui->time.speed);
		snprintf(rest, rest_size, " %s of %s", at, end);
	} else {
		snprintf(word, word_size, "REPLAY");
		snprintf(rest, rest_size, " %s of %s", at, end);
	}
}

/* Pools that were found from outside are guesses, and the title says so. */
static int is_guessed(const struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].guessed)
			return 1;
	return 0;
}

static void difference_words(const struct ui *ui, char *rest, size_t size)
{
	int64_t a_ns = 0, b_ns = 0;
	char a[FORMAT_MAX], b[FORMAT_MAX];

	timeline_moments(&ui->time, &a_ns, &b_ns);
	snprintf(rest, size, "  A %s  B %s   B minus A", format_moment(a, a_ns),
		 format_moment(b, b_ns));
}

/* The phase at the cursor, while it runs with its age. */
static void phase_words(const struct ui *ui, char *out, size_t size)
{
	const struct model *m = ui->model;
	char name[96], age[FORMAT_MAX];
	int phase = ui->now.phase;

	phrase_phase(m, ui->time.cursor_ns, 0, name, sizeof(name));
	if (ui->live && phase >= 0 && !m->phases[phase].between)
		snprintf(out, size, "%s, %s", name,
			 format_duration(age, ui->time.cursor_ns - m->phases[phase].start_ns));
	else
		snprintf(out, size, "%s", name);
}

static void title_right(const struct ui *ui, struct cells *cells, int *left)
{
	char word[96], rest[160], phase[160], filter[WORD_SIZE + 32] = "";
	int gap = cells->width >= WIDE ? 3 : 2, width;
	struct pen pen = pen_at(cells, 0, 0);

	mode_words(ui, word, sizeof(word), rest, sizeof(rest));
	phase_words(ui, phase, sizeof(phase));
	if (ui->time.difference) {
		difference_words(ui, rest, sizeof(rest));
		*phase = '\0';
	}
	if (is_guessed(ui->model))
		strncat(rest, "  GUESSED", sizeof(rest) - strlen(rest) - 1);
	if (ui->filter[0])
		snprintf(filter, sizeof(filter), "filter: %s, %d hidden  ", ui->filter,
			 ui->hidden_rows);
	if (ui->slow && !ui->time.difference)
		snprintf(phase, sizeof(phase), "slow: %.3g Hz", 1 / ui->delay_s);
	width = text_width(filter) + text_width(word) + text_width(rest) +
		(*phase ? gap + text_width(phase) : 0);
	if (width > cells->width - 12) { /* the phase goes first */
		width -= *phase ? gap + text_width(phase) : 0;
		*phase = '\0';
	}
	pen.x = cells->width - 1 - width > 0 ? cells->width - 1 - width : 0;
	*left = pen.x;
	pen_text(&pen, filter);
	pen_role(&pen, strcmp(word, "LIVE") ? ROLE_PLAYBACK : ROLE_STRONG, word);
	pen_text(&pen, rest);
	if (*phase)
		pen_print(&pen, "%*s%s", gap, "", phase);
}

void title_left(const struct ui *ui, struct cells *cells, int end)
{
	const struct model *m = ui->model;
	struct pen pen = pen_at(cells, 0, 0);
	char command[1024], file[256];
	int room;

	pen.end = end - 1;
	pen_text(&pen, " loopmem  ");
	phrase_file(m, file, sizeof(file));
	room = end - 2 - pen.x;
	if (ui->live) {
		long long pid = m->process_count ? (long long)m->processes[0].pid : 0;

		phrase_command(m, room - 9, command, sizeof(command));
		pen_print(&pen, "%s  %lld", command, pid);
		return;
	}
	text_cut(command, sizeof(command), file, room, CUT_MIDDLE);
	pen_text(&pen, command);
	room = end - 4 - pen.x;
	if (room < 16)
		return;
	phrase_command(m, room, command, sizeof(command));
	pen_print(&pen, "  %s", command);
}

void title_draw(const struct ui *ui, struct cells *cells)
{
	int left;

	if (!ui->now.pools)
		return;
	title_right(ui, cells, &left);
	title_left(ui, cells, left);
}
