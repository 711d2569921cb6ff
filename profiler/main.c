/* loopmem: finds the command and hands it its arguments. */
#include <stdio.h>
#include <string.h>

#include "profiler/cmd/command.h"

static int unknown_command(const char *name)
{
	const char *near = command_nearest(name);

	fprintf(stderr, "loopmem: no command \"%s\"", name);
	if (near)
		fprintf(stderr, "; did you mean \"%s\"?", near);
	fprintf(stderr, "\n  commands: loopmem help\n");
	return EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct command *command;
	char name[64];

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		command_list();
		return argc < 2 ? EXIT_USAGE : 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		command_version();
		return 0;
	}
	command = command_find(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	snprintf(name, sizeof(name), "loopmem %s", command->name);
	argv[1] = name; /* argp names the program by its argv[0] */
	return command->run(argc - 1, argv + 1);
}
