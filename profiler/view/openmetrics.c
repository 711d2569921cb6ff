/*
 * The session as metrics that readers of OpenMetrics 1.0 take and those of the older text format too (promtool, the textfile collector): to the
 * latter UNIT and EOF are comments, but counters and info are spelled otherwise in the two. So everything is a gauge, which it is: a run that
 * ended counts no further, and the next one begins anew. No time stamps, nothing unknown.
 */
#include "profiler/view/openmetrics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/model/metrics.h"
#include "profiler/view/export.h"

enum { LINES_MOST = 2000 };

/* How the units are spelled at the end of a name. */
static const char *const unit_names[] = {
	[MODEL_UNIT_BYTES] = "bytes",
	[MODEL_UNIT_SECONDS] = "seconds",
	[MODEL_UNIT_BYTE_SECONDS] = "byte_seconds",
	[MODEL_UNIT_COUNT] = "",
};

struct writer {
	FILE *out;
	const struct model *m;
	const struct export_options *options;
	struct openmetrics_groups groups[OPENMETRICS_SCOPES];
};

static double value_of(const struct writer *w, const struct openmetrics_family *family,
		       const void *object)
{
	const struct model_metric *figure = openmetrics_figure(family);

	return figure ? figure->value(object) : family->value(w->m, object);
}

/* The largest of a group, or the sum; NaN when none is known. */
static double group_value(const struct writer *w, const struct openmetrics_family *family,
			  const struct openmetrics_group *group)
{
	double result = NAN;

	for (size_t i = 0; i < group->objects.count; i++) {
		double value = value_of(w, family, group->objects.items[i]);

		if (isnan(value))
			continue;
		if (isnan(result))
			result = value;
		else if (family->join == OPENMETRICS_SUM)
			result += value;
		else if (value > result)
			result = value;
	}
	return result;
}

static enum model_unit unit_of(const struct openmetrics_family *family)
{
	const struct model_metric *figure = openmetrics_figure(family);

	return figure ? figure->unit : family->unit;
}

static void print_head(const struct writer *w, const struct openmetrics_family *family)
{
	const struct model_metric *figure = openmetrics_figure(family);
	const char *unit = unit_names[unit_of(family)];

	fprintf(w->out, "# TYPE %s gauge\n", family->name);
	if (unit[0])
		fprintf(w->out, "# UNIT %s %s\n", family->name, unit);
	fprintf(w->out, "# HELP %s ", family->name);
	openmetrics_escape(w->out, figure ? figure->help : family->help);
	fputs(".\n", w->out);
}

static void print_number(FILE *out, double value)
{
	if (value == floor(value) && fabs(value) < 9e15)
		fprintf(out, "%.0f\n", value);
	else
		fprintf(out, "%.17g\n", value);
}

/* Bytes to the nearest multiple of --round, so that runs that are alike look alike. */
static double rounded(const struct writer *w, const struct openmetrics_family *family, double value)
{
	double step = (double)w->options->round_bytes;

	return step > 0 && unit_of(family) == MODEL_UNIT_BYTES ? floor(value / step + 0.5) * step
							       : value;
}

static void print_family(const struct writer *w, const struct openmetrics_family *family)
{
	const struct openmetrics_groups *groups = &w->groups[family->scope];
	int begun = 0;

	for (size_t i = 0; i < groups->list.count; i++) {
		double value = group_value(w, family, &groups->list.items[i]);

		if (isnan(value))
			continue;
		if (!begun++)
			print_head(w, family);
		fprintf(w->out, "%s%s ", family->name, groups->list.items[i].labels);
		print_number(w->out, rounded(w, family, value));
	}
}

static void info_label(FILE *out, const char *name, const char *value)
{
	if (!value || !value[0])
		return;
	fprintf(out, ",%s=\"", name);
	openmetrics_escape(out, value);
	fputc('"', out);
}

/* What the run was made with, as the labels of one sample. */
static void print_info(const struct writer *w)
{
	const struct model *m = w->m;
	const struct model_process *owner = NULL;

	for (size_t i = 0; i < m->process_count && !owner; i++)
		if (m->processes[i].role == MODEL_ROLE_OWNER)
			owner = &m->processes[i];
	fputs("# TYPE loopmem_session_info gauge\n"
	      "# HELP loopmem_session_info What was run with what.\n"
	      "loopmem_session_info{version=\"",
	      w->out);
	openmetrics_escape(w->out, m->version);
	fputc('"', w->out);
	for (size_t i = 0; i < m->fact_count; i++)
		if (!strcmp(m->facts[i].key, "arch") || !strcmp(m->facts[i].key, "torch"))
			info_label(w->out, m->facts[i].key, m->facts[i].value);
	if (owner) {
		info_label(w->out, "python", owner->python);
		info_label(w->out, "allocator", owner->allocator);
	}
	if (m->pool_count)
		info_label(w->out, "start_method", m->pools[0].start_method);
	fputs("} 1\n", w->out);
}

static int has_scope(const struct export_options *options, enum openmetrics_scope scope)
{
	if (options->given & EXPORT_TOTALS)
		return scope == OPENMETRICS_JOB;
	return (scope != OPENMETRICS_WORKER || options->given & EXPORT_PER_WORKER) &&
	       (scope != OPENMETRICS_SITE || options->given & EXPORT_SITES);
}

/* --totals leaves the job's own bytes: what two runs are compared by. */
static int is_wanted(const struct export_options *options, const struct openmetrics_family *family)
{
	return has_scope(options, family->scope) &&
	       (!(options->given & EXPORT_TOTALS) || unit_of(family) == MODEL_UNIT_BYTES);
}

static int write_families(struct writer *w)
{
	int failed = 0;

	for (int scope = 0; scope < OPENMETRICS_SCOPES; scope++) {
		if (!has_scope(w->options, (enum openmetrics_scope)scope))
			continue;
		openmetrics_group_objects(&w->groups[scope], w->m, (enum openmetrics_scope)scope,
					  w->options->sites);
		failed |= w->groups[scope].failed;
	}
	print_info(w);
	for (size_t i = 0; i < openmetrics_family_count; i++)
		if (is_wanted(w->options, &openmetrics_families[i]))
			print_family(w, &openmetrics_families[i]);
	fputs("# EOF\n", w->out);
	for (int scope = 0; scope < OPENMETRICS_SCOPES; scope++)
		openmetrics_groups_release(&w->groups[scope]);
	return failed ? -1 : 0;
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

int export_openmetrics(FILE *out, const struct model *m, const struct export_options *options,
		       struct error *e)
{
	char *text = NULL;
	size_t size, lines;
	struct writer w = {.out = open_memstream(&text, &size), .m = m, .options = options};
	int failed = !w.out || write_families(&w) < 0;

	if (w.out && fclose(w.out))
		failed = 1;
	lines = failed ? 0 : count_lines(text);
	if (!failed && lines <= LINES_MOST)
		fwrite(text, 1, size, out);
	free(text);
	if (failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the metrics");
	if (lines <= LINES_MOST)
		return 0;
	error_set(e, ERROR_USAGE, "%zu lines of metrics, at most %d are written", lines,
		  LINES_MOST);
	error_hint(e, "%s",
		   options->given & EXPORT_PER_WORKER ? "leave out --per-worker"
						      : "export each rank's session by itself");
	return ERROR_USAGE;
}
