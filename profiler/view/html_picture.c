/*
 * The static picture of the timeline: shapes in an SVG that is stretched to its box, labels beside it that are not. It is what prints, what
 * mail shows, and what is there without scripts. The scripts take its colours and its scale.
 */
#include <string.h>

#include "profiler/view/chart.h"
#include "profiler/view/html.h"

enum { WIDTH = 1000, HEIGHT = 300 };

struct picture {
	const struct html *h;
	int64_t top_bytes; /* of the scale */
	int64_t duration_ns;
};

static double x_of(const struct picture *p, int64_t t_ns)
{
	return p->duration_ns > 0 ? (double)t_ns * WIDTH / (double)p->duration_ns : 0;
}

static double y_of(const struct picture *p, int64_t bytes)
{
	return HEIGHT - (double)bytes * HEIGHT / (double)p->top_bytes;
}

/* What lies under a column in a row. */
static int64_t below(const struct html_series *s, size_t column, size_t row)
{
	int64_t sum = 0;

	for (size_t i = column + 1; i < s->column_count; i++)
		sum += s->columns[i].bytes[row];
	return sum;
}

static int64_t row_end(const struct picture *p, size_t row)
{
	const struct html_series *s = &p->h->series;

	return row + 1 < s->rows.count ? s->rows.t_ns[row + 1] : p->duration_ns;
}

/* One stretch in which the column is there: along its upper edge and back along the lower one, in steps. */
static void stretch(const struct picture *p, size_t column, size_t first, size_t end)
{
	const struct html_series *s = &p->h->series;

	fprintf(p->h->out, "M%.1f %.1f", x_of(p, s->rows.t_ns[first]),
		y_of(p, below(s, column, first)));
	for (size_t row = first; row < end; row++)
		fprintf(p->h->out, "V%.1fH%.1f",
			y_of(p, below(s, column, row) + s->columns[column].bytes[row]),
			x_of(p, row_end(p, row)));
	for (size_t row = end; row-- > first;)
		fprintf(p->h->out, "V%.1fH%.1f", y_of(p, below(s, column, row)),
			x_of(p, s->rows.t_ns[row]));
	fputs("Z", p->h->out);
}

static void area(const struct picture *p, size_t column)
{
	const struct html_series *s = &p->h->series;
	const struct html_column *c = &s->columns[column];

	fprintf(p->h->out, "<g class=\"area %s %s\"><path id=\"area%zu\" d=\"",
		html_kind_name(c->kind),
		c->kind == HTML_OWNER ? "s-owner" : model_stage_name(c->stage), column);
	for (size_t row = 0; row < s->rows.count; row++) {
		size_t first = row;

		while (row < s->rows.count && c->bytes[row])
			row++;
		if (row > first)
			stretch(p, column, first, row);
	}
	fputs("\"/>", p->h->out);
	if (c->kind == HTML_IDLE || c->kind == HTML_PARKED)
		fprintf(p->h->out, "<use href=\"#area%zu\" class=\"%s\"/>", column,
			c->kind == HTML_IDLE ? "hatch" : "dots");
	fputs("</g>\n", p->h->out);
}

static void bands(const struct picture *p)
{
	const struct model *m = p->h->m;

	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];

		if (phase->between || phase->owner != m->phases[0].owner)
			continue;
		fprintf(p->h->out,
			"<rect class=\"band %s\" x=\"%.1f\" y=\"0\" width=\"%.1f\" height=\"%d\"/>\n",
			model_stage_name(phase->stage), x_of(p, phase->start_ns),
			x_of(p, phase->end_ns) - x_of(p, phase->start_ns), HEIGHT);
	}
}

/* ---- labels, in per cent of the box ---- */

static double step_of_bytes(const struct picture *p, enum format_unit unit)
{
	static const double steps[] = {1, 2, 5};
	double top = format_in_unit(p->top_bytes, unit), scale = 1;

	for (;; scale *= 10)
		for (int i = 0; i < 3; i++)
			if (top / (steps[i] * scale) <= 6)
				return steps[i] * scale;
}

static void bytes_axis(const struct picture *p)
{
	enum format_unit unit = format_unit_for(p->top_bytes);
	double step = step_of_bytes(p, unit), top = format_in_unit(p->top_bytes, unit);

	for (double value = 0; value <= top; value += step)
		fprintf(p->h->out, "<span class=\"y\" style=\"bottom:%.2f%%\">%g%s%s</span>\n",
			value / top * 100, value, value + step > top ? " " : "",
			value + step > top ? format_unit_name(unit) : "");
}

static int64_t step_of_time(int64_t duration_ns)
{
	static const int seconds[] = {1,   2,   5,    10,   15,   30,    60,    120,  300,
				      600, 900, 1800, 3600, 7200, 14400, 43200, 86400};
	size_t i = 0;

	while (i + 1 < sizeof(seconds) / sizeof(seconds[0]) &&
	       duration_ns / 1000000000 / seconds[i] > 7)
		i++;
	return (int64_t)seconds[i] * 1000000000;
}

static void time_axis(const struct picture *p)
{
	int64_t step = step_of_time(p->duration_ns);
	char text[FORMAT_MAX];

	/* the last one would stand out of the box */
	for (int64_t t = 0; t <= p->duration_ns - step / 3; t += step)
		fprintf(p->h->out, "<span class=\"x\" style=\"left:%.2f%%\">%s</span>\n",
			x_of(p, t) / WIDTH * 100, format_moment(text, t));
}

static void phase_names(const struct picture *p)
{
	const struct model *m = p->h->m;

	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];

		if (phase->between || phase->owner != m->phases[0].owner)
			continue;
		fprintf(p->h->out, "<span class=\"phase\" style=\"left:%.2f%%;width:%.2f%%\">",
			x_of(p, phase->start_ns) / WIDTH * 100,
			(x_of(p, phase->end_ns) - x_of(p, phase->start_ns)) / WIDTH * 100);
		html_text(p->h, phase->name);
		fputs("</span>\n", p->h->out);
	}
}

static void limit_line(const struct picture *p, int64_t limit_bytes)
{
	char text[FORMAT_MAX];

	if (limit_bytes != MODEL_NONE)
		fprintf(p->h->out,
			"<span class=\"limit\" style=\"bottom:%.2f%%\"><b>limit %s</b></span>\n",
			100 - y_of(p, limit_bytes) / HEIGHT * 100, format_bytes(text, limit_bytes));
}

static void peak_mark(const struct picture *p)
{
	const struct model_totals *t = &p->h->m->totals;
	double left = x_of(p, t->peak_at_ns) / WIDTH * 100;
	char text[FORMAT_MAX], at[FORMAT_MAX];

	fprintf(p->h->out,
		"<span class=\"mark%s\" style=\"left:%.2f%%;bottom:%.2f%%\"><b>peak %s, %s</b></span>\n",
		left > 70 ? " left" : "", left, 100 - y_of(p, t->peak_bytes) / HEIGHT * 100,
		format_bytes(text, t->peak_bytes), format_moment(at, t->peak_at_ns));
}

void html_picture(const struct html *h)
{
	const struct model_totals *t = &h->m->totals;
	struct chart_scale scale = chart_scale_for(t->peak_bytes, t->limit_bytes);
	struct picture p = {h, scale.top_bytes, t->duration_ns};

	fprintf(h->out, "<div class=\"picture\" data-top=\"%lld\">\n", (long long)scale.top_bytes);
	fprintf(h->out,
		"<svg viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n"
		"<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
		"patternTransform=\"rotate(45)\"><path d=\"M1 0V6\"/></pattern>\n"
		"<pattern id=\"dots\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><circle cx=\"2\" "
		"cy=\"2\" r=\"1\"/></pattern></defs>\n",
		WIDTH, HEIGHT);
	bands(&p);
	for (size_t i = 0; i < h->series.column_count; i++)
		area(&p, i);
	fputs("</svg>\n", h->out);
	bytes_axis(&p);
	time_axis(&p);
	phase_names(&p);
	limit_line(&p, scale.limit_bytes);
	peak_mark(&p);
	fputs("</div>\n", h->out);
}
