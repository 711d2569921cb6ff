/* The cursor in time; see timeline.h. */
#include "tui/timeline.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t clamp(int64_t t, int64_t low, int64_t high)
{
	return t < low ? low : t > high ? high : t;
}

static int64_t snap(const struct model *m, int64_t t_ns)
{
	int round = model_round_at(m, t_ns);

	return round < 0 ? clamp(t_ns, 0, m->last_ns) : m->rounds[round].t_ns;
}

void timeline_init(struct timeline *tl, const struct model *m, int live)
{
	int died = m->end == MODEL_KILLED || m->end == MODEL_UNKNOWN_END;

	*tl = (struct timeline){
		.speed = 1, .a_ns = MODEL_NONE, .b_ns = MODEL_NONE, .window_end_ns = MODEL_NONE};
	tl->live = tl->following = live;
	tl->cursor_ns = snap(m, live || died ? m->last_ns : m->totals.peak_at_ns);
}

void timeline_update(struct timeline *tl, const struct model *m, int live)
{
	tl->live = live;
	if (tl->following)
		tl->cursor_ns = snap(m, m->last_ns);
}

/* The least round column length with which `length_ns` fits. */
static int64_t round_column_ns(int64_t length_ns, int columns)
{
	static const int64_t steps[] = {1,   2,   5,    10,   20,   50,    100,   150,  200,
					300, 600, 1200, 3000, 6000, 12000, 18000, 36000};
	int64_t step = 0;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		step = steps[i] * SECOND / 10;
		if (step * columns > length_ns)
			return step;
	}
	while (step * columns <= length_ns)
		step *= 2;
	return step;
}

struct chart_span timeline_span(const struct timeline *tl, const struct model *m, int columns)
{
	struct chart_span span = {0, m->last_ns + 1, columns < 1 ? 1 : columns};

	if (tl->window_end_ns != MODEL_NONE) {
		span.start_ns = tl->window_start_ns;
		span.end_ns = tl->window_end_ns;
	} else if (tl->live) {
		span.end_ns = round_column_ns(m->last_ns, span.columns) * span.columns;
	}
	return span;
}

/* Moves the window so that the cursor is in it. */
static void keep_in_window(struct timeline *tl)
{
	int64_t length;

	if (tl->window_end_ns == MODEL_NONE)
		return;
	length = tl->window_end_ns - tl->window_start_ns;
	if (tl->cursor_ns < tl->window_start_ns)
		tl->window_start_ns = tl->cursor_ns;
	else if (tl->cursor_ns >= tl->window_end_ns)
		tl->window_start_ns = tl->cursor_ns - length + 1;
	tl->window_end_ns = tl->window_start_ns + length;
}

void timeline_seek(struct timeline *tl, const struct model *m, int64_t t_ns)
{
	tl->following = tl->playing = 0;
	tl->cursor_ns = snap(m, clamp(t_ns, 0, m->last_ns));
	keep_in_window(tl);
}

void timeline_follow(struct timeline *tl, const struct model *m)
{
	timeline_seek(tl, m, m->last_ns);
	tl->following = 1;
}

void timeline_to_column(struct timeline *tl, const struct model *m, const struct chart_span *span,
			int column)
{
	int64_t start_ns = chart_column_ns(span, column),
		end_ns = chart_column_ns(span, column + 1);
	struct model_round round;

	model_reduce(m, start_ns, end_ns, 1, &round);
	timeline_seek(tl, m, round.t_ns == MODEL_NONE ? start_ns : round.t_ns);
}

void timeline_columns(struct timeline *tl, const struct model *m, const struct chart_span *span,
		      int count)
{
	int64_t before = tl->cursor_ns;
	int column = chart_column(span, before) + count;

	timeline_to_column(tl, m, span, column);
	/* a gap in the samples snaps back to where it came from: go over it */
	while (count > 0 && tl->cursor_ns <= before && column < chart_column(span, m->last_ns))
		timeline_to_column(tl, m, span, ++column);
}

void timeline_samples(struct timeline *tl, const struct model *m, int count)
{
	int round = model_round_at(m, tl->cursor_ns) + count;

	if (!m->round_count)
		return;
	round = (int)clamp(round, 0, (int64_t)m->round_count - 1);
	timeline_seek(tl, m, m->rounds[round].t_ns);
}

int timeline_phase(struct timeline *tl, const struct model *m, int direction)
{
	int64_t found = MODEL_NONE;

	for (size_t i = 0; i < m->phase_count; i++) {
		/* where the cursor will be: the sample at or before a start may lie before it */
		int64_t start = snap(m, m->phases[i].start_ns);

		if (m->phases[i].between)
			continue;
		if (direction > 0 && start > tl->cursor_ns &&
		    (found == MODEL_NONE || start < found))
			found = start;
		if (direction < 0 && start < tl->cursor_ns &&
		    (found == MODEL_NONE || start > found))
			found = start;
	}
	if (found == MODEL_NONE)
		return 0;
	timeline_seek(tl, m, found);
	return 1;
}

void timeline_zoom(struct timeline *tl, const struct model *m, int direction)
{
	int zoomed = tl->window_end_ns != MODEL_NONE;
	int64_t whole = m->last_ns + 1,
		length = zoomed ? tl->window_end_ns - tl->window_start_ns : whole;

	length = direction > 0 ? length / 2 : length * 2;
	if (!direction || length >= whole - whole / 16) {
		tl->window_end_ns = MODEL_NONE;
		return;
	}
	if (length < SECOND)
		length = least(SECOND, whole);
	tl->window_start_ns = clamp(tl->cursor_ns - length / 2, 0, whole - length);
	tl->window_end_ns = tl->window_start_ns + length;
}

char timeline_mark(struct timeline *tl)
{
	int64_t to_a, to_b;

	if (tl->a_ns == MODEL_NONE) {
		tl->a_ns = tl->cursor_ns;
		return 'A';
	}
	if (tl->b_ns == MODEL_NONE) {
		tl->b_ns = tl->cursor_ns;
		return 'B';
	}
	to_a = llabs(tl->cursor_ns - tl->a_ns);
	to_b = llabs(tl->cursor_ns - tl->b_ns);
	*(to_a < to_b ? &tl->a_ns : &tl->b_ns) = tl->cursor_ns;
	return to_a < to_b ? 'A' : 'B';
}

void timeline_swap_marks(struct timeline *tl)
{
	int64_t a = tl->a_ns;

	if (tl->b_ns == MODEL_NONE)
		return;
	tl->a_ns = tl->b_ns;
	tl->b_ns = a;
}

void timeline_forget_marks(struct timeline *tl)
{
	tl->a_ns = tl->b_ns = MODEL_NONE;
	tl->difference = 0;
}

int timeline_moments(const struct timeline *tl, int64_t *a_ns, int64_t *b_ns)
{
	if (tl->a_ns == MODEL_NONE)
		return 0;
	*a_ns = tl->a_ns;
	*b_ns = tl->b_ns == MODEL_NONE ? tl->cursor_ns : tl->b_ns;
	return 1;
}

/* The first moment in (from, to] at which replay has to stop; `for_good` when it is more than one frame. */
static int64_t next_stop(const struct model *m, int64_t from, int64_t to, int stop_at_errors,
			 int *for_good)
{
	int64_t stop = to;

	*for_good = 0;
	if (m->totals.peak_at_ns > from && m->totals.peak_at_ns < stop)
		stop = m->totals.peak_at_ns;
	for (size_t i = 0; i < m->phase_count; i++)
		if (m->phases[i].start_ns > from && m->phases[i].start_ns < stop)
			stop = m->phases[i].start_ns;
	for (size_t i = 0; stop_at_errors && i < m->finding_count; i++) {
		const struct model_finding *f = &m->findings[i];

		if (f->severity != MODEL_ERROR || !f->moment_count || f->moments[0] <= from ||
		    f->moments[0] > stop)
			continue;
		stop = f->moments[0];
		*for_good = 1;
	}
	return stop;
}

void timeline_play(struct timeline *tl, const struct model *m, int64_t elapsed_ns,
		   int stop_at_errors)
{
	int64_t from = tl->played_ns, to;
	int for_good;

	if (!tl->playing)
		return;
	to = next_stop(m, from, from + elapsed_ns * tl->speed, stop_at_errors, &for_good);
	timeline_seek(tl, m, to);
	tl->played_ns = to;
	tl->playing = !for_good && to < m->last_ns;
}

/* ---- moments as people write them ------------------------------------------------------------------------- */

/* "90", "1:30", "1:02:03", "2m", "30s", "1h": seconds, with `parts` = how many numbers stood between colons. */
static int parse_seconds(const char *text, double *seconds, int *parts)
{
	double value = 0;
	char *end;

	*parts = 0;
	for (;;) {
		if (*text < '0' || *text > '9')
			return -1;
		value = value * 60 + strtod(text, &end);
		(*parts)++;
		if (*end != ':')
			break;
		text = end + 1;
	}
	if (*end && *parts == 1 && !end[1] && strchr("smh", *end))
		value *= *end == 'h' ? 3600 : *end == 'm' ? 60 : 1;
	else if (*end)
		return -1;
	*seconds = value;
	return value < 1e9 ? 0 : -1;
}

/* The clock time of day as a moment of the session: its first occurrence at or after the start. */
static int64_t from_clock(const struct model *m, double seconds)
{
	time_t start = (time_t)(m->started_unix_ns / SECOND);
	struct tm tm;
	int64_t t;

	if (!localtime_r(&start, &tm))
		return MODEL_NONE;
	t = (int64_t)seconds - (tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec);
	return (t < 0 ? t + 86400 : t) * SECOND;
}

static int parse_relative(const struct timeline *tl, const char *text, int64_t *t_ns)
{
	double seconds;
	int parts;

	if (parse_seconds(text + 1, &seconds, &parts))
		return -1;
	*t_ns = tl->cursor_ns + (int64_t)((*text == '-' ? -seconds : seconds) * 1e9);
	return 0;
}

static int parse_absolute(const struct model *m, const char *text, int64_t *t_ns)
{
	double seconds;
	int parts;

	if (parse_seconds(text, &seconds, &parts))
		return -1;
	*t_ns = (int64_t)(seconds * 1e9);
	if (parts == 3 && *t_ns > m->last_ns)
		*t_ns = from_clock(m, seconds);
	return *t_ns >= 0 && *t_ns <= m->last_ns ? 0 : -1;
}

/* "e1" = the first phase of epoch 1; "val1", "validate 1", "train e0" = stage by its beginning, and epoch if given. */
static int parse_phase(const struct model *m, const char *text, int64_t *t_ns)
{
	size_t letters = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	int any_stage = letters == 1 && *text == 'e' && text[1];
	const char *rest = text + letters + strspn(text + letters, " e");
	char *end;
	int64_t epoch = *rest ? strtoll(rest, &end, 10) : MODEL_NONE;

	if (!letters || (*rest && (*end || end == rest)))
		return -1;
	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *p = &m->phases[i];

		if (p->between || (epoch != MODEL_NONE && p->epoch != epoch))
			continue;
		if (!any_stage && strncmp(model_stage_name(p->stage), text, letters))
			continue;
		*t_ns = p->start_ns;
		return 0;
	}
	return -1;
}

int timeline_parse(const struct timeline *tl, const struct model *m, const char *text,
		   int64_t *t_ns)
{
	const struct {
		const char *word;
		int64_t t_ns;
	} words[] = {{"start", 0},
		     {"end", m->last_ns},
		     {"peak", m->totals.peak_at_ns},
		     {"idle", m->totals.idle_max_at_ns}};

	text += strspn(text, " ");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(text, words[i].word)) {
			*t_ns = words[i].t_ns;
			return *t_ns == MODEL_NONE ? -1 : 0;
		}
	if (*text == '+' || *text == '-')
		return parse_relative(tl, text, t_ns);
	if (*text >= '0' && *text <= '9')
		return parse_absolute(m, text, t_ns);
	return parse_phase(m, text, t_ns);
}
