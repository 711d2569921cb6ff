/* The text of loopmem diff; see diff.h. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/view/diff.h"
#include "profiler/view/format.h"
#include "profiler/view/words.h"

enum { NAME_COLUMN = 28, CELL_COLUMN = 10 };

static enum format_unit unit_of(const struct difference *d)
{
	int64_t a = d->base->totals.peak_bytes, b = d->head->totals.peak_bytes;

	return format_unit_for(a > b ? a : b);
}

static int decimals_of(enum format_unit unit)
{
	return unit >= FORMAT_GIB ? 1 : 0;
}

/* "-31%"; "" when the base is nothing. */
static char *percent(char *out, double base, double head)
{
	double change = base > 0 ? 100 * (head - base) / base : 0;

	out[0] = '\0';
	if (change > 999)
		strcpy(out, ">999%");
	else if (base > 0)
		snprintf(out, FORMAT_MAX, "%+.0f%%", fabs(change) < 0.5 ? 0.0 : change);
	return out;
}

/* "26.4 -> 18.1 GiB   -8.3 GiB" */
static void arrow(FILE *out, const struct difference *d, int64_t base, int64_t head)
{
	enum format_unit unit = unit_of(d);
	char a[FORMAT_MAX], b[FORMAT_MAX], change[FORMAT_MAX];

	fprintf(out, "%s -> %s %s   %s %s", format_cell(a, base, unit, decimals_of(unit)),
		format_cell(b, head, unit, decimals_of(unit)), format_unit_name(unit),
		format_difference_cell(change, head - base, unit, decimals_of(unit)),
		format_unit_name(unit));
}

static void peak_line(FILE *out, const struct difference *d)
{
	const struct model_totals *a = &d->base->totals, *b = &d->head->totals;
	char share[FORMAT_MAX], limit[FORMAT_MAX], moment[FORMAT_MAX], when[WORDS_MAX],
		change[FORMAT_MAX];

	fputs("Peak       ", out);
	arrow(out, d, a->peak_bytes, b->peak_bytes);
	fprintf(out,
		"  %s    head: ", percent(change, (double)a->peak_bytes, (double)b->peak_bytes));
	if (b->limit_bytes != MODEL_NONE)
		fprintf(out, "%s of %s ", format_percent(share, b->peak_bytes, b->limit_bytes),
			format_bytes(limit, b->limit_bytes));
	words_when(when, sizeof(when), d->head, b->peak_at_ns);
	fprintf(out, "at %s%s%s\n", format_moment(moment, b->peak_at_ns), when[0] ? ", " : "",
		when);
}

static void idle_line(FILE *out, const struct difference *d)
{
	const struct model_totals *a = &d->base->totals, *b = &d->head->totals;
	enum format_unit unit = unit_of(d);
	char before[FORMAT_MAX], after[FORMAT_MAX];

	fputs("Held idle  ", out);
	arrow(out, d, a->idle_max_bytes, b->idle_max_bytes);
	fprintf(out, "         average %s -> %s %s\n",
		format_cell(before, a->idle_average_bytes, unit, decimals_of(unit)),
		format_cell(after, b->idle_average_bytes, unit, decimals_of(unit)),
		format_unit_name(unit));
}

/* Memory of one worker of the pools of a stage, when the runs have different numbers of them. */
static void per_worker(FILE *out, const struct difference *d)
{
	for (int i = 0; i < MODEL_STAGES; i++) {
		enum model_stage stage = (enum model_stage)i;
		int64_t a = difference_workers(d->base, stage),
			b = difference_workers(d->head, stage);
		char key[48], before[FORMAT_MAX], after[FORMAT_MAX];
		const struct difference_figure *f;

		snprintf(key, sizeof(key), "%s.memory_bytes", model_stage_name(stage));
		f = difference_find(d, key);
		if (a == b || !a || !b || !f)
			continue;
		fprintf(out, "; per worker: %s -> %s", format_bytes(before, (int64_t)f->base / a),
			format_bytes(after, (int64_t)f->head / b));
		return;
	}
}

static void time_words(FILE *out, const struct difference *d)
{
	const struct difference_figure *f = difference_find(d, "duration_s");
	char before[FORMAT_MAX], after[FORMAT_MAX];

	fprintf(out, ", time %s (%s -> %s)\n",
		!f->counted         ? "the same"
		: f->head < f->base ? "shorter"
				    : "longer",
		format_duration(before, d->base->totals.duration_ns),
		format_duration(after, d->head->totals.duration_ns));
}

static void number(FILE *out, size_t n, const char *word)
{
	if (n)
		fprintf(out, "%zu %s", n, word);
	else
		fprintf(out, "none %s", word);
}

static void verdict_line(FILE *out, const struct difference *d)
{
	fprintf(out, "Verdict    %s", difference_verdict_name(d->verdict));
	if (d->verdict == DIFFERENCE_INCOMPARABLE) {
		fprintf(out, ": %s", d->reasons[0]);
		per_worker(out, d);
		fputc('\n', out);
		return;
	}
	if (d->verdict == DIFFERENCE_SAME) {
		fputs(": no figure changed by more than its noise", out);
	} else if (d->up && !d->down) {
		fprintf(out, ": %zu figure%s up, none down", d->up, d->up == 1 ? "" : "s");
	} else {
		fprintf(out, ": %zu figure%s down, ", d->down, d->down == 1 ? "" : "s");
		number(out, d->up, "up");
	}
	time_words(out, d);
}

/* ---- the table --------------------------------------------------------------------------------------- */

static char *cell(char *out, const struct difference_figure *f, double value, enum format_unit unit)
{
	if (isnan(value))
		return strcpy(out, "-");
	if (f->unit == DIFFERENCE_SECONDS)
		return format_duration_cell(out, (int64_t)llround(value * 1e9));
	return format_cell(out, (int64_t)value, unit, decimals_of(unit));
}

static char *change_cell(char *out, const struct difference_figure *f, enum format_unit unit)
{
	double change = f->head - f->base;

	if (isnan(change))
		return strcpy(out, "-");
	if (f->unit == DIFFERENCE_SECONDS)
		format_duration_change_cell(out, llround(change * 1e9));
	else
		format_difference_cell(out, (int64_t)change, unit, decimals_of(unit));
	return out;
}

static char *noise_cell(char *out, const struct difference_figure *f, enum format_unit unit)
{
	char size[FORMAT_MAX];

	if (isnan(f->noise))
		return strcpy(out, "?");
	if (f->unit == DIFFERENCE_SECONDS)
		snprintf(out, FORMAT_MAX, "+-%s",
			 format_duration_cell(size, llround(f->noise * 1e9)));
	else
		snprintf(out, FORMAT_MAX, "+-%s",
			 format_cell(size, (int64_t)f->noise, unit, decimals_of(unit)));
	return out;
}

static int is_nothing(const struct difference_figure *f)
{
	return (isnan(f->base) || f->base == 0) && (isnan(f->head) || f->head == 0);
}

static void table(FILE *out, const struct difference *d)
{
	enum format_unit unit = unit_of(d);

	fprintf(out, "\n  %-*s%*s%*s%*s%8s%10s\n", NAME_COLUMN, "", CELL_COLUMN, "BASE",
		CELL_COLUMN, "HEAD", CELL_COLUMN, "CHANGE", "", "noise");
	for (size_t i = 0; i < d->figure_count; i++) {
		const struct difference_figure *f = &d->figures[i];
		char base[FORMAT_MAX], head[FORMAT_MAX], change[FORMAT_MAX], share[FORMAT_MAX],
			noise[FORMAT_MAX];

		if (is_nothing(f))
			continue;
		fprintf(out, "%c %-*s%*s%*s%*s%8s%10s\n", f->counted ? '*' : ' ', NAME_COLUMN,
			f->name, CELL_COLUMN, cell(base, f, f->base, unit), CELL_COLUMN,
			cell(head, f, f->head, unit), CELL_COLUMN, change_cell(change, f, unit),
			percent(share, f->base, f->head), noise_cell(noise, f, unit));
	}
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

static void list_findings(FILE *out, const struct model *of, const struct model *other, int both,
			  const char *word)
{
	int any = 0;

	for (size_t i = 0; i < of->finding_count; i++) {
		if (difference_has_finding(other, of->findings[i].id) != both)
			continue;
		fprintf(out, "%s%s", any ? ", " : word, of->findings[i].id);
		any = 1;
	}
}

static void findings_line(FILE *out, const struct difference *d)
{
	if (!d->base->finding_count && !d->head->finding_count)
		return;
	fputs("Findings ", out);
	list_findings(out, d->base, d->head, 0, "  gone: ");
	list_findings(out, d->head, d->base, 0, "  new: ");
	list_findings(out, d->head, d->base, 1, "  still: ");
	fputc('\n', out);
}

static void run_line(FILE *out, const char *which, const struct model *m, int utf8)
{
	char file[WORDS_MAX];
	int any = 0;

	fprintf(out, "  %s  %s", which, words_safe(file, sizeof(file), m->file, utf8));
	for (int i = 0; i < MODEL_STAGES; i++) {
		int64_t workers = difference_workers(m, (enum model_stage)i);

		if (workers) {
			fprintf(out, "%s%lld %s", any ? " + " : "  ", (long long)workers,
				model_stage_name((enum model_stage)i));
			any = 1;
		}
	}
	fputs(any ? " workers\n" : "\n", out);
}

int diff_text(FILE *out, const struct difference *d, const struct report_options *options)
{
	peak_line(out, d);
	idle_line(out, d);
	verdict_line(out, d);
	table(out, d);
	fputc('\n', out);
	findings_line(out, d);
	fprintf(out,
		"* changed by more than the noise and 2 %% of the peak (times: 2 %% and 0.25 s). Sizes in %s.\n"
		"  noise: half the spread of equal pools within each run; ? where there is one\n",
		format_unit_name(unit_of(d)));
	run_line(out, "base", d->base, options->utf8);
	run_line(out, "head", d->head, options->utf8);
	for (size_t i = 0; i < d->reason_count; i++)
		fprintf(out, "%s%s", i ? ", " : "  not alike: ", d->reasons[i]);
	if (d->reason_count)
		fputc('\n', out);
	return 0;
}
