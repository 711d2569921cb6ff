/* Parsing a command's arguments: argp does the work, the words for what is wrong are ours. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/options.h"
#include "profiler/nearest.h"

enum { MOST_OPTIONS = 64 };

struct parsing {
	const struct argp *argp; /* the command's own */
	void *input;
};

static void __attribute__((noreturn)) exit_with_hint(const char *name)
{
	fprintf(stderr, "\n  options: %s --help\n", name);
	exit(EXIT_USAGE);
}

void command_misuse(const struct argp_state *state, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s: ", state->name);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	exit_with_hint(state->name);
}

static size_t collect_names(const struct argp *argp, const char *names[MOST_OPTIONS])
{
	const struct argp_option *tables[] = {argp->options, options_of_all};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct argp_option *o = tables[i]; o && !option_is_last(o); o++)
			if (option_is_shown(o) && count < MOST_OPTIONS)
				names[count++] = o->name;
	return count;
}

static const struct argp_option *find_option(const struct argp *argp, const char *name,
					     size_t length)
{
	const struct argp_option *tables[] = {argp->options, options_of_all};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct argp_option *o = tables[i]; o && !option_is_last(o); o++)
			if (o->name && !strncmp(o->name, name, length) && !o->name[length])
				return o;
	return NULL;
}

/* getopt has refused the long option `word` ("--name" or "--name=value"). */
static void explain_long(const struct argp *argp, const char *word)
{
	const char *names[MOST_OPTIONS], *near;
	int length = (int)strcspn(word + 2, "=");
	const struct argp_option *known = find_option(argp, word + 2, length);
	char name[64];

	if (known) {
		fprintf(stderr, "--%s %s%s", known->name, known->arg ? "needs " : "takes no value",
			known->arg ? known->arg : "");
		return;
	}
	snprintf(name, sizeof(name), "%.*s", length, word + 2);
	near = nearest_name(name, names, collect_names(argp, names));
	fprintf(stderr, "no option \"--%s\"", name);
	if (near)
		fprintf(stderr, "; did you mean \"--%s\"?", near);
}

/* getopt has refused a letter of the cluster `word` ("-xo"), or the last one lacks its argument. */
static void explain_letters(const struct argp *argp, const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct argp_option *o = argp->options;

		while (o && !option_is_last(o) && o->key != *letter)
			o++;
		if (*letter == OPTION_HELP)
			continue;
		if (!o || option_is_last(o)) {
			fprintf(stderr, "no option \"-%c\"", *letter);
			return;
		}
		if (o->arg) {
			fprintf(stderr, "-%c needs %s", *letter, o->arg);
			return;
		}
	}
}

static void __attribute__((noreturn))
explain(const struct parsing *p, const struct argp_state *state)
{
	const char *word = state->argv[state->next - 1];

	fprintf(stderr, "%s: ", state->name);
	if (!strncmp(word, "--", 2))
		explain_long(p->argp, word);
	else if (word[0] == '-')
		explain_letters(p->argp, word);
	else
		fprintf(stderr, "no argument \"%s\" is expected", word);
	exit_with_hint(state->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const struct parsing *p = state->input;

	(void)arg;
	switch (key) {
	case OPTION_HELP:
		options_help(stdout, state->name, p->argp);
		exit(0);
	case OPTION_USAGE_LINE:
		options_synopsis(stdout, state->name, p->argp);
		exit(0);
	case ARGP_KEY_INIT:
		state->child_inputs[0] = p->input;
		return 0;
	case ARGP_KEY_ERROR:
		explain(p, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void command_parse(const struct argp *argp, int argc, char **argv, unsigned argp_flags, void *input)
{
	const struct argp_child children[] = {{.argp = argp}, {0}};
	const struct argp whole = {
		.options = options_of_all,
		.parser = parse,
		.children = children,
	};
	struct parsing p = {.argp = argp, .input = input};
	error_t error =
		argp_parse(&whole, argc, argv, argp_flags | ARGP_NO_HELP | ARGP_NO_ERRS, NULL, &p);

	if (error) {
		fprintf(stderr, "%s: %s", argv[0], strerror(error));
		exit_with_hint(argv[0]);
	}
}
