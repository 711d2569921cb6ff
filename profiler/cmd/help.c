/* loopmem help: the lists of commands and findings, the options of a command, the page of a finding. */
#include "profiler/cmd/help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/help_page.h"
#include "profiler/cmd/options.h"
#include "profiler/model/findings.h"
#include "profiler/nearest.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
	const char **topic = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (*topic)
		command_misuse(state, "one topic at a time");
	*topic = arg;
	return 0;
}

const struct argp cmd_help_argp = {
	.parser = parse,
	.args_doc = "[COMMAND|FINDING]",
	.doc = "Lists the commands and the findings, or explains one of them.",
};

static void list_section(FILE *out, enum command_section section, const char *title)
{
	for (const struct command *c = commands; c->name; c++) {
		if (c->section != section)
			continue;
		if (title)
			fprintf(out, "\n%s\n", title);
		title = NULL;
		fprintf(out, "  %-10s %s\n", c->name, c->help);
	}
}

void help_list_commands(FILE *out)
{
	fprintf(out, "usage: loopmem COMMAND [OPTION...] [ARGUMENT...]\n"
		     "       loopmem --version\n");
	list_section(out, SECTION_RECORD, "Record a run");
	list_section(out, SECTION_READ, "Read a session");
	list_section(out, SECTION_ABOUT, "About");
	fprintf(out, "\nThe options of a command: loopmem COMMAND --help\n");
}

static int unknown(const char *program, const char *what, const char *word, const char *near)
{
	fprintf(stderr, "%s: no %s \"%s\"", program, what, word);
	if (near)
		fprintf(stderr, "; did you mean \"%s\"?", near);
	fprintf(stderr, "\n  commands: loopmem help\n");
	return EXIT_USAGE;
}

int help_unknown(const char *program, const char *what, const char *word)
{
	return unknown(program, what, word, command_nearest(word));
}

static void list_findings(FILE *out)
{
	fprintf(out,
		"\nFindings: what is wrong, and how to see it by hand: loopmem help FINDING\n");
	for (size_t i = 0; i < finding_kind_count; i++)
		fprintf(out, "  %-21s %s\n", finding_kinds[i].id, finding_kinds[i].summary);
}

void help_topics_table(FILE *out)
{
	for (size_t i = 0; i < finding_kind_count; i++)
		fprintf(out, "help\t\t\t%s\ttopic\t%s\n", finding_kinds[i].id,
			finding_kinds[i].summary);
}

static const char *finding_nearest(const char *word)
{
	const char **ids = calloc(finding_kind_count, sizeof(*ids)), *near;

	for (size_t i = 0; ids && i < finding_kind_count; i++)
		ids[i] = finding_kinds[i].id;
	near = ids ? nearest_name(word, ids, finding_kind_count) : NULL;
	free(ids);
	return near;
}

static int explain_finding(const char *program, const char *topic)
{
	const char *near = command_nearest(topic);

	for (size_t i = 0; i < finding_kind_count; i++)
		if (!strcmp(finding_kinds[i].id, topic))
			return help_page(stdout, topic) ? EXIT_OWN_FAILURE : 0;
	return unknown(program, "topic", topic, near ? near : finding_nearest(topic));
}

int cmd_help(int argc, char **argv)
{
	const char *topic = NULL;
	const struct command *c;
	char name[64];

	command_parse(&cmd_help_argp, argc, argv, 0, &topic);
	if (!topic) {
		help_list_commands(stdout);
		list_findings(stdout);
		return 0;
	}
	c = command_find(topic);
	if (!c)
		return explain_finding(argv[0], topic);
	snprintf(name, sizeof(name), "loopmem %s", c->name);
	options_help(stdout, name, c->argp);
	return 0;
}
