/* The session as OpenMetrics 1.0: families one after the other, nothing unknown, no time stamps, "# EOF" at the end. */
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

	for (size_t i = 0; i < group->count; i++) {
		double value = value_of(w, family, group->objects[i]);

		if (isnan(value))
			continue;
		if (isnan(result))
			result = value;
		else if (family->type == OPENMETRICS_COUNTER)
			result += value;
		else if (value > result)
			result = value;
	}
	return result;
}

/* Before OpenMetrics the name of a counter was that of its sample. */
static void print_head(const struct writer *w, const struct openmetrics_family *family)
{
	const struct model_metric *figure = openmetrics_figure(family);
	const char *unit = unit_names[figure ? figure->unit : family->unit];
	int classic = !!(w->options->given & EXPORT_CLASSIC);
	const char *end = classic && family->type == OPENMETRICS_COUNTER ? "_total" : "";

	fprintf(w->out, "# TYPE %s%s %s\n", family->name, end,
		family->type == OPENMETRICS_COUNTER ? "counter" : "gauge");
	if (unit[0] && !classic)
		fprintf(w->out, "# UNIT %s %s\n", family->name, unit);
	fprintf(w->out, "# HELP %s%s ", family->name, end);
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

static void print_family(const struct writer *w, const struct openmetrics_family *family)
{
	const struct openmetrics_groups *groups = &w->groups[family->scope];
	int begun = 0;

	for (size_t i = 0; i < groups->count; i++) {
		double value = group_value(w, family, &groups->items[i]);

		if (isnan(value))
			continue;
		if (!begun++)
			print_head(w, family);
		fprintf(w->out, "%s%s%s ", family->name,
			family->type == OPENMETRICS_COUNTER ? "_total" : "",
			groups->items[i].labels);
		print_number(w->out, value);
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
	if (w->options->given & EXPORT_CLASSIC)
		fputs("# TYPE loopmem_session_info gauge\n"
		      "# HELP loopmem_session_info What was run with what.\n",
		      w->out);
	else
		fputs("# TYPE loopmem_session info\n# HELP loopmem_session What was run with what.\n",
		      w->out);
	fprintf(w->out, "loopmem_session_info{version=\"");
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

static int write_families(struct writer *w)
{
	int failed = 0;

	for (int scope = 0; scope < OPENMETRICS_SCOPES; scope++) {
		if (scope == OPENMETRICS_WORKER && !(w->options->given & EXPORT_PER_WORKER))
			continue;
		openmetrics_group_objects(&w->groups[scope], w->m, (enum openmetrics_scope)scope);
		failed |= w->groups[scope].failed;
	}
	print_info(w);
	for (size_t i = 0; i < openmetrics_family_count; i++)
		print_family(w, &openmetrics_families[i]);
	if (!(w->options->given & EXPORT_CLASSIC))
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
	struct writer w = {open_memstream(&text, &size), m, options, {{0}}};
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
