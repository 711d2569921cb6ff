/* loopmem report: the whole story of a session, or of the ranks of one job. */
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/format_option.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/terminal.h"
#include "profiler/cmd/whole_file.h"
#include "profiler/view/report.h"

enum { KEY_FULL = 0x100, KEY_WIDTH, KEY_ASCII, KEY_MAX_BYTES, KEY_WHAT_IF };
enum { WIDTH_LEAST = TERMINAL_WIDTH_LEAST, WIDTH_MOST = 1000, MAX_BYTES_LEAST = 1024 };

struct arguments {
	const struct report_format *format;
	const char *output;
	struct report_options options;
	bool ascii;
	const char *question; /* of --what-if */
	struct what_if what_if;
	struct what_if_result what_if_result;
	char **files;
	int file_count;
	unsigned int given; /* of enum report_takes */
};

static const struct argp_option options[] = {
	{"format", 'f', "text|markdown|html|json", 0,
	 "of the report (by the ending of -o FILE, else text)", 0},
	{"output", 'o', "FILE", 0, "write to FILE instead of the standard output", 0},
	{"full", KEY_FULL, NULL, 0, "text, markdown: list everything, do not fold", 0},
	{"width", KEY_WIDTH, "N", 0, "text: columns (the terminal's, at most 100)", 0},
	{"max-bytes", KEY_MAX_BYTES, "N", 0,
	 "markdown: no more bytes than that (60000), the least important go first", 0},
	{"what-if", KEY_WHAT_IF, "KEY=N,...", 0,
	 "what it would need with workers=N, prefetch=N; workers(train)=N of one stage", 0},
	{"ascii", KEY_ASCII, NULL, 0, "text: no other characters than ASCII", 0},
	{0},
};

static void set_width(struct arguments *a, const char *text, const struct argp_state *state)
{
	char *end;
	long width = strtol(text, &end, 10);

	if (*end || width < WIDTH_LEAST || width > WIDTH_MOST)
		command_misuse(state, "--width takes a number from %d to %d", WIDTH_LEAST,
			       WIDTH_MOST);
	a->options.width = (int)width;
}

static void set_max_bytes(struct arguments *a, const char *text, const struct argp_state *state)
{
	char *end;
	long bytes = strtol(text, &end, 10);

	if (*end || bytes < MAX_BYTES_LEAST)
		command_misuse(state, "--max-bytes takes a number from %d on", MAX_BYTES_LEAST);
	a->options.max_bytes = (size_t)bytes;
}

static const struct format_special special[] = {
	{REPORT_FULL, "--full"},
	{REPORT_WIDTH, "--width"},
	{REPORT_ASCII, "--ascii"},
	{REPORT_MAX_BYTES, "--max-bytes"},
};

static void settle(struct arguments *a, const struct argp_state *state)
{
	if (!a->file_count)
		command_misuse(state, "no session given");
	if (!a->format && a->output)
		a->format = format_option_of_file(state, &report_formats, a->output);
	if (!a->format)
		a->format = report_formats.rows;
	format_refuse(state, special, sizeof(special) / sizeof(special[0]), a->given,
		      a->format->takes, &a->format->format);
	if (a->question && a->file_count > 1)
		command_misuse(state, "--what-if takes one session, %d were given", a->file_count);
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'f':
		a->format = format_option(state, &report_formats, text);
		return 0;
	case 'o':
		a->output = text;
		return 0;
	case KEY_FULL:
		a->options.full = 1;
		a->given |= REPORT_FULL;
		return 0;
	case KEY_WIDTH:
		set_width(a, text, state);
		a->given |= REPORT_WIDTH;
		return 0;
	case KEY_MAX_BYTES:
		set_max_bytes(a, text, state);
		a->given |= REPORT_MAX_BYTES;
		return 0;
	case KEY_ASCII:
		a->ascii = true;
		a->given |= REPORT_ASCII;
		return 0;
	case KEY_WHAT_IF:
		a->question = text;
		return 0;
	case ARGP_KEY_ARGS:
		a->files = state->argv + state->next;
		a->file_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		settle(a, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_report_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "FILE...",
	.doc = "Reports where the memory of a run was: how close it came to its limit, which pools of workers held it, what was held "
	       "for nothing, and what to do. Several FILEs are the ranks of one job.",
};

static int write_output(const struct arguments *a, struct model **models, struct error *e)
{
	struct report_options wanted = a->options;
	struct whole_file w;

	if (whole_file_begin(&w))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot make the report");
	wanted.utf8 = !a->ascii && terminal_utf8();
	if (!wanted.width)
		wanted.width = terminal_width(a->output ? w.out : stdout);
	if (a->format->write(w.out, models, (size_t)a->file_count, &wanted) < 0) {
		whole_file_drop(&w);
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the report");
	}
	if (whole_file_end(&w, a->output))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s",
				       a->output ? a->output : "the report");
	return 0;
}

/* A session without a sample has nothing to tell, unless it is that it is damaged. */
static int open_to_report(struct model **out, const char *file, struct error *e)
{
	int kind = open_session(out, file, e);

	if (kind || (*out)->round_count || (*out)->damage)
		return kind;
	error_set(e, ERROR_UNREADABLE, "%s holds no samples%s", file,
		  (*out)->end == MODEL_RUNNING
			  ? " yet"
			  : ": the program ended before its memory was read once");
	model_close(*out);
	*out = NULL;
	return e->kind;
}

/* Answers before anything is written. */
static int answer(struct arguments *a, const struct model *m, struct error *e)
{
	if (!a->question)
		return 0;
	a->options.what_if = &a->what_if;
	a->options.what_if_result = &a->what_if_result;
	return what_if_predict(m, &a->what_if, &a->what_if_result, e);
}

int cmd_report(int argc, char **argv)
{
	struct arguments a = {0};
	struct model **models;
	struct error e = {0};
	int opened = 0, kind = 0;

	setlocale(LC_CTYPE, "");
	command_parse(&cmd_report_argp, argc, argv, 0, &a);
	if (a.question)
		kind = what_if_parse(&a.what_if, a.question, &e);
	models = calloc((size_t)a.file_count, sizeof(struct model *));
	if (!models)
		kind = error_set_errno(&e, ERROR_SYSTEM, errno, "cannot make the report");
	for (; !kind && opened < a.file_count; opened += !kind)
		kind = open_to_report(&models[opened], a.files[opened], &e);
	if (!kind)
		kind = answer(&a, models[0], &e);
	if (!kind)
		kind = write_output(&a, models, &e);
	for (int i = 0; i < opened; i++)
		model_close(models[i]);
	free(models);
	return kind ? command_failed(argv[0], &e) : 0;
}
