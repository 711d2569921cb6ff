/*
 * The commands of `loopmem`. To add one: a line in profiler/commands.def, a man page
 * docs/man/loopmem-NAME.1.in and a file profiler/cmd/NAME.c that defines
 *
 *	const struct argp cmd_NAME_argp      its options, once: --help, man page, completion and
 *	                                     `loopmem __options` are made from this table
 *	int cmd_NAME(int argc, char **argv)  argv[0] is "loopmem NAME"; returns the exit status
 *
 * Commands are thin: command_parse(), call a library, print, choose an exit code.
 */
#ifndef PROFILER_CMD_COMMAND_H
#define PROFILER_CMD_COMMAND_H

#include <argp.h>

#include "profiler/error.h"

/* Exit codes that mean the same in every command. */
enum {
	EXIT_USAGE = 2,        /* the command line is wrong */
	EXIT_UNREADABLE = 3,   /* a session cannot be read, or holds nothing */
	EXIT_OWN_FAILURE = 125 /* loopmem run: our own failure, not the program's */
};

enum command_section { SECTION_RECORD, SECTION_READ, SECTION_ABOUT, SECTION_HIDDEN };

struct command {
	const char *name;
	enum command_section section;
	const char *help; /* one line, lower case, no stop */
	int (*run)(int argc, char **argv);
	const struct argp *argp;
};

#define COMMAND(name, section, help)           \
	int cmd_##name(int argc, char **argv); \
	extern const struct argp cmd_##name##_argp;
#define HIDDEN(name, help) COMMAND(name, HIDDEN, help)
#include "profiler/commands.def"
#undef HIDDEN
#undef COMMAND

/* All commands in table order, ended by an entry without a name. */
extern const struct command commands[];

/* NULL when there is no such command. */
const struct command *command_find(const char *name);

/* The closest command name, or NULL. */
const char *command_nearest(const char *name);

/*
 * argp_parse() with the manners of this program: adds -h, --help and --usage, and says what is
 * wrong with an option (EXIT_USAGE). With ARGP_IN_ORDER in argp_flags the options end at the first
 * argument's (loopmem run). Returns only when parsing succeeded. The parser of argp finds `input`
 * in state->input, and reports wrong arguments by command_misuse(), not by argp_error().
 */
void command_parse(const struct argp *argp, int argc, char **argv, unsigned argp_flags,
		   void *input);

/* Prints "loopmem NAME: " and the message, points at --help, exits with EXIT_USAGE. */
void command_misuse(const struct argp_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));

/* Prints "NAME: " and the message as one line of stderr; foreign text in it gives no orders to a terminal or a CI system. */
void command_say(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a library's error as `name: text` and its hints, indented; returns the exit code for
 * it. */
int command_failed(const char *name, const struct error *e);

#endif
