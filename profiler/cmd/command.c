/* The table of commands, and how one of them ends when it cannot do its work. */
#include "profiler/cmd/command.h"

#include <stdio.h>
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

int command_failed(const char *name, const struct error *e)
{
	fprintf(stderr, "%s: %s\n", name, e->text);
	for (const char *line = e->hint; *line;) {
		int length = (int)strcspn(line, "\n");

		fprintf(stderr, "  %.*s\n", length, line);
		line += length + (line[length] == '\n');
	}
	return error_exit_code(e);
}
