/* The chart's arithmetic; see chart.h. */
#include "tui/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000000)

enum { BAR = 0x2502, LINE = 0x2500, DOUBLE = 0x2550, LABELS = 3 };

/* The least value of `factors` x 10^n that is not under `least`; the last factor is 10. */
static double round_up(double least, const double *factors)
{
	double decade = pow(10, floor(log10(least)));

	while (*factors * decade < least * (1 - 1e-9) && *factors < 10)
		factors++;
	return *factors * decade;
}

static int64_t unit_bytes(enum format_unit unit)
{
	return INT64_C(1024) << (10 * (int)(unit - FORMAT_KIB));
}

struct plot_scale plot_scale(int64_t peak_bytes, int64_t limit_bytes, int rows)
{
	static const double tops[] = {1, 2, 3, 5, 10}, steps[] = {1, 2, 5, 10};
	struct plot_scale scale = {.rows = rows, .limit_bytes = limit_bytes};
	int64_t most = peak_bytes > 1 ? peak_bytes : 1;
	double unit, top;

	if (limit_bytes != MODEL_NONE && peak_bytes < limit_bytes / 4)
		scale.limit_bytes = MODEL_NONE;
	if (scale.limit_bytes > most)
		most = scale.limit_bytes;
	scale.unit = format_unit_for(most);
	unit = (double)unit_bytes(scale.unit);
	top = round_up((double)most / unit, tops);
	scale.top_bytes = (int64_t)(top * unit);
	scale.step_bytes = (int64_t)(round_up(top / LABELS, steps) * unit);
	return scale;
}

int plot_row(const struct plot_scale *scale, int64_t bytes)
{
	int row = (int)((double)bytes / (double)scale->top_bytes * scale->rows);

	return row < 0 ? 0 : row >= scale->rows ? scale->rows - 1 : row;
}

void plot_label(const struct plot_scale *scale, int row, char *out)
{
	int64_t value = 0;

	*out = '\0';
	if (scale->limit_bytes != MODEL_NONE && plot_row(scale, scale->limit_bytes) == row) {
		value = scale->limit_bytes;
	} else {
		while (value < scale->top_bytes && plot_row(scale, value) != row)
			value += scale->step_bytes;
		if (value >= scale->top_bytes)
			return;
		if (scale->limit_bytes != MODEL_NONE && value > scale->limit_bytes)
			return;
	}
	snprintf(out, FORMAT_MAX, "%.*f", scale->step_bytes < unit_bytes(scale->unit),
		 (double)value / (double)unit_bytes(scale->unit));
}

void plot_stack(const struct plot_scale *scale, const int64_t *bytes, size_t count,
		size_t idle_from, int *ends)
{
	double per_row = (double)scale->top_bytes / scale->rows, sum = 0;
	size_t first_idle = count;

	for (size_t i = 0; i < count; i++) {
		sum += (double)bytes[i];
		ends[i] = sum < (double)scale->top_bytes ? (int)lround(sum / per_row) : scale->rows;
		if (i >= idle_from && bytes[i] > 0 && first_idle == count)
			first_idle = i;
	}
	if (first_idle == count || ends[count - 1] > (idle_from ? ends[idle_from - 1] : 0))
		return;
	for (size_t i = 0; i < count; i++) /* make room below the top edge, then one row */
		if (ends[i] == scale->rows)
			ends[i]--;
	for (size_t i = first_idle; i < count; i++)
		ends[i]++;
}

int plot_column(const struct plot_span *span, int64_t t_ns)
{
	double share = (double)(t_ns - span->start_ns) / (double)(span->end_ns - span->start_ns);

	return (int)floor(share * span->columns);
}

int64_t plot_column_ns(const struct plot_span *span, int column)
{
	double share = (double)column / span->columns;

	return span->start_ns + (int64_t)ceil(share * (double)(span->end_ns - span->start_ns));
}

int64_t plot_tick_ns(const struct plot_span *span, int label_columns)
{
	static const int64_t seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
					  600, 900, 1800, 3600, 7200, 14400, 21600, 43200};
	double least =
		(double)(span->end_ns - span->start_ns) / span->columns * label_columns / 1e9;
	int64_t day = 86400;

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		if ((double)seconds[i] >= least)
			return seconds[i] * SECOND;
	while ((double)day < least)
		day *= 2;
	return day * SECOND;
}

const char *plot_stage_brief(enum model_stage stage)
{
	static const char *const names[MODEL_STAGES] = {"other", "train", "san",
							"val",   "test",  "pred"};

	return names[stage];
}

/* The longest name of a phase that fits `room` columns. */
static const char *fitting_name(const struct model_phase *phase, int room, char *out)
{
	const char *brief = plot_stage_brief(phase->stage);
	int has_epoch = phase->epoch != MODEL_NONE, epoch = (int)(has_epoch ? phase->epoch : 0);
	char tries[4][64];

	snprintf(tries[0], 64, " %.60s ", phase->name ? phase->name : brief);
	snprintf(tries[1], 64, has_epoch ? "%s e%d" : "%s", brief, epoch);
	snprintf(tries[2], 64, has_epoch ? "%s%d" : "%s", brief, epoch);
	snprintf(tries[3], 64, "%.1s", brief);
	for (int i = 0; i < 4; i++)
		if ((int)strlen(tries[i]) <= room)
			return strcpy(out, tries[i]);
	return strcpy(out, "");
}

static void draw_phase(const struct model_phase *phase, int from, int to, wchar_t *out)
{
	wchar_t fill = phase->stage == MODEL_STAGE_TRAIN ? DOUBLE : LINE;
	char name[64];
	int x = from;

	out[x++] = BAR;
	if (phase->between) {
		while (x < to)
			out[x++] = L' ';
		return;
	}
	fitting_name(phase, to - x, name);
	for (const char *c = name; *c; c++)
		out[x++] = (unsigned char)*c < 0x80 ? (wchar_t)*c : L'?';
	while (x < to)
		out[x++] = fill;
}

void plot_band(const struct model *m, const struct plot_span *span, int owner, wchar_t *out)
{
	for (int x = 0; x < span->columns; x++)
		out[x] = L' ';
	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];
		int64_t end_ns = phase->end_ns == MODEL_NONE ? m->last_ns : phase->end_ns;
		int from = plot_column(span, phase->start_ns), to = plot_column(span, end_ns);

		if (owner >= 0 && phase->owner != owner)
			continue;
		if (end_ns < span->start_ns || from >= span->columns)
			continue;
		from = from < 0 ? 0 : from;
		to = to > span->columns ? span->columns : to <= from ? from + 1 : to;
		draw_phase(phase, from, to, out);
	}
}
