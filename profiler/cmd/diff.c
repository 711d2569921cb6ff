/* loopmem diff: what changed between two runs. */
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/format_option.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/terminal.h"
#include "profiler/view/diff.h"

enum { KEY_ASCII = 0x100 };

struct arguments {
	const struct diff_format *format;
	bool ascii;
	const char *files[2];
	int file_count;
};

static const struct argp_option options[] = {
	{"format", 'f', "text|json", 0, "of what is printed (text)", 0},
	{"ascii", KEY_ASCII, NULL, 0, "no other characters than ASCII", 0},
	{0},
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 'f':
		a->format = format_option(state, &diff_formats, text);
		return 0;
	case KEY_ASCII:
		a->ascii = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->file_count == 2)
			command_misuse(state, "two sessions are compared, \"%s\" is a third", text);
		a->files[a->file_count++] = text;
		return 0;
	case ARGP_KEY_END:
		if (a->file_count != 2)
			command_misuse(state, "give two sessions: BASE and HEAD");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_diff_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "BASE HEAD",
	.doc = "Tells what changed from the session BASE to the session HEAD: peak, held idle, the pools of each stage, waiting; what is more "
	       "than the noise is marked. The exit status is 0 whatever changed (loopmem check is the gate).",
};

static int print(const struct arguments *a, const struct model *base, const struct model *head,
		 struct error *e)
{
	struct report_options wanted = {.utf8 = !a->ascii && terminal_utf8()};
	struct difference d;
	int failed;

	if (difference_make(&d, base, head))
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot compare");
	failed = a->format->write(stdout, &d, &wanted);
	difference_release(&d);
	if (failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot compare");
	if (fflush(stdout) || ferror(stdout))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write the comparison");
	return 0;
}

int cmd_diff(int argc, char **argv)
{
	struct arguments a = {.format = diff_formats.rows};
	struct model *models[2] = {NULL, NULL};
	struct error e = {0};
	int kind = 0;

	setlocale(LC_CTYPE, "");
	command_parse(&cmd_diff_argp, argc, argv, 0, &a);
	for (int i = 0; i < 2 && !kind; i++)
		kind = open_session(&models[i], a.files[i], &e);
	if (!kind)
		kind = print(&a, models[0], models[1], &e);
	for (int i = 0; i < 2; i++)
		if (models[i])
			model_close(models[i]);
	return kind ? command_failed(argv[0], &e) : 0;
}
