/* loopmem export: a session for other tools. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/cmd/choice.h"
#include "profiler/cmd/command.h"
#include "profiler/cmd/format_option.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/site_filter.h"
#include "profiler/cmd/whole_file.h"
#include "profiler/size.h"
#include "profiler/view/export.h"

enum { KEY_PER_WORKER = 0x100, KEY_TOTALS, KEY_ROUND, KEY_SITES, KEY_TABLE, KEY_WEIGHT, KEY_LINES };
enum { SITES_MOST = 20 };

struct arguments {
	const struct export_format *format;
	struct export_options options;
	struct site_filter filter;
	const char *output, *file;
};

static const struct argp_option options[] = {
	{"format", 'f', "openmetrics|perfetto|csv|collapsed|speedscope|pprof", 0,
	 "what to write (by the ending of -o FILE)", 0},
	{"output", 'o', "FILE", 0, "write to FILE instead of the standard output", 0},
	{"table", KEY_TABLE, "TABLE", 0,
	 "csv: pools (which is taken without it), workers, phases, timeline, totals, peak, owners, "
	 "findings, sites, reconciliation or overhead",
	 0},
	{"per-worker", KEY_PER_WORKER, NULL, 0, "openmetrics: the figures of each worker too", 0},
	{"sites", KEY_SITES, "N", 0, "openmetrics: the N largest call sites too (at most 20)", 0},
	{"totals", KEY_TOTALS, NULL, 0, "openmetrics: the job's own bytes alone", 0},
	SITE_FILTER_OPTIONS,
	{"weight", KEY_WEIGHT, "live|allocated|blocks|allocated-blocks", 0,
	 "call sites: what is counted: bytes or blocks, live at the moment or ever allocated (live)",
	 0},
	{"lines", KEY_LINES, NULL, 0, "collapsed: a frame for each line, not for each function", 0},
	{"round", KEY_ROUND, "SIZE", 0, "openmetrics: bytes in multiples of SIZE", 0},
	{0},
};

/* The options that only some formats take, by the bit of each. */
static const struct format_special special[] = {
	{EXPORT_PER_WORKER, "--per-worker"},
	{EXPORT_SITES, "--sites"},
	{EXPORT_TOTALS, "--totals"},
	{EXPORT_ROUND, "--round"},
	{EXPORT_TABLE, "--table"},
	{EXPORT_WEIGHT, "--weight"},
	{EXPORT_LINES, "--lines"},
	{EXPORT_FILTER, "a choice of call sites (--stage, --pool, --worker, --at)"},
};

static void settle(struct arguments *a, const struct argp_state *state)
{
	if (!a->file)
		command_misuse(state, "no session given");
	if (!a->format && a->output)
		a->format = format_option_of_file(state, &export_formats, a->output);
	if (!a->format)
		format_option(state, &export_formats, NULL);
	if (a->filter.given)
		a->options.given |= EXPORT_FILTER;
	format_refuse(state, special, sizeof(special) / sizeof(special[0]), a->options.given,
		      a->format->takes, &a->format->format);
	if (a->options.given & EXPORT_TOTALS &&
	    a->options.given & (EXPORT_PER_WORKER | EXPORT_SITES))
		command_misuse(state, "--totals leaves out workers and call sites");
}

static void set_round(struct export_options *set, const char *text, const struct argp_state *state)
{
	set->given |= EXPORT_ROUND;
	if (size_parse(text, &set->round_bytes) || !set->round_bytes)
		command_misuse(state, "--round takes a size, such as 1MiB");
}

static void set_sites(struct export_options *set, const char *text, const struct argp_state *state)
{
	char *end;
	long sites = strtol(text, &end, 10);

	if (*end || sites < 1 || sites > SITES_MOST)
		command_misuse(state, "--sites takes a number from 1 to %d", SITES_MOST);
	set->given |= EXPORT_SITES;
	set->sites = (size_t)sites;
}

static void set_weight(struct export_options *set, const char *text, const struct argp_state *state)
{
	const char *names[CALL_WEIGHTS + 1] = {0};

	for (int weight = 0; weight < CALL_WEIGHTS; weight++)
		names[weight] = call_weight_name((enum call_weight)weight);
	set->given |= EXPORT_WEIGHT;
	set->weight = (enum call_weight)option_choice(state, "--weight", text, names);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'f':
		a->format = format_option(state, &export_formats, text);
		return 0;
	case 'o':
		a->output = text;
		return 0;
	case KEY_TABLE:
		a->options.given |= EXPORT_TABLE;
		a->options.table = text;
		return 0;
	case KEY_PER_WORKER:
		a->options.given |= EXPORT_PER_WORKER;
		return 0;
	case KEY_TOTALS:
		a->options.given |= EXPORT_TOTALS;
		return 0;
	case KEY_ROUND:
		set_round(&a->options, text, state);
		return 0;
	case KEY_WEIGHT:
		set_weight(&a->options, text, state);
		return 0;
	case KEY_LINES:
		a->options.given |= EXPORT_LINES;
		return 0;
	case KEY_SITES:
		set_sites(&a->options, text, state);
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			command_misuse(state, "one session at a time");
		a->file = text;
		return 0;
	case ARGP_KEY_END:
		settle(a, state);
		return 0;
	default:
		return site_filter_parse(key, text, state, &a->filter);
	}
}

const struct argp cmd_export_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Writes a session in the format of another tool.",
};

static int write_output(const struct arguments *a, const struct model *m, struct error *e)
{
	struct whole_file w;
	int kind;

	if (whole_file_begin(&w))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot make the export");
	kind = a->format->write(w.out, m, &a->options, e);
	if (kind)
		whole_file_drop(&w);
	else if (whole_file_end(&w, a->output))
		kind = error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s",
				       a->output ? a->output : "the export");
	return kind;
}

/* What is not text makes a mess of a terminal. */
static int check_terminal(const struct arguments *a, struct error *e)
{
	if (a->output || !a->format->is_binary || !isatty(STDOUT_FILENO))
		return 0;
	error_set(e, ERROR_USAGE, "%s is binary and not for a terminal", a->format->format.name);
	error_hint(e, "-o FILE%s writes it to a file, > and | pass it on",
		   a->format->format.ending);
	return e->kind;
}

int cmd_export(int argc, char **argv)
{
	struct arguments a = {0};
	struct model *m = NULL;
	struct error e = {0};
	int kind;

	command_parse(&cmd_export_argp, argc, argv, 0, &a);
	kind = check_terminal(&a, &e);
	if (!kind)
		kind = open_session(&m, a.file, &e);
	if (!kind)
		kind = site_filter_apply(&a.filter, m, &a.options.filter, &e);
	if (!kind)
		kind = write_output(&a, m, &e);
	model_close(m);
	return kind ? command_failed(argv[0], &e) : 0;
}
