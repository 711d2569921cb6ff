/*
 * What is made from the option tables of the commands: synopsis, --help, the table for man pages
 * and completion. An option's kind is told by the name of its argument: SIZE, FILE, DIR, N, KEY...,
 * or "text|json" for one of several words.
 */
#ifndef PROFILER_CMD_OPTIONS_H
#define PROFILER_CMD_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

/* The options that every command has, for argp and for the tables. */
extern const struct argp_option options_of_all[];
enum { OPTION_HELP = 'h', OPTION_USAGE_LINE = 0x1000 };

/* The end of a table of options. */
bool option_is_last(const struct argp_option *option);

/* An option that is shown: neither a title nor hidden. */
bool option_is_shown(const struct argp_option *option);

/* "flag", "size", "file", "directory", "number", "key", "enum" (the words themselves) or "text". */
const char *option_kind(const struct argp_option *option);

/* `loopmem run [-o FILE] ... COMMAND`, wrapped at 80 columns under the first option. */
void options_synopsis(FILE *out, const char *name, const struct argp *argp);

/* Synopsis, description and the list of options. */
void options_help(FILE *out, const char *name, const struct argp *argp);

/* All commands: `command TAB --option TAB -o TAB ARG TAB kind TAB help`, one option a line. The
 * line of a command itself has no option, its arguments as ARG and the kind "command". */
void options_table(FILE *out);

#endif
