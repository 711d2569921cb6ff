/* The table of commands, and how one of them ends when it cannot do its work. */
#include "profiler/cmd/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/nearest.h"
#include "profiler/view/escape.h"

const struct command commands[] = {
#define COMMAND(name, section, help) \
	{#name, SECTION_##section, help, cmd_##name, &cmd_##name##_argp},
#define HIDDEN(name, help) COMMAND(name, HIDDEN, help)
#include "profiler/commands.def"
#undef HIDDEN
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
	size_t count = 0;

	for (const struct command *c = commands; c->name; c++)
		if (c->section != SECTION_HIDDEN)
			names[count++] = c->name;
	return nearest_name(name, names, count);
}

void command_say(const char *name, const char *format, ...)
{
	va_list arguments;
	char *line = NULL;

	va_start(arguments, format);
	if (vasprintf(&line, format, arguments) < 0)
		line = NULL;
	va_end(arguments);
	fprintf(stderr, "%s: ", name);
	escape_text(stderr, line ? line : "out of memory");
	fputc('\n', stderr);
	free(line);
}

int command_failed(const char *name, const struct error *e)
{
	char hint[sizeof(e->hint)];

	command_say(name, "%s", e->text);
	for (const char *line = e->hint; *line;) {
		int length = (int)strcspn(line, "\n");

		snprintf(hint, sizeof(hint), "%.*s", length, line);
		fputs("  ", stderr);
		escape_text(stderr, hint);
		fputc('\n', stderr);
		line += length + (line[length] == '\n');
	}
	return error_exit_code(e);
}
