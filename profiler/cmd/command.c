/* The table of commands and what is the same for all of them. */
#include "profiler/cmd/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/nearest.h"

const struct command commands[] = {
#define COMMAND(name, section, help) \
	{#name, SECTION_##section, help, cmd_##name, &cmd_##name##_argp},
#include "profiler/commands.def"
#undef COMMAND
	{0},
};

enum { COMMAND_COUNT = sizeof(commands) / sizeof(commands[0]) - 1 };

const struct command *command_find(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const char *command_nearest(const char *name)
{
	const char *names[COMMAND_COUNT];

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	return nearest_name(name, names, COMMAND_COUNT);
}

void command_parse(const struct argp *argp, int argc, char **argv, unsigned argp_flags, void *input)
{
	error_t error;

	argp_err_exit_status = EXIT_USAGE;
	error = argp_parse(argp, argc, argv, argp_flags, NULL, input);
	if (error) {
		fprintf(stderr, "%s: %s\n", argv[0], strerror(error));
		exit(EXIT_USAGE);
	}
}

void command_list(void)
{
	static const char *const titles[] = {
		[SECTION_RECORD] = "Record",
		[SECTION_READ] = "Read",
		[SECTION_ABOUT] = "About",
	};

	printf("usage: loopmem COMMAND [OPTION...] [ARGUMENT...]\n");
	for (size_t s = 0; s < sizeof(titles) / sizeof(titles[0]); s++) {
		const char *title = titles[s];

		for (const struct command *c = commands; c->name; c++) {
			if (c->section != s)
				continue;
			if (title)
				printf("\n%s\n", title);
			title = NULL;
			printf("  %-10s %s\n", c->name, c->help);
		}
	}
	printf("\nloopmem COMMAND --help lists the options of a command.\n");
}
