/* The chart's arithmetic; see chart_scale.h. */
#include "profiler/view/chart_scale.h"

#include <math.h>
#include <stdio.h>

#include "profiler/model/model.h"

#define NS_PER_S INT64_C(1000000000)

enum { COLUMNS_PER_TICK = 12 };

static double round_up(double value)
{
	static const double steps[] = {1, 2, 3, 4, 5, 6, 8, 10};
	double power = pow(10, floor(log10(value)));

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (value <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

struct chart_scale chart_scale_for(int64_t peak_bytes, int64_t limit_bytes)
{
	struct chart_scale scale = {.limit_bytes = limit_bytes};
	int64_t top = peak_bytes > 0 ? peak_bytes : 1 << 20;

	if (limit_bytes != MODEL_NONE && limit_bytes / 4 > top)
		scale.limit_bytes = MODEL_NONE;
	else if (limit_bytes != MODEL_NONE && limit_bytes > top)
		top = limit_bytes;
	scale.unit = format_unit_for(top);
	scale.top_bytes = (int64_t)(round_up(format_in_unit(top, scale.unit)) *
				    ((double)top / format_in_unit(top, scale.unit)));
	return scale;
}

int chart_row(const struct chart_scale *scale, int rows, int64_t bytes)
{
	int row = (int)floor((double)bytes * rows / (double)scale->top_bytes + 1e-9);

	return row < 0 ? 0 : row < rows ? row : rows - 1;
}

/* The distance of round values, for three or four of them: 1 is halved, 2 and 3 go by 1, 4 to 6 by 2, 8 by 4. */
static double label_step(double top)
{
	double power = pow(10, floor(log10(top) + 1e-9)), first = round(top / power);

	return first == 1 ? top / 2 : first < 4 ? power : first < 8 ? 2 * power : 4 * power;
}

static void print_label(double value, char *out)
{
	snprintf(out, FORMAT_MAX, value == floor(value) || value >= 99.95 ? "%.0f" : "%.1f", value);
}

void chart_label(const struct chart_scale *scale, int rows, int row, char *out)
{
	double top = format_in_unit(scale->top_bytes, scale->unit), step = label_step(top);
	int limited = scale->limit_bytes != MODEL_NONE;

	*out = '\0';
	if (limited && chart_row(scale, rows, scale->limit_bytes) == row) {
		print_label(round(format_in_unit(scale->limit_bytes, scale->unit) * 10) / 10, out);
		return;
	}
	for (double value = 0; value <= top * (1 + 1e-9); value += step) {
		int64_t bytes = (int64_t)(value / top * (double)scale->top_bytes + 0.5);

		/* the top edge is named when no limit says how high it is */
		if (chart_row(scale, rows, bytes) == row &&
		    (!limited || bytes < scale->limit_bytes))
			print_label(value, out);
	}
}

void chart_stack(const struct chart_scale *scale, int rows, const int64_t *bytes, size_t count,
		 size_t idle_from, int *ends)
{
	double row_bytes = (double)scale->top_bytes / rows, sum = 0;
	size_t first_idle = count;

	for (size_t i = 0; i < count; i++) {
		sum += (double)bytes[i];
		ends[i] = sum < (double)scale->top_bytes ? (int)lround(sum / row_bytes) : rows;
		if (i >= idle_from && bytes[i] > 0 && first_idle == count)
			first_idle = i;
	}
	if (first_idle == count || ends[count - 1] > (idle_from ? ends[idle_from - 1] : 0))
		return;
	/* too little for a row of its own, but never hidden: it takes the top one */
	for (size_t i = 0; i < count; i++)
		if (ends[i] > 0 && ends[i] == ends[count - 1])
			ends[i]--;
	for (size_t i = first_idle; i < count; i++)
		ends[i]++;
}

int chart_column(const struct chart_span *span, int64_t t_ns)
{
	double length = (double)(span->end_ns - span->start_ns);

	return length > 0 ? (int)floor((double)(t_ns - span->start_ns) / length * span->columns)
			  : 0;
}

int64_t chart_column_ns(const struct chart_span *span, int column)
{
	double share = (double)column / span->columns;

	return span->start_ns + (int64_t)ceil(share * (double)(span->end_ns - span->start_ns));
}

int64_t chart_tick_ns(const struct chart_span *span)
{
	static const int64_t steps_s[] = {1,     2,     5,     10,    15,     30,    60,
					  120,   240,   600,   900,   1800,   3600,  7200,
					  14400, 21600, 43200, 86400, 172800, 604800};
	double least_s =
		(double)(span->end_ns - span->start_ns) / span->columns * COLUMNS_PER_TICK / 1e9;
	size_t i = 0;

	while (i + 1 < sizeof(steps_s) / sizeof(steps_s[0]) && (double)steps_s[i] < least_s)
		i++;
	return steps_s[i] * NS_PER_S;
}
