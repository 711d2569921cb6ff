/* loopmem: finds the command and hands it its arguments. */
#include <stdio.h>
#include <string.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/help.h"
#include "profiler/cmd/options.h"
#include "profiler/cmd/version.h"

int main(int argc, char **argv)
{
	const struct command *command;
	const char *word;
	char name[64];

	if (argc < 2) {
		help_list_commands(stderr);
		return EXIT_USAGE;
	}
	word = argv[1];
	if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
		help_list_commands(stdout);
		return 0;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
		version_print();
		return 0;
	}
	if (!strcmp(word, "__options")) {
		options_table(stdout);
		help_topics_table(stdout);
		return 0;
	}
	command = command_find(word);
	if (!command)
		return help_unknown("loopmem", "command", word);
	snprintf(name, sizeof(name), "loopmem %s", command->name);
	argv[1] = name; /* argp names the program by its argv[0] */
	return command->run(argc - 1, argv + 1);
}
