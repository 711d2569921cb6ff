/* loopmem run: starts a command under the shim, collects while it runs, ends as it ended. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/cmd/check_request.h"
#include "profiler/cmd/command.h"
#include "profiler/cmd/native_names.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/run_top.h"
#include "profiler/cmd/session_name.h"
#include "profiler/collect/clock.h"
#include "profiler/collect/collector.h"
#include "profiler/collect/launch.h"
#include "profiler/collect/segment_dir.h"
#include "profiler/collect/shim.h"
#include "profiler/collect/thin.h"
#include "profiler/size.h"
#include "profiler/version.h"
#include "profiler/view/summary.h"

enum {
	OPTION_RELEASE = 0x100,
	OPTION_SAMPLE_BYTES,
	OPTION_PYTHON_ALLOCATORS,
	OPTION_TRIM_TEST,
	OPTION_MAX_SIZE,
	OPTION_CHECK,
	OPTION_TOP,
};

struct run {
	const char *file; /* NULL = a name of its own in the working directory */
	char named[64];
	bool release, quiet, top, python_allocators, trim_test;
	struct run_top dashboard;   /* when top */
	struct check_request check; /* no budget = nothing to check */
	char sample_bytes[24];      /* a plain number for the shim, "" = its own mean */
	int64_t max_bytes;
	char **argv; /* the command */
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "session to write (default: run-MMDD-HHMMSS.loopmem)", 0},
	{"release-idle-workers", OPTION_RELEASE, NULL, 0,
	 "end the workers of a loader as soon as its last batch was handed out", 0},
	{"sample-bytes", OPTION_SAMPLE_BYTES, "SIZE", 0,
	 "fixes the mean of the allocated bytes between two samples of call stacks (default: from 64K to 8M, by what they cost)",
	 0},
	{"python-allocators", OPTION_PYTHON_ALLOCATORS, NULL, 0,
	 "sample each object of Python, not the arenas they lie in", 0},
	{"trim-test", OPTION_TRIM_TEST, NULL, 0,
	 "call malloc_trim in processes that freed much, to measure what their allocator kept", 0},
	{"max-size", OPTION_MAX_SIZE, "SIZE", 0,
	 "keep the session below SIZE by thinning its older part (default: 256M)", 0},
	{"check", OPTION_CHECK, "FILE", 0,
	 "check the session against the budget FILE when the command has ended well", 0},
	{"top", OPTION_TOP, NULL, 0,
	 "show the dashboard meanwhile; what the command writes goes to a .log beside the session",
	 0},
	{"quiet", 'q', NULL, 0, "print nothing unless loopmem itself failed", 0},
	{0},
};

static int64_t parse_size(const struct argp_state *state, const char *option, const char *text,
			  int64_t least)
{
	int64_t bytes;

	if (size_parse(text, &bytes))
		command_misuse(state, "%s %s: not a size such as 64M", option, text);
	if (bytes < least)
		command_misuse(state, "%s %s: at least %lld bytes", option, text, (long long)least);
	return bytes;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct run *run = state->input;

	switch (key) {
	case 'o':
		run->file = arg;
		return 0;
	case 'q':
		run->quiet = true;
		return 0;
	case OPTION_RELEASE:
		run->release = true;
		return 0;
	case OPTION_SAMPLE_BYTES:
		snprintf(run->sample_bytes, sizeof(run->sample_bytes), "%lld",
			 (long long)parse_size(state, "--sample-bytes", arg, 1));
		return 0;
	case OPTION_PYTHON_ALLOCATORS:
		run->python_allocators = true;
		return 0;
	case OPTION_TRIM_TEST:
		run->trim_test = true;
		return 0;
	case OPTION_MAX_SIZE:
		run->max_bytes = parse_size(state, "--max-size", arg, THIN_LEAST_MAX_BYTES);
		return 0;
	case OPTION_TOP:
		run->top = true;
		return 0;
	case OPTION_CHECK:
		check_request_add(&run->check.budgets, arg);
		return 0;
	case ARGP_KEY_ARG:
		run->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "no command to run");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_run_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "COMMAND [ARG...]",
	.doc = "Profiles COMMAND and the processes it starts. The output and the exit status are the command's.",
};

/* ---- when it cannot be profiled ---- */

static void say_unprofiled(struct error *e)
{
	fprintf(stderr, "loopmem: %s\n  the program runs on unprofiled", e->text);
	if (e->hint[0])
		fprintf(stderr, "   %.*s", (int)strcspn(e->hint, "\n"), e->hint);
	fputc('\n', stderr);
}

static int fail_to_start(const struct error *e, int exit_code)
{
	command_failed("loopmem run", e);
	return exit_code ? exit_code : EXIT_OWN_FAILURE;
}

/* ---- the gate ---- */

/* Ends as the command ended; when that was well, as the check of its session. What could not be profiled cannot be called good. */
static void __attribute__((noreturn))
end(struct run *run, const struct launch *launch, bool profiled)
{
	int exit_code = EXIT_UNREADABLE;

	if (!run->check.budgets.count || launch->status)
		launch_exit_alike(launch);
	run->check.quiet = run->quiet;
	check_request_add(&run->check.files, run->file);
	if (profiled)
		exit_code = check_perform(&run->check, "loopmem run", stderr);
	else
		command_say("loopmem run", "not checked: the command was not profiled");
	check_request_release(&run->check);
	exit(exit_code);
}

/* launch_start, with the command's output where --top wants it. */
static int start(const struct run *run, struct launch *launch,
		 const struct launch_variable *variables, size_t count, int *exit_code,
		 struct error *e)
{
	int result;

	if (run->top)
		run_top_before_start(&run->dashboard);
	result = launch_start(launch, run->argv, variables, count, exit_code, e);
	if (run->top)
		run_top_after_start(&run->dashboard);
	return result;
}

/* Starts the command without the shim and waits for it. */
static int run_unprofiled(struct run *run, struct error *e)
{
	struct launch launch;
	int exit_code;

	say_unprofiled(e);
	if (start(run, &launch, NULL, 0, &exit_code, e))
		return fail_to_start(e, exit_code);
	launch_wait(&launch);
	end(run, &launch, false);
}

/* ---- the profiled run ---- */

/* What the shim is told by a switch: as given here, or by whoever started this process. NULL = off. */
static const char *switch_of(bool given, const char *variable)
{
	return given ? "1" : getenv(variable);
}

static int start_command(const struct run *run, const struct segment_dir *dir,
			 struct launch *launch, int *exit_code, struct error *e)
{
	const char *sample_bytes = run->sample_bytes;
	char shim[PATH_MAX], *preload;
	int result;

	*exit_code = 0;
	if (shim_find(shim, e))
		return e->kind;
	preload = shim_preload(shim, getenv("LD_PRELOAD"), dir->path);
	if (!preload)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot preload %s", shim);
	if (!*sample_bytes)
		sample_bytes = getenv("LOOPMEM_SAMPLE_BYTES");
	const struct launch_variable variables[] = {
		{"LD_PRELOAD", preload},
		{"LOOPMEM_DIR", dir->path},
		{"LOOPMEM_SAMPLE_BYTES", sample_bytes},
		{"LOOPMEM_RELEASE", switch_of(run->release, "LOOPMEM_RELEASE")},
		{"LOOPMEM_PYTHON_ALLOCATORS",
		 switch_of(run->python_allocators, "LOOPMEM_PYTHON_ALLOCATORS")},
		{"LOOPMEM_TRIM_TEST", switch_of(run->trim_test, "LOOPMEM_TRIM_TEST")},
	};
	result = start(run, launch, variables, sizeof(variables) / sizeof(variables[0]), exit_code,
		       e);
	free(preload);
	return result;
}

static void reaped(pid_t pid, int status, void *collector)
{
	collector_reaped(collector, pid, status);
}

static void signalled(int signal, void *collector)
{
	collector_signalled(collector, signal);
}

static void serve(void *launch)
{
	launch_serve(launch);
}

/* ---- what is said at the end ---- */

static void warn(const struct collector_note *note, void *out)
{
	fprintf(out, "loopmem: %s", note->text);
	if (note->count > 1)
		fprintf(out, " (%lld times)", (long long)note->count);
	fputc('\n', out);
}

/* The loader ignores a library that it cannot preload; then only what /proc shows was seen. */
static void warn_of_absence(FILE *out, const struct run *run, int program_fd)
{
	const char *why = program_fd < 0 ? NULL : shim_why_not(program_fd);

	fprintf(out,
		"loopmem: %s: the shim did not load: %s\n"
		"  only what /proc shows was recorded: no pools, no heap\n",
		run->argv[0],
		why ? why : "the program took it out of its environment, or ended at once");
}

/* After a failure that was told there may be no file of that name to read. */
static void print_summary(const struct run *run, int failed)
{
	struct model *model;
	struct error e;

	if (open_session(&model, run->file, &e)) {
		if (!failed)
			command_failed("loopmem", &e);
		return;
	}
	summary_print(stderr, model, run->file);
	model_close(model);
}

/* Closes the session. Failures are always told; the summary and the warnings that were collected
 * are kept back by -q. */
static void finish(const struct run *run, struct collector *collector, int program_fd)
{
	char *warnings = NULL;
	size_t size;
	FILE *out = open_memstream(&warnings, &size);
	int absent = !collector_root_instrumented(collector);
	struct error e;
	int failed = collector_finish(collector, out ? warn : NULL, out, &e);

	if (absent && out)
		warn_of_absence(out, run, program_fd);
	if (out)
		fclose(out);
	if ((failed || !run->quiet) && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	if (failed)
		command_failed("loopmem", &e);
	if (!run->quiet) {
		print_summary(run, failed);
		fputs(warnings ? warnings : "", stderr);
	}
	free(warnings);
}

static void collect(const struct run *run, struct launch *launch, struct collector *collector,
		    int program_fd)
{
	launch->reaped = reaped;
	launch->signalled = signalled;
	launch->told_arg = collector;
	collector_watch(collector, launch->signal_fd, serve, launch);
	collector_run(collector);
	launch_wait(launch);
	finish(run, collector, program_fd);
}

static int run_profiled(struct run *run, struct segment_dir *dir)
{
	struct oom_before before;
	struct collector_options options_of_collector = {
		.before = &before,
		.segment_directory = dir->path,
		.file = run->file,
		.max_bytes = run->max_bytes,
		.clock_ns = clock_monotonic_ns(),
		.reaps = 1,
		.grace_ns = 250000000,
		.argv = run->argv,
		.version = LOOPMEM_VERSION,
		.resolve = native_names,
		.released = switch_of(run->release, "LOOPMEM_RELEASE") != NULL,
		.trims = switch_of(run->trim_test, "LOOPMEM_TRIM_TEST") != NULL,
		.sample_bytes = atoll(run->sample_bytes),
	};
	struct collector *collector;
	struct launch launch;
	struct error e;
	int exit_code, program_fd;

	oom_before_take(&before);
	if (start_command(run, dir, &launch, &exit_code, &e)) {
		segment_dir_remove(dir);
		return e.kind == ERROR_PROGRAM || launch.pid < 0 ? fail_to_start(&e, exit_code)
								 : run_unprofiled(run, &e);
	}
	program_fd = shim_open_program(launch.pid, run->argv[0]);
	options_of_collector.root = launch.pid;
	if (collector_start(&collector, &options_of_collector, &e)) {
		say_unprofiled(&e);
		segment_dir_remove(dir);
		launch_wait(&launch);
		end(run, &launch, false);
	}
	collect(run, &launch, collector, program_fd);
	segment_dir_remove(dir);
	end(run, &launch, true);
}

int cmd_run(int argc, char **argv)
{
	struct run run = {.max_bytes = THIN_DEFAULT_MAX_BYTES};
	struct segment_dir dir;
	struct error e;

	launch_keep_standard_files();
	command_parse(&cmd_run_argp, argc, argv, ARGP_IN_ORDER, &run);
	if (run.check.budgets.count && check_rules(&run.check, argv[0]))
		return EXIT_USAGE;
	if (!run.file)
		run.file = session_name(run.named, sizeof(run.named), "run");
	if (run.top && run_top_split(&run.dashboard, run.file, &e))
		return command_failed(argv[0], &e);
	if (segment_dir_make(&dir, &e))
		return run_unprofiled(&run, &e);
	return run_profiled(&run, &dir);
}
