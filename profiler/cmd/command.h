/*
 * The commands of `loopmem`. To add one: a line in profiler/commands.def and a file
 * profiler/cmd/NAME.c that defines both symbols below. Commands are thin: parse, call a library,
 * print, choose an exit code.
 */
#ifndef LOOPMEM_PROFILER_CMD_COMMAND_H
#define LOOPMEM_PROFILER_CMD_COMMAND_H

#include <argp.h>
#include <stddef.h>

/* Exit codes that mean the same in every command. */
enum {
	EXIT_USAGE = 2,         /* the command line is wrong */
	EXIT_UNREADABLE = 3,    /* a session cannot be read, or holds nothing */
	EXIT_OWN_FAILURE = 125, /* loopmem run: our own failure, not the program's */
};

enum command_section { SECTION_RECORD, SECTION_READ, SECTION_ABOUT };

struct command {
	const char *name;
	enum command_section section;
	const char *help; /* one line, lower case, no stop */
	/* argv[0] is "loopmem NAME"; returns the exit status */
	int (*run)(int argc, char **argv);
	/* the options, once: --help, man page and completion are made from it */
	const struct argp *argp;
};

#define COMMAND(name, section, help)           \
	int cmd_##name(int argc, char **argv); \
	extern const struct argp cmd_##name##_argp;
#include "profiler/commands.def"
#undef COMMAND

/* All commands in table order, ended by an entry without a name. */
extern const struct command commands[];

/* NULL when there is no such command. */
const struct command *command_find(const char *name);

/* The closest command name, or NULL. */
const char *command_nearest(const char *name);

/*
 * argp_parse() with the manners of this program: --help and --usage from the command's own table,
 * wrong use exits with EXIT_USAGE. Options after the first argument belong to that argument when
 * argp_flags has ARGP_IN_ORDER (loopmem run). Returns only when parsing succeeded.
 */
void command_parse(const struct argp *argp, int argc, char **argv, unsigned argp_flags,
		   void *input);

/* Prints `loopmem`'s list of commands to stdout. */
void command_list(void);

/* Prints version, features and library versions to stdout. */
void command_version(void);

#endif
