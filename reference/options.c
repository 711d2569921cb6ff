/* The command line of loopmem-fit: argp fed from options.def and habits.def. */
#include "reference/options.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEY_ORDER = 256,
	KEY_JSON,
	KEY_PROGRESS,
	KEY_HABIT,
	KEY_NO_HABIT = KEY_HABIT + FIT_HABITS,
	KEY_FIELDS = KEY_NO_HABIT + FIT_HABITS,
/* a key for each field, after the others */
#define GROUP(title)
#define NUMBER(field, ...) KEY_##field,
#define AMOUNT(field, ...) KEY_##field,
#define MIB(field, ...)    KEY_##field,
#define MS(field, ...)     KEY_##field,
#define FLAG(field, ...)   KEY_##field,
#include "reference/options.def"
};

#define TEXT(value) #value

static const struct argp_option argp_options[] = {
	{.doc = "Order"},
	{"order", KEY_ORDER, "old|new", 0,
	 "old (the default): all of the habits below, as in common frameworks; new: none", 0},
#define HABIT(name, option, meaning)                                  \
	{option, KEY_HABIT + FIT_NUMBER_##name, NULL, 0, meaning, 0}, \
		{"no-" option,                                        \
		 KEY_NO_HABIT + FIT_NUMBER_##name,                    \
		 NULL,                                                \
		 0,                                                   \
		 "the opposite of --" option,                         \
		 0},
#include "reference/habits.def"
#define GROUP(title) {.doc = title},
#define NUMBER(field, name, value, least, most, help) \
	{name, KEY_##field, "N", 0, help " (" TEXT(value) ")", 0},
#define AMOUNT(field, name, help)     {name, KEY_##field, "all|N|F", 0, help " (all)", 0},
#define MIB(field, name, value, help) {name, KEY_##field, "N", 0, help " (" TEXT(value) ")", 0},
#define MS(field, name, value, help)  {name, KEY_##field, "MS", 0, help " (" TEXT(value) ")", 0},
#define FLAG(field, name, help)       {name, KEY_##field, NULL, 0, help, 0},
#include "reference/options.def"
	{.doc = "Output"},
	{"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL,
	 "the result as one line of JSON, to stdout or FILE", 0},
	{"progress", KEY_PROGRESS, "LABEL", OPTION_ARG_OPTIONAL, "say on stderr how far the run is",
	 0},
	{0},
};

/* A whole word that is a number in the range, or the end with status 2. */
static double number(struct argp_state *state, const char *text, double least, double most)
{
	char *end;
	double value;

	errno = 0;
	value = strtod(text, &end);
	if (end == text || *end || errno || !(value >= least && value <= most))
		argp_error(state, "\"%s\" is not a number from %.15g to %.15g", text, least, most);
	return value;
}

static double whole_number(struct argp_state *state, const char *text, double least, double most)
{
	double value = number(state, text, least, most);

	if (value != floor(value))
		argp_error(state, "\"%s\" is not a whole number", text);
	return value;
}

static struct fit_amount amount(struct argp_state *state, const char *text)
{
	struct fit_amount amount = {.kind = FIT_ALL};

	if (!strcmp(text, "all"))
		return amount;
	if (!strchr(text, '.')) {
		amount.kind = FIT_COUNT;
		amount.count = (uint32_t)whole_number(state, text, 0, UINT32_MAX);
		return amount;
	}
	amount.kind = FIT_FRACTION;
	amount.fraction = number(state, text, 0, 1);
	if (amount.fraction <= 0)
		argp_error(state, "\"%s\" of an epoch is nothing", text);
	return amount;
}

static unsigned order(struct argp_state *state, const char *text)
{
	if (strcmp(text, "old") && strcmp(text, "new"))
		argp_error(state, "no order \"%s\": it is old or new", text);
	return text[0] == 'o' ? FIT_OLD_ORDER : FIT_NEW_ORDER;
}

/* What can be said of a value alone was checked when it was read; this is about several. */
static void check(const struct options *o, struct argp_state *state)
{
	if (o->persistent && !o->workers && !o->val_workers)
		argp_error(state, "--persistent needs workers");
	if (o->count_references && !o->index_bytes)
		argp_error(state, "--count-references needs --index-mib");
	if (o->limit_train.kind == FIT_COUNT && !o->limit_train.count)
		argp_error(state, "--limit-train 0 leaves nothing to train on");
	if (o->val_check_interval.kind == FIT_COUNT && !o->val_check_interval.count)
		argp_error(state,
			   "--val-check-interval 0: a validation cannot come after no batches");
	if (o->drop_last && (o->batch_size > o->train_items || o->batch_size > o->val_items))
		argp_error(state, "--drop-last drops everything: a set is smaller than a batch");
}

static void parse_habit(struct options *options, int key)
{
	if (key < KEY_NO_HABIT)
		options->habits |= 1u << (key - KEY_HABIT);
	else
		options->habits &= ~(1u << (key - KEY_NO_HABIT));
}

static error_t parse_field(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
#define GROUP(title)
#define NUMBER(field, name, value, least, most, help)                             \
	case KEY_##field:                                                         \
		options->field = (unsigned)whole_number(state, arg, least, most); \
		return 0;
#define AMOUNT(field, name, help)                    \
	case KEY_##field:                            \
		options->field = amount(state, arg); \
		return 0;
#define MIB(field, name, value, help)                                                \
	case KEY_##field:                                                            \
		options->field = (size_t)(number(state, arg, 0, 1 << 20) * 1048576); \
		return 0;
#define MS(field, name, value, help)                                    \
	case KEY_##field:                                               \
		options->field = number(state, arg, 0, 3600000) / 1000; \
		return 0;
#define FLAG(field, name, help)     \
	case KEY_##field:           \
		options->field = 1; \
		return 0;
#include "reference/options.def"
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	if (key >= KEY_HABIT && key < KEY_FIELDS)
		return parse_habit(options, key), 0;
	switch (key) {
	case KEY_ORDER:
		options->habits = order(state, arg);
		return 0;
	case KEY_JSON:
		options->json = arg ? arg : "-";
		return 0;
	case KEY_PROGRESS:
		options->progress = arg ? arg : "loopmem-fit";
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "what is \"%s\"?", arg);
		return 0;
	case ARGP_KEY_SUCCESS:
		check(options, state);
		return 0;
	default:
		return parse_field(key, arg, state);
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse,
	.doc = "Trains a linear regression with a multi-process data loader and says how it went. "
	       "The order of building and dropping iterators can be that of common frameworks, which "
	       "keeps idle workers alive, or one that does not; the losses are the same to the bit."
	       "\vOf several order options the later ones win: \"--order new --keep-sanity\" has one "
	       "habit. Values in brackets are the defaults. Exit status: 0 trained, 1 failed, 2 wrong "
	       "use.",
};

void options_parse(struct options *options, int argc, char **argv)
{
	*options = (struct options){
		.habits = FIT_OLD_ORDER,
#define GROUP(title)
#define NUMBER(field, name, value, ...) .field = (value),
#define AMOUNT(field, ...)              .field = {.kind = FIT_ALL},
#define MIB(field, name, value, help)   .field = (size_t)(value) << 20,
#define MS(field, name, value, help)    .field = (value) / 1000.0,
#define FLAG(field, ...)                .field = 0,
#include "reference/options.def"
	};
	argp_err_exit_status = OPTIONS_EXIT_USAGE;
	argp_parse(&argp, argc, argv, 0, NULL, options);
}
