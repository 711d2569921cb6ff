/* loopmem sites: the lines of code that hold the memory of a session. */
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/site_filter.h"
#include "profiler/cmd/terminal.h"
#include "profiler/view/sites.h"

enum { KEY_DIFF = 0x100, KEY_TREE, KEY_FULL, KEY_WIDTH, KEY_ASCII, KEY_SURVIVORS };
enum { WIDTH_LEAST = TERMINAL_WIDTH_LEAST, WIDTH_MOST = 1000 };

struct arguments {
	const char *file, *base;
	struct site_filter filter;
	int64_t width;
	bool ascii;
	struct sites_options options;
};

static const struct argp_option options[] = {
	SITE_FILTER_OPTIONS,
	{"survivors", KEY_SURVIVORS, "STAGE", 0,
	 "only what was allocated in phases of STAGE, live in a later phase of another stage", 0},
	{"tree", KEY_TREE, NULL, 0, "show the stack of each site", 0},
	{"diff", KEY_DIFF, "BASE", 0, "against the session BASE: what changed", 0},
	{"full", KEY_FULL, NULL, 0, "list everything, do not fold", 0},
	{"width", KEY_WIDTH, "N", 0, "columns (the terminal's, at most 100)", 0},
	{"ascii", KEY_ASCII, NULL, 0, "no other characters than ASCII", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case KEY_SURVIVORS:
		a->options.filter.from_stage = 1 + (int)option_stage(state, "--survivors", text);
		return 0;
	case KEY_TREE:
		a->options.tree = 1;
		return 0;
	case KEY_DIFF:
		a->base = text;
		return 0;
	case KEY_FULL:
		a->options.full = 1;
		return 0;
	case KEY_WIDTH:
		a->width = option_number(state, "--width", text, WIDTH_LEAST, WIDTH_MOST);
		return 0;
	case KEY_ASCII:
		a->ascii = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->file)
			command_misuse(state, "one session at a time: %s", text);
		a->file = text;
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "no session given");
		return 0;
	case ARGP_KEY_END:
		if (a->base && a->options.filter.from_stage)
			command_misuse(state, "--survivors is of one session, --diff of two");
		if (a->base && a->filter.pid)
			command_misuse(state, "--worker is of one session, --diff of two");
		return 0;
	default:
		return site_filter_parse(key, text, state, &a->filter);
	}
}

const struct argp cmd_sites_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE",
	.doc = "Lists the lines of code that allocated what was alive at the peak of a run, by pool of workers: Python and native "
	       "code, estimated from samples.",
};

/* Survivors are looked at where they matter: in a phase of another stage. */
static int find_later_phase(struct sites_options *o, const struct model *m, struct error *e)
{
	enum model_stage stage = (enum model_stage)(o->filter.from_stage - 1);

	o->phase = model_phase_after(m, stage, &o->filter.t_ns);
	if (o->phase)
		return 0;
	error_set(e, ERROR_USAGE, "no phase of another stage comes after %s in %s",
		  model_stage_name(stage), m->file);
	error_hint(e, "--at names another moment");
	return e->kind;
}

static int print(struct arguments *a, const struct model *base, const struct model *head,
		 struct error *e)
{
	struct sites_options *o = &a->options;
	int failed;

	if (site_filter_apply(&a->filter, head, &o->filter, e))
		return e->kind;
	if (base && site_filter_apply(&a->filter, base, &o->base_filter, e))
		return e->kind;
	if (o->filter.from_stage && o->filter.t_ns == MODEL_NONE && find_later_phase(o, head, e))
		return e->kind;
	o->utf8 = !a->ascii && terminal_utf8();
	o->width = a->width ? (int)a->width : terminal_width(stdout);
	failed = base ? sites_difference(stdout, base, head, o) : sites_text(stdout, head, o);
	if (failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot list the sites");
	if (fflush(stdout) || ferror(stdout))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write the list");
	return 0;
}

int cmd_sites(int argc, char **argv)
{
	struct arguments a = {0};
	struct model *head = NULL, *base = NULL;
	struct error e = {0};
	int kind;

	setlocale(LC_CTYPE, "");
	command_parse(&cmd_sites_argp, argc, argv, 0, &a);
	kind = open_session(&head, a.file, &e);
	if (!kind && a.base)
		kind = open_session(&base, a.base, &e);
	if (!kind)
		kind = print(&a, base, head, &e);
	model_close(base);
	model_close(head);
	return kind ? command_failed(argv[0], &e) : 0;
}
