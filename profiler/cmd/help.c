/* loopmem help: the list of commands, or the options of one. */
#include <stdio.h>

#include "profiler/cmd/command.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **topic = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*topic)
		argp_error(state, "one topic at a time");
	*topic = arg;
	return 0;
}

const struct argp cmd_help_argp = {
	.parser = parse,
	.args_doc = "[COMMAND]",
	.doc = "Lists the commands, or explains one.",
};

static int explain(const char *topic)
{
	const struct command *c = command_find(topic);
	const char *near = command_nearest(topic);
	char name[64];

	if (c) {
		snprintf(name, sizeof(name), "loopmem %s", c->name);
		argp_help(c->argp, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, name);
		return 0;
	}
	fprintf(stderr, "loopmem help: no topic \"%s\"", topic);
	if (near)
		fprintf(stderr, "; did you mean \"%s\"?", near);
	fprintf(stderr, "\n  commands: loopmem help\n");
	return EXIT_USAGE;
}

int cmd_help(int argc, char **argv)
{
	const char *topic = NULL;

	command_parse(&cmd_help_argp, argc, argv, 0, &topic);
	if (topic)
		return explain(topic);
	command_list();
	return 0;
}
