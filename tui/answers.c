/*
 * The three answers: how close to the limit, the worst so far, what is held for nothing. Three lines on the overview, one on every
 * other screen; they are the last thing to go when the terminal is small.
 */
#include <stdio.h>

#include "profiler/view/format.h"
#include "tui/forecast.h"
#include "tui/ui.h"

#define SECOND INT64_C(1000000000)

enum { WIDE = 112 };

/* "26.4 GiB  94% of 28.0", "251 MiB  of RAM 16.0 GiB" */
static void print_close(struct pen *pen, int64_t bytes, int64_t limit, const char *gap)
{
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX];
	enum format_unit unit = format_unit_for(bytes);

	pen_role(pen, ROLE_STRONG, format_bytes(a, bytes));
	if (limit == MODEL_NONE)
		return;
	pen_print(pen, "%s%s of ", gap, format_percent(b, bytes, limit));
	if (unit == format_unit_for(limit))
		pen_text(pen, format_cell(c, limit, unit, 1));
	else
		pen_text(pen, format_bytes(c, limit));
}

/* The unit that print_close() named last. */
static enum format_unit unit_named(int64_t bytes, int64_t limit)
{
	return format_unit_for(limit == MODEL_NONE ? bytes : limit);
}

/* A figure goes without its unit only where the figure before it has the same. */
static char *bytes_after(char *out, int64_t bytes, enum format_unit named)
{
	if (bytes > 0 && format_unit_for(bytes) != named)
		return format_bytes(out, bytes);
	return format_cell(out, bytes, named, 1);
}

/* The limit that applied at the cursor. */
static int64_t limit_now(const struct ui *ui)
{
	int64_t limit = ui->now.round.limit_bytes;

	return limit == MODEL_NONE ? ui->model->totals.limit_bytes : limit;
}

static void free_words(const struct ui *ui, int wide, char *out, size_t size)
{
	int64_t limit = limit_now(ui), left = forecast_limit_ns(ui->model, &ui->now, limit);
	int64_t free_bytes = limit - ui->now.round.total_bytes;
	char a[FORMAT_MAX];

	*out = '\0';
	if (limit == MODEL_NONE)
		return;
	if (left != MODEL_NONE && ui->live && left < 60 * SECOND)
		snprintf(out, size, "limit in %s", format_duration(a, left));
	else if (left != MODEL_NONE && ui->live)
		snprintf(out, size, "limit in %lld min", (long long)(left / SECOND + 30) / 60);
	else if (free_bytes < 0)
		snprintf(out, size, "over the limit");
	else if (!wide && format_unit_for(free_bytes) == format_unit_for(limit))
		snprintf(out, size, "%s free",
			 format_cell(a, free_bytes, format_unit_for(limit), 1));
	else
		snprintf(out, size, "%s free", format_bytes(a, free_bytes));
}

/* The stack of this moment against the limit, as one line. */
static void draw_bar(const struct ui *ui, struct pen *pen, int cells)
{
	int64_t limit = limit_now(ui), bytes[STACK_LAYERS];
	struct chart_scale scale = {0};
	const struct stack_choice all = {STACK_POOLS, MEASURE_MEMORY, -1};
	struct stack_column column;
	int ends[STACK_LAYERS], from = 0;

	if (cells < 4)
		return;
	stack_moment(ui->model, &ui->now, &all, &column);
	for (int i = 0; i < column.count; i++)
		bytes[i] = column.layers[i].bytes;
	scale.top_bytes = limit > ui->now.round.total_bytes ? limit : ui->now.round.total_bytes;
	scale.top_bytes = scale.top_bytes > 0 ? scale.top_bytes : 1;
	if (column.count)
		chart_stack(&scale, cells, bytes, (size_t)column.count, (size_t)column.first_idle,
			    ends);
	pen_char(pen, L'[');
	for (int i = 0; i < column.count; i++) {
		pen->role = column.layers[i].role;
		pen->over = column.layers[i].over;
		pen_repeat(pen, ends[i] - from, column.layers[i].glyph);
		from = ends[i];
	}
	pen->role = ROLE_TEXT;
	pen->over = OVER_NONE;
	pen_repeat(pen, cells - from, GLYPH_FREE);
	pen_char(pen, L']');
}

static const char *now_word(const struct ui *ui, int wide)
{
	if (ui->live && ui->time.following)
		return "Now";
	return wide ? "At cursor" : "Here";
}

/* Line 1 of the overview: now, the share of the limit, what is free. */
static void draw_now(const struct ui *ui, struct cells *cells, int y)
{
	int wide = cells->width >= WIDE;
	struct pen pen = pen_at(cells, y, 0);
	char rest[64];

	pen_print(&pen, " %-*s  ", wide ? 9 : 4, now_word(ui, wide));
	print_close(&pen, ui->now.round.total_bytes, limit_now(ui), "  ");
	pen_text(&pen, "  ");
	free_words(ui, wide, rest, sizeof(rest));
	draw_bar(ui, &pen, cells->width - pen.x - 6 - text_width(rest));
	pen_print(&pen, "  %s", rest);
}

/* Line 2: the worst so far, and what it would be without held idle; when it was goes first where there is no room. */
static void draw_peak(const struct ui *ui, struct cells *cells, int y)
{
	const struct model_totals *totals = &ui->model->totals;
	int wide = cells->width >= WIDE, room;
	struct pen pen = pen_at(cells, y, 0);
	char at[FORMAT_MAX], share[FORMAT_MAX], without[FORMAT_MAX], phase[128], text[160];

	pen_print(&pen, " %-*s  ", wide ? 9 : 4, "Peak");
	print_close(&pen, totals->peak_bytes, totals->limit_bytes, "  ");
	pen_print(&pen, "  at %s", format_moment(at, totals->peak_at_ns));
	snprintf(text, sizeof(text), "Without held idle  %s",
		 format_bytes(without, totals->peak_without_idle_bytes));
	if (wide && totals->limit_bytes != MODEL_NONE)
		snprintf(text, sizeof(text), "Without held idle  %s  %s", without,
			 format_percent(share, totals->peak_without_idle_bytes,
					totals->limit_bytes));
	room = cells->width - pen.x - 5 - text_width(text);
	phrase_phase(ui->model, totals->peak_at_ns, 1, phase, sizeof(phase));
	if (wide && text_width(phase) + 2 <= room)
		pen_print(&pen, ", %s", phase);
	if (room < 0)
		return;
	pen.x = wide && room > 5 ? cells->width - 6 - text_width(text) : pen.x + 5;
	pen_text(&pen, text);
}

/* The pools that hold now, each with its bytes and how long it has been exhausted. */
static void print_holders(const struct ui *ui, struct pen *pen, int most)
{
	const struct model *m = ui->model;
	char a[FORMAT_MAX], b[FORMAT_MAX];
	int shown = 0, more = 0;

	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool_moment *pool = &ui->now.pools[i];

		if (pool->state != MODEL_EXHAUSTED || pool->held_idle <= 0)
			continue;
		if (shown == most) {
			more++;
			continue;
		}
		pen_text(pen, shown++ ? "; " : "");
		pen->role = role_of_stage(m->pools[i].stage);
		pen_text(pen, m->pools[i].short_name);
		pen->role = ROLE_TEXT;
		pen_print(pen, " %s, exhausted %s ago",
			  format_cell(a, pool->held_idle,
				      format_unit_for(ui->now.round.held_idle_bytes), 1),
			  format_duration(b, ui->time.cursor_ns - pool->since_ns));
	}
	if (more)
		pen_print(pen, "; %d more", more);
}

static int count_holders(const struct ui *ui, int *only, long long *workers)
{
	int count = 0;

	*workers = 0;
	for (size_t i = 0; i < ui->model->pool_count; i++)
		if (ui->now.pools[i].state == MODEL_EXHAUSTED && ui->now.pools[i].held_idle > 0) {
			*only = (int)i;
			*workers += ui->now.pools[i].workers_alive;
			count++;
		}
	return count;
}

/* Writes the first of the wordings, from long to short, that fits the line; numbers are never cut. */
static void print_fitting(struct pen *pen, const char *const *wordings, int count)
{
	for (int i = 0; i < count; i++)
		if (pen->x + text_width(wordings[i]) <= pen->end) {
			pen_text(pen, wordings[i]);
			return;
		}
}

static void print_narrow_holders(const struct ui *ui, struct pen *pen)
{
	const struct model *m = ui->model;
	char wordings[3][192], age[FORMAT_MAX];
	const char *list[] = {wordings[0], wordings[1], wordings[2]};
	long long workers;
	int only = 0, count = count_holders(ui, &only, &workers);

	if (count == 1) {
		format_duration(age, ui->time.cursor_ns - ui->now.pools[only].since_ns);
		snprintf(wordings[0], sizeof(wordings[0]),
			 " held by %lld workers of %s, exhausted %s ago", workers,
			 m->pools[only].short_name, age);
		snprintf(wordings[1], sizeof(wordings[1]), " held by %s, exhausted %s ago",
			 m->pools[only].short_name, age);
		snprintf(wordings[2], sizeof(wordings[2]), " by %s for %s",
			 m->pools[only].short_name, age);
	} else if (count) {
		snprintf(wordings[0], sizeof(wordings[0]),
			 " held by %lld workers of %d pools that are exhausted", workers, count);
		snprintf(wordings[1], sizeof(wordings[1]), " held by %lld workers of %d pools",
			 workers, count);
		snprintf(wordings[2], sizeof(wordings[2]), " held by %d pools", count);
	}
	if (count)
		print_fitting(pen, list, 3);
}

/* Line 3: what is held for nothing, by whom, since when. */
static void draw_idle(const struct ui *ui, struct cells *cells, int y)
{
	const struct model_totals *totals = &ui->model->totals;
	int wide = cells->width >= WIDE, following = ui->live && ui->time.following;
	struct pen pen = pen_at(cells, y, 0);
	char now[FORMAT_MAX], most[FORMAT_MAX], rest[64];
	const char *list = rest;

	pen_print(&pen, " %-*s  ", wide ? 9 : 4, wide ? "Held idle" : "Idle");
	if (ui->now.round.held_idle_bytes <= 0) {
		pen_print(&pen, "0 %s", following ? "now" : "at the cursor");
		if (totals->idle_max_bytes > 0)
			pen_print(&pen, "; at most %s at %s",
				  format_bytes(most, totals->idle_max_bytes),
				  format_moment(now, totals->idle_max_at_ns));
		return;
	}
	pen.over = OVER_IDLE;
	pen_text(&pen, format_bytes(now, ui->now.round.held_idle_bytes));
	pen.over = OVER_NONE;
	if (!wide) {
		print_narrow_holders(ui, &pen);
		return;
	}
	pen_text(&pen, following ? ": " : " at the cursor: ");
	print_holders(ui, &pen, 2);
	snprintf(rest, sizeof(rest), ".  Most %s",
		 bytes_after(most, totals->idle_max_bytes,
			     format_unit_for(ui->now.round.held_idle_bytes)));
	print_fitting(&pen, &list, 1);
}

/* ---- the answers in one line, on every other screen ------------------------------------------------------------ */

/* From wide to narrow. */
static void print_line(struct pen *pen, const char *peak, const char *idle, const char *without)
{
	char wordings[3][192];
	const char *list[] = {wordings[0], wordings[1], wordings[2]};
	const char *at_most = peak ? "" : " at most";

	for (int i = 0; i < 2; i++) {
		const char *gap = i ? "" : peak ? " " : "   ";

		snprintf(wordings[i], sizeof(wordings[i]),
			 "%s%s%s%s  Held idle  %s%s%s  Without  %s", peak ? gap : "",
			 peak ? "  Peak  " : "", peak ? peak : "", gap, idle, at_most, gap,
			 without);
	}
	snprintf(wordings[2], sizeof(wordings[2]), "  Idle %s", idle);
	print_fitting(pen, list, 3);
}

static void draw_live_line(const struct ui *ui, struct cells *cells, int y)
{
	const struct model_totals *totals = &ui->model->totals;
	struct pen pen = pen_at(cells, y, 0);
	enum format_unit unit = unit_named(ui->now.round.total_bytes, limit_now(ui));
	char peak[FORMAT_MAX], idle[FORMAT_MAX], without[FORMAT_MAX];

	pen_text(&pen, " Now  ");
	print_close(&pen, ui->now.round.total_bytes, limit_now(ui), "  ");
	print_line(&pen, bytes_after(peak, totals->peak_bytes, unit),
		   bytes_after(idle, ui->now.round.held_idle_bytes, unit),
		   format_bytes(without, totals->peak_without_idle_bytes));
}

static void draw_replay_line(const struct ui *ui, struct cells *cells, int y)
{
	const struct model_totals *totals = &ui->model->totals;
	struct pen pen = pen_at(cells, y, 0);
	enum format_unit unit = unit_named(totals->peak_bytes, totals->limit_bytes);
	char idle[FORMAT_MAX], without[FORMAT_MAX];

	pen_text(&pen, " Peak  ");
	print_close(&pen, totals->peak_bytes, totals->limit_bytes, "  ");
	print_line(&pen, NULL, bytes_after(idle, totals->idle_max_bytes, unit),
		   format_bytes(without, totals->peak_without_idle_bytes));
}

static void draw_wide_line(const struct ui *ui, struct cells *cells, int y)
{
	const struct model_totals *totals = &ui->model->totals;
	struct pen pen = pen_at(cells, y, 0);
	char a[FORMAT_MAX], b[FORMAT_MAX], c[FORMAT_MAX], d[FORMAT_MAX];

	pen_text(&pen, " Peak ");
	print_close(&pen, totals->peak_bytes, totals->limit_bytes, ", ");
	pen_print(&pen, ", at %s     Held idle %s", format_moment(a, totals->peak_at_ns),
		  format_bytes(b, totals->idle_max_bytes));
	if (totals->idle_max_bytes)
		pen_print(&pen, " at most, %s of %s", format_duration(c, totals->idle_ns),
			  format_moment(d, totals->duration_ns));
	pen_print(&pen, "     Without held idle %s",
		  format_bytes(a, totals->peak_without_idle_bytes));
	if (totals->limit_bytes != MODEL_NONE)
		pen_print(&pen, "  %s",
			  format_percent(b, totals->peak_without_idle_bytes, totals->limit_bytes));
}

static void draw_difference_line(const struct ui *ui, struct cells *cells, int y)
{
	const struct model_round *a = &ui->at_a.round, *b = &ui->at_b.round;
	struct pen pen = pen_at(cells, y, 0);
	char all[FORMAT_MAX], change[FORMAT_MAX], idle[FORMAT_MAX], idle_change[FORMAT_MAX];
	enum format_unit unit = format_unit_for(b->total_bytes),
			 idle_unit = format_unit_for(b->held_idle_bytes);

	pen_print(&pen, " All  %s at B, %s since A        Held idle  %s at B, %s",
		  format_bytes(all, b->total_bytes),
		  format_difference_cell(change, b->total_bytes - a->total_bytes, unit, 1),
		  format_cell(idle, b->held_idle_bytes, idle_unit, 1),
		  format_difference_cell(idle_change, b->held_idle_bytes - a->held_idle_bytes,
					 idle_unit, 1));
}

static void draw_line(const struct ui *ui, struct cells *cells, int y)
{
	if (ui->time.difference)
		draw_difference_line(ui, cells, y);
	else if (ui->live)
		draw_live_line(ui, cells, y);
	else if (cells->width >= WIDE)
		draw_wide_line(ui, cells, y);
	else
		draw_replay_line(ui, cells, y);
}

int answers_draw(const struct ui *ui, struct cells *cells, int y, int in_full)
{
	if (!in_full || ui->time.difference) {
		draw_line(ui, cells, y);
		return y + 1;
	}
	draw_now(ui, cells, y);
	draw_peak(ui, cells, y + 1);
	draw_idle(ui, cells, y + 2);
	return y + 3;
}
