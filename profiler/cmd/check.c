/* loopmem check: the gate for CI. */
#include <stdio.h>
#include <string.h>

#include "profiler/cmd/check_request.h"
#include "profiler/cmd/command.h"
#include "profiler/gate/text.h"

enum {
	KEY_MAX = 0x100,
	KEY_BUDGET,
	KEY_BASELINE,
	KEY_TOLERANCE,
	KEY_REQUIRE,
	KEY_IGNORE,
	KEY_WRITE,
	KEY_COMMIT,
	KEY_SUGGEST,
	KEY_CI,
	KEY_EXPLAIN,
	KEY_LIST_KEYS,
	KEY_FORM, /* and as many more as there are forms */
};

struct arguments {
	struct check_request request;
	int list_keys;
};

static const struct argp_option options[] = {
	{"max", KEY_MAX, "KEY=SIZE", 0, "a limit: fail when KEY is over SIZE (or over P% of limit)",
	 0},
	{"budget", KEY_BUDGET, "FILE", 0,
	 "limits and rules from FILE; flags come after it and beat it", 0},
	{"baseline", KEY_BASELINE, "FILE", 0,
	 "compare with the runs of FILE, a baseline or a session; may be given several times", 0},
	{"tolerance", KEY_TOLERANCE, "KEY=+P%[+SIZE]", 0,
	 "growth of KEY against the baseline that is tolerated", 0},
	{"require-baseline", KEY_REQUIRE, NULL, 0, "exit 3 when there is nothing to compare with",
	 0},
	{"ignore-environment", KEY_IGNORE, NULL, 0,
	 "compare runs of differing machines and settings too", 0},
	{"write-baseline", KEY_WRITE, "FILE", 0,
	 "append this run's figures to FILE when the check passes", 0},
	{"commit", KEY_COMMIT, "TEXT", 0, "name of the commit for --write-baseline", 0},
	{"suggest", KEY_SUGGEST, NULL, 0, "write a budget made from the sessions", 0},
	{"output", 'o', "FILE", 0, "where --suggest writes it", 0},
	{"junit", KEY_FORM + RESULT_JUNIT, "FILE", 0, "write JUnit XML to FILE", 0},
	{"ci", KEY_CI, "github", 0, "annotations, step summary and outputs of GitHub Actions", 0},
	{"code-quality", KEY_FORM + RESULT_CODE_QUALITY, "FILE", 0,
	 "write findings as GitLab code quality to FILE", 0},
	{"openmetrics", KEY_FORM + RESULT_OPENMETRICS, "FILE", 0,
	 "write limits and figures as OpenMetrics to FILE", 0},
	{"json", KEY_FORM + RESULT_JSON, "FILE", 0, "write the result as JSON to FILE", 0},
	{"explain", KEY_EXPLAIN, NULL, 0, "show for each figure the line that decided", 0},
	{"verbose", 'v', NULL, 0, "list what is within its limits too", 0},
	{"quiet", 'q', NULL, 0, "print nothing: the exit code tells", 0},
	{"list-keys", KEY_LIST_KEYS, NULL, 0,
	 "list all keys with their units and meaning, and exit", 0},
	{0},
};

static error_t parse_rule(int key, char *text, struct check_request *r)
{
	switch (key) {
	case KEY_MAX:
		check_request_add_flag(r, text, 0);
		return 0;
	case KEY_TOLERANCE:
		check_request_add_flag(r, text, 1);
		return 0;
	case KEY_BUDGET:
		check_request_add(&r->budgets, text);
		return 0;
	case KEY_BASELINE:
		check_request_add(&r->baselines, text);
		return 0;
	case KEY_REQUIRE:
		r->require_baseline = 1;
		return 0;
	case KEY_IGNORE:
		r->ignore_environment = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_output(int key, char *text, struct check_request *r)
{
	if (key >= KEY_FORM && key < KEY_FORM + RESULT_FORMS) {
		r->files_of[key - KEY_FORM] = text;
		return 0;
	}
	switch (key) {
	case KEY_WRITE:
		r->write_baseline = text;
		return 0;
	case KEY_COMMIT:
		r->commit = text;
		return 0;
	case KEY_SUGGEST:
		r->suggest = 1;
		return 0;
	case 'o':
		r->suggest_output = text;
		return 0;
	case KEY_EXPLAIN:
		r->explain = 1;
		return 0;
	case 'v':
		r->verbose = 1;
		return 0;
	case 'q':
		r->quiet = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Options that would be ignored are mistakes. */
static void settle(const struct arguments *a, const struct argp_state *state)
{
	const struct check_request *r = &a->request;

	if (a->list_keys)
		return;
	if (!r->files.count)
		command_misuse(state, "no session given");
	if (r->suggest_output && !r->suggest)
		command_misuse(state, "-o is for --suggest");
	if (r->commit && !r->write_baseline)
		command_misuse(state, "--commit is for --write-baseline");
	if (r->suggest &&
	    (r->budgets.count || r->flags.count || r->baselines.count || r->write_baseline))
		command_misuse(state, "--suggest checks nothing: give it sessions alone");
	if (r->quiet && (r->verbose || r->explain))
		command_misuse(state, "--quiet prints nothing: leave --verbose and --explain out");
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case KEY_LIST_KEYS:
		a->list_keys = 1;
		return 0;
	case KEY_CI:
		if (strcmp(text, "github") != 0)
			command_misuse(
				state,
				"no CI system \"%s\"; known: github (GitLab reads --junit and --code-quality)",
				text);
		a->request.github = 1;
		return 0;
	case ARGP_KEY_ARG:
		check_request_add(&a->request.files, text);
		return 0;
	case ARGP_KEY_END:
		settle(a, state);
		return 0;
	default:
		return parse_rule(key, text, &a->request) ? parse_output(key, text, &a->request)
							  : 0;
	}
}

const struct argp cmd_check_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "SESSION...",
	.doc = "Fails when a run takes more memory than its budget allows or than its baseline did. Several sessions are the "
	       "ranks of one job, or repeats of one run, of which the median is judged.",
};

int cmd_check(int argc, char **argv)
{
	struct arguments a = {0};
	int exit_code = 0;

	command_parse(&cmd_check_argp, argc, argv, 0, &a);
	if (a.list_keys)
		text_keys(stdout);
	else
		exit_code = check_perform(&a.request, argv[0], stdout);
	check_request_release(&a.request);
	return exit_code;
}
