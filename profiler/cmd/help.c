/* loopmem help: the list of commands, or the options of one. */
#include "profiler/cmd/help.h"

#include <stdio.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/options.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **topic = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*topic)
		command_misuse(state, "one topic at a time");
	*topic = arg;
	return 0;
}

const struct argp cmd_help_argp = {
	.parser = parse,
	.args_doc = "[COMMAND]",
	.doc = "Lists the commands, or explains one.",
};

static void list_section(FILE *out, enum command_section section, const char *title)
{
	for (const struct command *c = commands; c->name; c++) {
		if (c->section != section)
			continue;
		if (title)
			fprintf(out, "\n%s\n", title);
		title = NULL;
		fprintf(out, "  %-10s %s\n", c->name, c->help);
	}
}

void help_list_commands(FILE *out)
{
	fprintf(out, "usage: loopmem COMMAND [OPTION...] [ARGUMENT...]\n"
		     "       loopmem --version\n");
	list_section(out, SECTION_RECORD, "Record a run");
	list_section(out, SECTION_READ, "Read a session");
	list_section(out, SECTION_ABOUT, "About");
	fprintf(out, "\nThe options of a command: loopmem COMMAND --help\n");
}

int help_unknown(const char *program, const char *what, const char *word)
{
	const char *near = command_nearest(word);

	fprintf(stderr, "%s: no %s \"%s\"", program, what, word);
	if (near)
		fprintf(stderr, "; did you mean \"%s\"?", near);
	fprintf(stderr, "\n  commands: loopmem help\n");
	return EXIT_USAGE;
}

int cmd_help(int argc, char **argv)
{
	const char *topic = NULL;
	const struct command *c;
	char name[64];

	command_parse(&cmd_help_argp, argc, argv, 0, &topic);
	if (!topic) {
		help_list_commands(stdout);
		return 0;
	}
	c = command_find(topic);
	if (!c)
		return help_unknown(argv[0], "topic", topic);
	snprintf(name, sizeof(name), "loopmem %s", c->name);
	options_help(stdout, name, c->argp);
	return 0;
}
