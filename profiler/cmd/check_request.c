/* One check, from files to the exit code: see the header. */
#include "profiler/cmd/check_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/check_output.h"
#include "profiler/cmd/command.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/whole_file.h"
#include "profiler/gate/budget.h"
#include "profiler/gate/judge.h"
#include "profiler/gate/suggest.h"
#include "profiler/gate/text.h"
#include "profiler/view/escape.h"

/* Sessions and what they are grouped into; baselines are sessions as well, or files. */
struct sessions {
	ARRAY(struct model *) opened;
	struct model **models; /* sorted into runs */
	size_t *ends;
	ARRAY(struct run) runs;
};

struct check {
	const struct check_request *request;
	const char *name;
	struct budget budget;
	struct sessions head, base;
	struct baseline baseline;
	struct result result;
};

/* A gate that forgets a rule would be green. */
static void __attribute__((noreturn)) out_of_memory(void)
{
	command_say("loopmem", "out of memory");
	exit(EXIT_UNREADABLE);
}

void check_request_add(struct check_names *names, const char *name)
{
	const char **slot = array_add(names);

	if (!slot)
		out_of_memory();
	*slot = name;
}

void check_request_add_flag(struct check_request *request, const char *text, int is_tolerance)
{
	struct check_flag *flag = array_add(&request->flags);

	if (!flag)
		out_of_memory();
	*flag = (struct check_flag){is_tolerance, text};
}

void check_request_release(struct check_request *request)
{
	array_release(&request->files);
	array_release(&request->budgets);
	array_release(&request->baselines);
	array_release(&request->flags);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static int has_baseline_use(const struct check_request *r)
{
	return r->baselines.count || r->require_baseline;
}

static void add_flags(struct budget *budget, const struct check_request *r)
{
	unsigned count[2] = {0, 0};

	for (size_t i = 0; i < r->flags.count; i++) {
		const struct check_flag *flag = &r->flags.items[i];
		unsigned n = ++count[flag->is_tolerance != 0];

		if (flag->is_tolerance)
			budget_add_tolerance(budget, flag->text, n);
		else
			budget_add_max(budget, flag->text, n);
	}
}

static int read_rules(struct budget *budget, const struct check_request *r, const char *name)
{
	struct error e;
	int wrong = 0;

	if (has_baseline_use(r))
		budget_add_default_baselines(budget);
	for (size_t i = 0; i < r->budgets.count; i++) {
		if (!budget_read_file(budget, r->budgets.items[i], &e))
			continue;
		command_failed(name, &e);
		wrong = 1;
	}
	add_flags(budget, r);
	text_complaints(stderr, budget);
	if (budget->out_of_memory)
		out_of_memory();
	return wrong || budget->complaint_count ? EXIT_USAGE : 0;
}

int check_rules(const struct check_request *request, const char *name)
{
	struct budget budget = {0};
	int exit_code = read_rules(&budget, request, name);

	budget_release(&budget);
	return exit_code;
}

static int check_purpose(const struct check *c)
{
	const struct check_request *r = c->request;
	struct error e;

	if (c->budget.rules.count || r->write_baseline || r->suggest)
		return 0;
	error_set(&e, ERROR_USAGE, "no rule to check: it would keep nothing out");
	error_hint(
		&e,
		"give --budget FILE, --max KEY=SIZE or --baseline FILE; --list-keys shows the keys");
	error_hint(&e, "have a budget written: %s --suggest %s", c->name, r->files.items[0]);
	return command_failed(c->name, &e);
}

/* ---- sessions ----------------------------------------------------------------------------------------------------- */

/* What has no pool or no sample measured nothing: a gate that called it good would be green for ever. */
static int check_session(const struct model *m, struct error *e)
{
	if (m->damage)
		return error_set(e, ERROR_UNREADABLE, "%s cannot be checked: %s", m->file,
				 m->damage);
	if (m->end == MODEL_RUNNING)
		return error_set(e, ERROR_UNREADABLE, "%s cannot be checked: its run still goes on",
				 m->file);
	if (m->end == MODEL_UNKNOWN_END)
		return error_set(e, ERROR_UNREADABLE,
				 "%s cannot be checked: loopmem was killed before the run ended",
				 m->file);
	if (!m->round_count)
		return error_set(e, ERROR_UNREADABLE, "%s holds no samples", m->file);
	if (m->pool_count)
		return 0;
	error_set(e, ERROR_UNREADABLE, "%s holds no pool: no data loader was seen", m->file);
	error_hint(e, "what was seen: loopmem report %s", m->file);
	return ERROR_UNREADABLE;
}

static int open_one(struct sessions *s, const char *file, struct error *e)
{
	struct model **slot = array_add(&s->opened);

	if (!slot)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read %s", file);
	return open_session(slot, file, e) ? e->kind : check_session(*slot, e);
}

static int make_runs(struct sessions *s, struct error *e)
{
	size_t count = s->opened.count, jobs, start = 0;

	s->models = calloc(count + 1, sizeof(*s->models));
	s->ends = calloc(count + 1, sizeof(*s->ends));
	if (!s->models || !s->ends)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot check");
	for (size_t i = 0; i < count; i++)
		s->models[i] = s->opened.items[i];
	if (runs_group(s->models, count, s->ends, &jobs, e))
		return e->kind;
	for (size_t i = 0; i < jobs; start = s->ends[i++]) {
		struct run *run = array_add(&s->runs);

		if (!run)
			return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot check");
		if (run_make(run, s->models + start, s->ends[i] - start, e))
			return e->kind;
	}
	return 0;
}

static void close_sessions(struct sessions *s)
{
	for (size_t i = 0; i < s->runs.count; i++)
		run_release(&s->runs.items[i]);
	for (size_t i = 0; i < s->opened.count; i++)
		model_close(s->opened.items[i]);
	array_release(&s->runs);
	array_release(&s->opened);
	free(s->models);
	free(s->ends);
}

static int open_head(struct check *c, struct error *e)
{
	for (size_t i = 0; i < c->request->files.count; i++)
		if (open_one(&c->head, c->request->files.items[i], e))
			return e->kind;
	return make_runs(&c->head, e);
}

/* ---- the baseline ------------------------------------------------------------------------------------------------- */

static int is_missing(const char *file)
{
	FILE *in = fopen(file, "re");
	int missing = !in && errno == ENOENT;

	if (in)
		fclose(in);
	return missing;
}

static int open_base(struct check *c, struct error *e)
{
	const struct run *head = c->head.runs.items;

	c->baseline.wanted = c->request->baselines.count > 0;
	for (size_t i = 0; i < c->request->baselines.count; i++) {
		const char *file = c->request->baselines.items[i];
		int failed = is_missing(file) || baseline_is_file(file)
				     ? baseline_add_file(&c->baseline, file, head, e)
				     : open_one(&c->base, file, e);

		if (failed)
			return e->kind;
	}
	if (c->base.opened.count && make_runs(&c->base, e))
		return e->kind;
	for (size_t i = 0; i < c->base.runs.count; i++)
		if (baseline_add_run(&c->baseline, &c->base.runs.items[i], head, e))
			return e->kind;
	return 0;
}

static void tell_written(const struct check *c, const struct baseline_written *written, FILE *out)
{
	fprintf(out, "%s: ", c->name);
	escape_text(out, c->request->write_baseline);
	fprintf(out, " holds %zu run%s", written->runs, written->runs == 1 ? "" : "s");
	if (written->dropped)
		fprintf(out, "; %zu of another environment were dropped", written->dropped);
	if (written->left_out)
		fprintf(out, "; %zu figures did not fit", written->left_out);
	fputc('\n', out);
}

/* Only a run that was found good becomes a part of the baseline. */
static int extend_baseline(struct check *c, FILE *out)
{
	const struct check_request *r = c->request;
	struct baseline_written written;
	struct error e;

	if (c->result.exit_code) {
		command_say(c->name, "%s is left as it is: the check did not pass",
			    r->write_baseline);
		return c->result.exit_code;
	}
	if (baseline_write(r->write_baseline, c->head.runs.items, c->head.runs.count,
			   r->commit ? r->commit : "", &c->budget, &written, &e)) {
		command_failed(c->name, &e);
		return EXIT_UNREADABLE;
	}
	if (r->quiet)
		return 0;
	tell_written(c, &written, out);
	return 0;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------ */

/* The sessions cannot be read: the outputs say so too. */
static int fail(const struct check *c, const struct error *e, FILE *out)
{
	if (e->kind != ERROR_USAGE)
		check_write_error(c->request, c->name, e, out);
	command_failed(c->name, e);
	return e->kind == ERROR_USAGE ? EXIT_USAGE : EXIT_UNREADABLE;
}

static int suggest(const struct check *c)
{
	const char *file = c->request->suggest_output;
	struct whole_file w;
	int failed = whole_file_begin(&w);

	if (!failed) {
		suggest_budget(w.out, c->head.runs.items, c->head.runs.count);
		failed = whole_file_end(&w, file);
	}
	if (!failed)
		return 0;
	command_say(c->name, "cannot write %s: %s", file ? file : "the budget", strerror(errno));
	return EXIT_UNREADABLE;
}

static int judge_and_tell(struct check *c, FILE *out, struct error *e)
{
	const struct check_request *r = c->request;
	const struct judge_options options = {.require_baseline = r->require_baseline,
					      .ignore_environment = r->ignore_environment};
	int exit_code = 0, output_failed;

	if (judge(&c->result, &c->budget, c->head.runs.items, c->head.runs.count, &c->baseline,
		  &options, e))
		return fail(c, e, out);
	if (c->budget.rules.count)
		exit_code = c->result.exit_code;
	output_failed = check_write_outputs(r, c->name, &c->result, c->budget.rules.count > 0, out);
	if (r->write_baseline)
		exit_code = extend_baseline(c, out);
	return !exit_code && output_failed ? EXIT_UNREADABLE : exit_code;
}

static int perform(struct check *c, FILE *out)
{
	struct error e = {0};
	int exit_code = read_rules(&c->budget, c->request, c->name);

	if (!exit_code)
		exit_code = check_purpose(c);
	if (exit_code)
		return exit_code;
	if (open_head(c, &e))
		return fail(c, &e, out);
	if (c->request->suggest)
		return suggest(c);
	if (open_base(c, &e))
		return fail(c, &e, out);
	return judge_and_tell(c, out, &e);
}

int check_perform(const struct check_request *request, const char *name, FILE *out)
{
	struct check c = {.request = request, .name = name};
	int exit_code = perform(&c, out);

	result_release(&c.result);
	baseline_release(&c.baseline);
	close_sessions(&c.base);
	close_sessions(&c.head);
	budget_release(&c.budget);
	return exit_code;
}
