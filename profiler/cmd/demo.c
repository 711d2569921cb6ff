/*
 * loopmem demo: the same training in the order of common frameworks and in one that holds nothing idle, then
 * with one habit at a time, each profiled; the comparison.
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/demo_training.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/terminal.h"
#include "profiler/size.h"
#include "profiler/view/comparison.h"

enum { KEY_WORKERS = 0x100, KEY_VAL_WORKERS, KEY_CACHE, KEY_EPOCHS };
enum { WORKERS_MOST = 16, EPOCHS_MOST = 20, HABIT_EPOCHS = 2 };

#define CACHE_LEAST (INT64_C(1) << 20)
#define CACHE_MOST  (INT64_C(1) << 30)

/* The trainings, in the order they are run: both orders, then one habit each. */
static const struct plan {
	const char *file; /* of the session, without its ending */
	const char *name;
	const char *habit;      /* as the comparison names it; NULL = not of one habit */
	const char *options[3]; /* of loopmem-fit */
} plans[] = {
	{"old", "old order", NULL, {"--order=old"}},
	{"new", "new order", NULL, {"--order=new"}},
	{"habit-1",
	 "one habit of four, the first",
	 "validate inside the train iterator's life",
	 {"--order=new", "--validate-inside"}},
	{"habit-2",
	 "one habit of four, the second",
	 "keep the validation iterator",
	 {"--order=new", "--keep-validation"}},
	{"habit-3",
	 "one habit of four, the third",
	 "build the new pool before dropping the old",
	 {"--order=new", "--build-before-drop"}},
	{"habit-4",
	 "one habit of four, the fourth",
	 "keep the sanity iterator",
	 {"--order=new", "--keep-sanity"}},
};

enum { OLD, NEW, HABITS, PLANS = sizeof(plans) / sizeof(plans[0]) };

struct demo {
	const char *directory;
	unsigned epochs;
	struct demo_workload workload;
	char scratch[PATH_MAX]; /* results, and sessions nobody will look at */
	struct demo_training trainings[PLANS];
	struct model *runs[PLANS];
	json_t *figures[HABITS]; /* of old and new */
};

/* ---- options ---------------------------------------------------------------------------------------------- */

static const struct argp_option options[] = {
	{"output", 'o', "DIR", 0, "where to leave old.loopmem and new.loopmem (loopmem-demo)", 0},
	{"workers", KEY_WORKERS, "N", 0, "processes that load train batches (2)", 0},
	{"val-workers", KEY_VAL_WORKERS, "N", 0, "processes that load validation batches (2)", 0},
	{"cache", KEY_CACHE, "SIZE", 0, "what each worker keeps of what it has read (60M)", 0},
	{"epochs", KEY_EPOCHS, "N", 0, "epochs of both orders (3)", 0},
	{0},
};

static unsigned number(const struct argp_state *state, const char *option, const char *text,
		       long most)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (end == text || *end || value < 1 || value > most)
		command_misuse(state, "%s takes a number from 1 to %ld", option, most);
	return (unsigned)value;
}

static int64_t cache_size(const struct argp_state *state, const char *text)
{
	int64_t bytes;

	if (size_parse(text, &bytes) || bytes < CACHE_LEAST || bytes > CACHE_MOST)
		command_misuse(state, "--cache takes a size from 1M to 1G");
	return bytes;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct demo *demo = state->input;

	switch (key) {
	case 'o':
		demo->directory = text;
		return 0;
	case KEY_WORKERS:
		demo->workload.workers = number(state, "--workers", text, WORKERS_MOST);
		return 0;
	case KEY_VAL_WORKERS:
		demo->workload.val_workers = number(state, "--val-workers", text, WORKERS_MOST);
		return 0;
	case KEY_CACHE:
		demo->workload.cache_bytes = cache_size(state, text);
		return 0;
	case KEY_EPOCHS:
		demo->epochs = number(state, "--epochs", text, EPOCHS_MOST);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_demo_argp = {
	.options = options,
	.parser = parse,
	.doc = "Trains a small model twice under the profiler: in the order of common frameworks, which keeps idle "
	       "workers alive, and in one that does not. Then shows what that costs and which habit costs how much.",
};

/* ---- places ----------------------------------------------------------------------------------------------- */

static int make_places(struct demo *demo, struct error *e)
{
	const char *temporary = getenv("TMPDIR");

	if (mkdir(demo->directory, 0777) && errno != EEXIST)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot make the directory %s",
				       demo->directory);
	snprintf(demo->scratch, sizeof(demo->scratch) - 64, "%s/loopmem-demo-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (mkdtemp(demo->scratch))
		return 0;
	error_set_errno(e, ERROR_SYSTEM, errno, "cannot make a directory %s", demo->scratch);
	demo->scratch[0] = '\0';
	return e->kind;
}

static void remove_scratch(const struct demo *demo)
{
	if (!demo->scratch[0])
		return;
	for (int i = 0; i < PLANS; i++) {
		unlink(demo->trainings[i].result);
		if (i >= HABITS)
			unlink(demo->trainings[i].session);
	}
	rmdir(demo->scratch);
}

static void plan_trainings(struct demo *demo)
{
	for (int i = 0; i < PLANS; i++) {
		const struct plan *plan = &plans[i];
		struct demo_training *t = &demo->trainings[i];

		t->name = plan->name;
		t->habits = plan->options;
		t->epochs = i < HABITS ? demo->epochs : HABIT_EPOCHS;
		snprintf(t->session, sizeof(t->session), "%s/%s.loopmem",
			 i < HABITS ? demo->directory : demo->scratch, plan->file);
		snprintf(t->result, sizeof(t->result), "%s/%s.json", demo->scratch, plan->file);
	}
}

/* ---- the demo --------------------------------------------------------------------------------------------- */

static int train_all(struct demo *demo, struct error *e)
{
	for (int i = 0; i < PLANS; i++) {
		const struct demo_training *t = &demo->trainings[i];
		int failed = demo_train(t, &demo->workload, e);

		if (!failed)
			failed = open_session(&demo->runs[i], t->session, e);
		if (!failed && i < HABITS) {
			demo->figures[i] = demo_figures(t, e);
			failed = demo->figures[i] ? 0 : e->kind;
		}
		if (failed)
			return failed;
	}
	return 0;
}

static int print(const struct demo *demo, const double losses[][EPOCHS_MOST])
{
	struct comparison_habit habits[PLANS - HABITS];
	struct report_options look = {.width = terminal_width(stdout), .utf8 = terminal_utf8()};
	char title[160];
	struct comparison c = {
		.title = title,
		.old_name = plans[OLD].name,
		.new_name = plans[NEW].name,
		.old_file = demo->trainings[OLD].session,
		.new_file = demo->trainings[NEW].session,
		.old_run = demo->runs[OLD],
		.new_run = demo->runs[NEW],
		.old_losses = losses[OLD],
		.new_losses = losses[NEW],
		.loss_count = demo->epochs,
		.habits = habits,
		.habit_count = PLANS - HABITS,
	};

	snprintf(title, sizeof(title),
		 "the same training twice, %u epoch%s, %u train + %u validation workers, %lld MiB "
		 "cache each",
		 demo->epochs, demo->epochs == 1 ? "" : "s", demo->workload.workers,
		 demo->workload.val_workers, (long long)demo->workload.cache_bytes >> 20);
	for (int i = HABITS; i < PLANS; i++)
		habits[i - HABITS] =
			(struct comparison_habit){plans[i].habit, demo->runs[i]->totals.peak_bytes};
	return comparison_print(stdout, &c, &look);
}

/* The comparison, then the verdict: every figure of the two orders must be the same. */
static int compare(const struct demo *demo, struct error *e)
{
	double losses[HABITS][EPOCHS_MOST] = {{0}};

	for (int i = 0; i < HABITS; i++)
		if (demo_losses(demo->figures[i], losses[i], EPOCHS_MOST) != demo->epochs)
			return error_set(e, ERROR_SYSTEM, "the %s has no loss for every epoch",
					 plans[i].name);
	if (print(demo, losses))
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the comparison");
	if (fflush(stdout) || ferror(stdout))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write the comparison");
	if (!json_equal(demo->figures[OLD], demo->figures[NEW]))
		return error_set(e, ERROR_PROGRAM, "losses differ: please report");
	return 0;
}

int cmd_demo(int argc, char **argv)
{
	struct demo demo = {
		.directory = "loopmem-demo",
		.epochs = 3,
		.workload = {.workers = 2, .val_workers = 2, .cache_bytes = 60 << 20},
	};
	struct error e;
	int failed;

	setlocale(LC_CTYPE, "");
	command_parse(&cmd_demo_argp, argc, argv, 0, &demo);
	failed = demo_find_fit(demo.workload.fit, &e);
	if (!failed)
		failed = make_places(&demo, &e);
	plan_trainings(&demo);
	if (!failed)
		failed = train_all(&demo, &e);
	if (!failed)
		failed = compare(&demo, &e);
	for (int i = 0; i < PLANS; i++)
		model_close(demo.runs[i]);
	for (int i = 0; i < HABITS; i++)
		json_decref(demo.figures[i]);
	remove_scratch(&demo);
	return failed ? command_failed(argv[0], &e) : 0;
}
