/*
 * loopmem collect, started by the shim of a program that preloads it without `loopmem run`: watches
 * the job in a process of its own, out of the way of terminal and program.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/native_names.h"
#include "profiler/collect/collector.h"
#include "profiler/collect/segment_dir.h"
#include "profiler/collect/thin.h"
#include "profiler/version.h"

enum { OPTION_DIR = 0x100, OPTION_PID };

struct collect {
	const char *file, *directory;
	pid_t pid;
};

static const struct argp_option options[] = {
	{"dir", OPTION_DIR, "DIR", 0, "where the processes make their segments", 0},
	{"pid", OPTION_PID, "N", 0, "the job's first process", 0},
	{"output", 'o', "FILE", 0, "session to write", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct collect *collect = state->input;

	switch (key) {
	case OPTION_DIR:
		collect->directory = arg;
		return 0;
	case OPTION_PID:
		collect->pid = (pid_t)strtol(arg, NULL, 10);
		if (collect->pid <= 0)
			command_misuse(state, "--pid %s: not a process", arg);
		return 0;
	case 'o':
		collect->file = arg;
		return 0;
	case ARGP_KEY_END:
		if (!collect->file || !collect->directory || !collect->pid)
			command_misuse(state, "--dir, --pid and -o are needed");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_collect_argp = {
	.options = options,
	.parser = parse,
	.doc = "Watches a job whose processes preload libloopmem.so by themselves, until its first process and the workers have ended.",
};

static void stop(void *collector)
{
	collector_stop(collector);
}

/* What the terminal sends is meant for the job; TERM closes the session. */
static int own_signals(void)
{
	static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGTSTP, SIGPIPE, SIGXFSZ};
	sigset_t term;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
	return signalfd(-1, &term, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void warn(const struct collector_note *note, void *unused)
{
	(void)unused;
	fprintf(stderr, "loopmem: %s\n", note->text);
}

int cmd_collect(int argc, char **argv)
{
	struct collect collect = {0};
	struct collector_options o = {.max_bytes = THIN_DEFAULT_MAX_BYTES,
				      .version = LOOPMEM_VERSION,
				      .resolve = native_names};
	struct collector *collector;
	struct error e;
	int result;

	command_parse(&cmd_collect_argp, argc, argv, 0, &collect);
	o.segment_directory = collect.directory;
	o.file = collect.file;
	o.root = collect.pid;
	o.grace_ns = INT64_C(10000000000);
	o.clock_ns = collector_birth_of(collect.pid);
	o.released = getenv("LOOPMEM_RELEASE") != NULL;
	o.trims = getenv("LOOPMEM_TRIM_TEST") != NULL;
	if (collector_start(&collector, &o, &e))
		return command_failed("loopmem", &e);
	collector_watch(collector, own_signals(), stop, collector);
	collector_run(collector);
	result = collector_finish(collector, warn, NULL, &e) ? command_failed("loopmem", &e) : 0;
	segment_dir_remove_path(collect.directory);
	return result;
}
