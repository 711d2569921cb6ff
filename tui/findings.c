/* Screen 5: what is wrong, in words, with figures as evidence, and what to do about it. */
#include <stdio.h>
#include <string.h>

#include "profiler/view/format.h"
#include "profiler/view/site_words.h"
#include "profiler/view/words.h"
#include "tui/ui.h"

enum { WIDE = 112, LABEL = 12 };

#define CELL(name) sheet_value(sheet, row, COLUMN_FINDINGS_##name)

static const struct model_evidence *evidence_of(const struct model_finding *f, const char *part)
{
	for (size_t i = 0; i < f->evidence_count; i++)
		if (f->evidence[i].key && strstr(f->evidence[i].key, part))
			return &f->evidence[i];
	return NULL;
}

/* "6 of 7 pools", "sanity #1, train #2", "-" */
static const char *where(const struct ui *ui, struct sheet *sheet, const struct model_finding *f)
{
	const struct model_pool *pools = ui->model->pools;

	if (!f->pool_count)
		return NULL;
	if (f->pool_count == 1)
		return pools[f->pools[0]].short_name;
	if (f->pool_count == 2)
		return sheet_text(sheet, "%s, %s", pools[f->pools[0]].short_name,
				  pools[f->pools[1]].short_name);
	return sheet_text(sheet, "%zu of %zu pools", f->pool_count, ui->model->pool_count);
}

static void add_finding(struct ui *ui, struct sheet *sheet, size_t i)
{
	const struct model_finding *f = &ui->model->findings[i];
	const struct model_evidence *seconds = evidence_of(f, "seconds"),
				    *average = evidence_of(f, "average");
	struct sheet_row *row = sheet_add(sheet, ROW_PLAIN, (int64_t)i);

	if (!row)
		return;
	value_text(CELL(ID), sheet_text(sheet, "%c %s", "NWE"[f->severity], f -> id));
	CELL(ID)->role = role_of_severity(f->severity);
	value_text(CELL(WHERE), where(ui, sheet, f));
	if (f->bytes > 0)
		value_number(CELL(MOST), VALUE_SENTENCE_BYTES, f->bytes);
	if (average && average->kind == MODEL_BYTES)
		value_number(CELL(AVERAGE), VALUE_SENTENCE_BYTES, (int64_t)average->value);
	if (seconds && seconds->kind == MODEL_SECONDS)
		value_number(CELL(HELD), VALUE_DURATION, (int64_t)(seconds->value * 1e9));
	if (f->moment_count)
		value_number(CELL(WORST), VALUE_MOMENT, f->moments[0]);
	value_text(CELL(WHAT), f->title);
}

/* `f` leaves out the notices. */
static void build(struct ui *ui, struct sheet *sheet)
{
	sheet_init(sheet, SHEET_FINDINGS);
	for (size_t i = 0; i < ui->model->finding_count; i++)
		if (!ui->switched[SCREEN_FINDINGS] ||
		    ui->model->findings[i].severity > MODEL_NOTICE)
			add_finding(ui, sheet, i);
}

/* ---- one finding in full -------------------------------------------------------------------------------------- */

static const struct model_finding *selected_finding(struct ui *ui)
{
	const struct sheet_view *view = ui_view(ui);

	if (!view->has_selected || view->selected < 0 ||
	    (size_t)view->selected >= ui->model->finding_count)
		return NULL;
	return &ui->model->findings[view->selected];
}

static void evidence_text(const struct model_evidence *evidence, char *out, size_t size)
{
	char number[FORMAT_MAX];

	switch (evidence->kind) {
	case MODEL_BYTES:
		snprintf(out, size, "%s", format_bytes(number, (int64_t)evidence->value));
		break;
	case MODEL_SECONDS:
		snprintf(out, size, "%s",
			 format_duration(number, (int64_t)(evidence->value * 1e9)));
		break;
	case MODEL_COUNT:
		snprintf(out, size, "%s", format_count(number, (int64_t)evidence->value));
		break;
	case MODEL_PID:
		snprintf(out, size, "%.0f", evidence->value);
		break;
	case MODEL_RATIO:
		snprintf(out, size, "%.0f%%", 100 * evidence->value);
		break;
	case MODEL_TEXT:
		snprintf(out, size, "%s", evidence->text ? evidence->text : "-");
		break;
	}
}

static int draw_evidence(struct cells *cells, int y, int end, const struct model_finding *f)
{
	char text[256];

	for (size_t i = 0; i < f->evidence_count && y < end; i++) {
		struct pen pen = pen_at(cells, y++, 3);

		evidence_text(&f->evidence[i], text, sizeof(text));
		if (f->evidence[i].kind == MODEL_TEXT)
			pen.x += LABEL;
		else
			pen_text_ending(&pen, pen.x + LABEL - 2, text);
		pen.x = 3 + LABEL;
		pen_print(&pen, f->evidence[i].kind == MODEL_TEXT ? "%s: %s" : "%s",
			  f->evidence[i].label ? f->evidence[i].label : f->evidence[i].key, text);
	}
	return y;
}

/* The remedy as a command that can be typed: what was run, with the switch. */
static void remedy(const struct ui *ui, const struct model_finding *f, int width, char *out,
		   size_t size)
{
	char command[1024];

	if (f->release_helps) {
		phrase_command(ui->model, width - 45, command, sizeof(command));
		snprintf(out, size, "loopmem run --release-idle-workers -- %s", command);
	} else {
		words_advice(out, size, ui->model, f);
	}
}

static int draw_word(struct cells *cells, int y, const char *word)
{
	struct pen pen = pen_at(cells, y, 3);

	pen_role(&pen, ROLE_STRONG, word);
	return y;
}

/* The command first, or what to change; then where more is said. */
static int draw_remedy(const struct ui *ui, struct cells *cells, int y, int end,
		       const struct model_finding *f)
{
	char text[1200];

	if (y >= end)
		return y;
	remedy(ui, f, cells->width, text, sizeof(text));
	if (*text)
		y = paragraph_draw(cells, draw_word(cells, y, "Do"), end, 7, text);
	/* on a small screen the last line, which tells where more is said, is worth more */
	if (f->release_helps && words_release_peak(text, sizeof(text), ui->model)[0] && y + 2 < end)
		y = paragraph_draw(cells, y, end, 7, text);
	if (f->release_helps && f->advice && *f->advice && y < end)
		y = paragraph_draw(cells, draw_word(cells, y, "Or"), end, 7, f->advice);
	if (y < end) {
		snprintf(text, sizeof(text), "loopmem help %s", f->id);
		y = paragraph_draw(cells, draw_word(cells, y, "?"), end, 7, text);
	}
	return y;
}

static int draw_finding(const struct ui *ui, struct cells *cells, int y, int end,
			const struct model_finding *f)
{
	int roomy = end - y >= 20;
	char place[1200];
	char letter[2] = {"NWE"[f->severity], '\0'};
	struct pen pen = pen_at(cells, y++, 1);

	pen_role(&pen, role_of_severity(f->severity), letter);
	pen_print(&pen, " %s", f->id);
	y = paragraph_draw(cells, y + roomy, end, 3, f->title);
	if (f->text && *f->text)
		y = paragraph_draw(cells, y, end, 3, f->text);
	if (site_of_finding(place, sizeof(place), ui->model, f, ui->glyphs != GLYPHS_ASCII)[0])
		y = paragraph_draw(cells, y, end, 3, place);
	y = draw_evidence(cells, y + roomy, end - 2, f);
	return draw_remedy(ui, cells, y + roomy, end, f);
}

/* ---- the screen ----------------------------------------------------------------------------------------------------- */

static void draw_nothing(const struct ui *ui, struct cells *cells, int y)
{
	const struct model_totals *totals = &ui->model->totals;
	char idle[FORMAT_MAX], overlap[FORMAT_MAX], share[FORMAT_MAX], text[256];

	format_bytes(idle, totals->idle_max_bytes);
	format_bytes(overlap, totals->overlap_max_bytes);
	if (totals->limit_bytes == MODEL_NONE)
		snprintf(text, sizeof(text), "Nothing to report. Held idle %s, overlap %s.", idle,
			 overlap);
	else
		snprintf(text, sizeof(text),
			 "Nothing to report. Held idle %s, overlap %s, peak %s of the limit.", idle,
			 overlap, format_percent(share, totals->peak_bytes, totals->limit_bytes));
	paragraph_draw(cells, y + 1, cells->height, 3, text);
}

/* What went wrong or was left out while it was measured: never silent, on the lowest lines that are free. */
static void draw_notes(const struct ui *ui, struct cells *cells, int y, int end)
{
	const struct model *m = ui->model;
	char text[512];

	for (size_t i = 0; i < m->note_count && y < end; i++) {
		snprintf(text, sizeof(text),
			 m->notes[i].count > 1 ? "Note: %s (%lld times)" : "Note: %s",
			 m->notes[i].text, (long long)m->notes[i].count);
		y = paragraph_draw(cells, y, end, 1, text);
	}
}

static void draw_hints(struct cells *cells, int y)
{
	struct pen pen = pen_at(cells, y, 1);

	pen_text(&pen, "Enter go to the moment   ] [ next, previous moment   y copy the remedy");
	pen = pen_at(cells, y + 1, 1);
	pen_role(&pen, ROLE_ERROR, "E");
	pen_text(&pen, " error  ");
	pen_role(&pen, ROLE_WARNING, "W");
	pen_text(&pen, " warning  ");
	pen_role(&pen, ROLE_NOTICE, "N");
	pen_text(&pen, " notice     f without notices");
}

static void draw(struct ui *ui, struct cells *cells, int y, int height)
{
	int end = y + height, hints = height >= 14 ? 3 : 0, rows;
	const struct model_finding *f;
	struct sheet sheet = {0};

	if (!ui_moments(ui))
		return;
	if (!ui->model->finding_count) {
		draw_nothing(ui, cells, y);
		draw_notes(ui, cells, y + 3, end);
		return;
	}
	if (!ui_sheet(ui, &sheet))
		return;
	rows = sheet.row_count + 1 < height / 2 ? sheet.row_count + 1 : height / 2;
	y = ui_draw_sheet(ui, cells, &sheet, y, rows < 3 ? height : rows);
	sheet_release(&sheet);
	f = selected_finding(ui);
	if (f && end - hints - y > 2)
		y = draw_finding(ui, cells, y + 1, end - hints, f);
	draw_notes(ui, cells, y + 1, end - hints);
	if (hints)
		draw_hints(cells, end - 2);
}

static int step(struct ui *ui, int direction)
{
	const struct model_finding *f = selected_finding(ui);
	int64_t found = MODEL_NONE, at = ui->time.cursor_ns;

	for (size_t i = 0; f && i < f->moment_count; i++) {
		int round = model_round_at(ui->model, f->moments[i]);
		int64_t t = round < 0 ? f->moments[i] : ui->model->rounds[round].t_ns;

		if (direction > 0 && t > at && (found == MODEL_NONE || t < found))
			found = t;
		if (direction < 0 && t < at && (found == MODEL_NONE || t > found))
			found = t;
	}
	if (found == MODEL_NONE)
		return 0;
	timeline_seek(&ui->time, ui->model, found);
	return 1;
}

static void go_in(struct ui *ui)
{
	const struct model_finding *f = selected_finding(ui);
	char t[FORMAT_MAX];

	if (!f || !f->moment_count)
		return;
	timeline_seek(&ui->time, ui->model, f->moments[0]);
	ui_moved(ui);
	ui_say(ui, "%s: worst at %s", f->id, format_moment(t, f->moments[0]));
}

static void flip(struct ui *ui)
{
	ui->switched[SCREEN_FINDINGS] ^= 1;
	ui_say(ui, ui->switched[SCREEN_FINDINGS] ? "errors and warnings only" : "all findings");
}

static void copy(struct ui *ui, char *out, size_t size)
{
	const struct model_finding *f = selected_finding(ui);

	if (f)
		remedy(ui, f, 10000, out, size);
}

const struct screen screen_findings = {
	.name = "Findings",
	.draw = draw,
	.build = build,
	.go_in = go_in,
	.flip = flip,
	.copy = copy,
	.step = step,
};
