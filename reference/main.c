/*
 * loopmem-fit: trains the reference model once, as the options say.
 *
 * Prints nothing but what is asked for with --json and --progress. Exit status: 0 trained, 1 failed,
 * 2 wrong use.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "reference/fit.h"
#include "reference/options.h"
#include "reference/result.h"
#include "reference/workload.h"

struct program {
	struct options options;
	struct result result;
	int progress_is_line; /* one line that is rewritten: stderr is a terminal */
};

static void show_progress(const struct program *p, const struct fit_event *event)
{
	if (event->kind != FIT_PHASE_BEGIN || event->stage != LOOPMEM_STAGE_TRAIN)
		return;
	fprintf(stderr, p->progress_is_line ? "\r\033[K%s, epoch %d of %u" : "%s, epoch %d of %u\n",
		p->options.progress, event->epoch + 1, p->options.epochs);
}

static void on_event(void *context, const struct fit_event *event)
{
	struct program *p = context;

	result_add(&p->result, event);
	if (p->options.progress)
		show_progress(p, event);
}

static struct fit_config fit_config(const struct options *o)
{
	return (struct fit_config){
		.habits = o->habits,
		.max_epochs = o->epochs,
		.val_check_interval = o->val_check_interval,
		.check_val_every_n_epoch = o->val_epochs,
		.sanity_steps = o->sanity_steps,
		.limit_train = o->limit_train,
		.limit_val = o->limit_val,
		.step_delay_s = o->step_delay_s,
		.reload_every_n_epochs = o->reload_epochs,
	};
}

static int train(struct program *p, struct workload *workload, struct regression *model,
		 struct failure *f)
{
	struct fit fit = {
		.config = fit_config(&p->options),
		.data = {.context = workload,
			 .val_loaders = p->options.val_loaders,
			 .open_loader = workload_open_loader},
		.observer = {.context = p, .event = on_event},
		.model = model,
	};
	int error = fit_run(&fit, f);

	if (!error && p->options.test)
		error = fit_test(&fit, f);
	if (!error && p->options.predict)
		error = fit_predict(&fit, f);
	return error;
}

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int write_result(const struct program *p, uint64_t steps, double seconds, struct failure *f)
{
	const char *file = p->options.json;
	FILE *out = strcmp(file, "-") ? fopen(file, "we") : stdout;
	int error;

	if (!out)
		return failure_system(f, file);
	error = result_print(&p->result, p->options.habits, steps, seconds, out);
	if (error)
		failure_system(f, file);
	if (out != stdout)
		fclose(out);
	return error;
}

static int run(struct program *p, struct failure *f)
{
	struct workload workload;
	struct regression model = {0};
	double start = now_s();
	int error = workload_open(&workload, &p->options, f);

	if (!error)
		error = regression_init(&model, p->options.features, &adamw_usual, f);
	if (!error)
		error = train(p, &workload, &model, f);
	if (!error && p->options.json)
		error = write_result(p, model.steps, now_s() - start, f);
	regression_release(&model);
	workload_close(&workload);
	return error;
}

int main(int argc, char **argv)
{
	struct program program = {0};
	struct failure f;
	int error;

	options_parse(&program.options, argc, argv);
	program.progress_is_line = isatty(STDERR_FILENO);
	error = run(&program, &f);
	if (program.options.progress && program.progress_is_line)
		fputs("\r\033[K", stderr);
	if (error)
		fprintf(stderr, "loopmem-fit: %s\n", f.text);
	result_release(&program.result);
	if (!error)
		return 0;
	return f.kind == FAILURE_USAGE ? OPTIONS_EXIT_USAGE : 1;
}
