/* Prints the option tables for people and for the generators of man pages and completion. */
#include "profiler/cmd/options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/command.h"

enum { SYNOPSIS_COLUMNS = 80 };

const struct argp_option options_of_all[] = {
	{"help", OPTION_HELP, NULL, 0, "print this help", -1},
	{"usage", OPTION_USAGE_LINE, NULL, OPTION_HIDDEN, "print the synopsis", -1},
	{0},
};

bool option_is_last(const struct argp_option *option)
{
	return !option->name && !option->key && !option->doc && !option->group;
}

bool option_is_shown(const struct argp_option *option)
{
	return option->name && !(option->flags & (OPTION_HIDDEN | OPTION_DOC));
}

static bool has_letter(const struct argp_option *option)
{
	return option->key > 0 && option->key < 128 && isprint(option->key);
}

/* `github` or `text|markdown`: what is lower case stands for itself, and not for a value. */
static int is_choice(const char *argument)
{
	return argument[strspn(argument, "abcdefghijklmnopqrstuvwxyz0123456789-|")] == '\0';
}

const char *option_kind(const struct argp_option *option)
{
	static const struct {
		const char *argument, *kind;
	} kinds[] = {
		{"SIZE", "size"}, {"FILE", "file"}, {"DIR", "directory"},
		{"N", "number"},  {"KEY", "key"},
	};

	if (!option->arg)
		return "flag";
	if (is_choice(option->arg))
		return "enum";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t length = strlen(kinds[i].argument);

		if (!strncmp(option->arg, kinds[i].argument, length) &&
		    !isalpha((unsigned char)option->arg[length]))
			return kinds[i].kind;
	}
	return "text";
}

static void write_bracketed(char *text, size_t size, const struct argp_option *option)
{
	const char *arg = option->arg ? option->arg : "";

	if (has_letter(option))
		snprintf(text, size, *arg ? "[-%c %s]" : "[-%c]", option->key, arg);
	else if (option->flags & OPTION_ARG_OPTIONAL)
		snprintf(text, size, "[--%s[=%s]]", option->name, arg);
	else
		snprintf(text, size, *arg ? "[--%s=%s]" : "[--%s]", option->name, arg);
}

/* Words of a synopsis, wrapped under the column where the first one stood. */
struct wrapped {
	FILE *out;
	int indent, column;
};

static void put_word(struct wrapped *w, const char *word)
{
	int length = (int)strlen(word);

	if (w->column + 1 + length > SYNOPSIS_COLUMNS && w->column > w->indent) {
		fprintf(w->out, "\n%*s", w->indent, "");
		w->column = w->indent;
	}
	fprintf(w->out, " %s", word);
	w->column += 1 + length;
}

void options_synopsis(FILE *out, const char *name, const struct argp *argp)
{
	int indent = fprintf(out, "%s", name);
	struct wrapped w = {.out = out, .indent = indent, .column = indent};
	char word[128];

	for (const struct argp_option *o = argp->options; o && !option_is_last(o); o++) {
		if (!option_is_shown(o) || o->flags & OPTION_ALIAS)
			continue;
		write_bracketed(word, sizeof(word), o);
		put_word(&w, word);
	}
	for (const char *arg = argp->args_doc ? argp->args_doc : ""; *arg;) {
		int length = (int)strcspn(arg, " ");

		snprintf(word, sizeof(word), "%.*s", length, arg);
		put_word(&w, word);
		arg += length + (arg[length] == ' ');
	}
	fputc('\n', out);
}

void options_help(FILE *out, const char *name, const struct argp *argp)
{
	const struct argp_child children[] = {{.argp = argp}, {0}};
	const struct argp whole = {.options = options_of_all, .doc = NULL, .children = children};

	fputs("usage: ", out);
	options_synopsis(out, name, argp);
	fputc('\n', out);
	/* argp's remark that a value is needed after a letter as after a word tells nobody anything */
	setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
	argp_help(&whole, out, ARGP_HELP_LONG | ARGP_HELP_DOC, (char *)name);
}

static void table_row(FILE *out, const char *command, const struct argp_option *o)
{
	fprintf(out, "%s\t--%s\t", command, o->name);
	if (has_letter(o))
		fprintf(out, "-%c", o->key);
	fprintf(out, "\t%s\t%s\t%s\n", o->arg ? o->arg : "", option_kind(o), o->doc);
}

void options_table(FILE *out)
{
	for (const struct command *c = commands; c->name; c++) {
		const struct argp_option *tables[] = {c->argp->options, options_of_all};

		if (c->section == SECTION_HIDDEN)
			continue;
		fprintf(out, "%s\t\t\t%s\tcommand\t%s\n", c->name,
			c->argp->args_doc ? c->argp->args_doc : "", c->help);
		for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
			for (const struct argp_option *o = tables[i]; o && !option_is_last(o); o++)
				if (option_is_shown(o))
					table_row(out, c->name, o);
	}
}
