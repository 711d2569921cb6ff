/* loopmem attach: watches a training that already runs, until it ends or the person has enough. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "profiler/cmd/command.h"
#include "profiler/cmd/open_session.h"
#include "profiler/cmd/session_name.h"
#include "profiler/collect/attach_access.h"
#include "profiler/collect/clock.h"
#include "profiler/collect/collector.h"
#include "profiler/collect/thin.h"
#include "profiler/version.h"
#include "profiler/view/summary.h"

enum { OPTION_DURATION = 0x100, DURATION_MOST_S = 366 * 24 * 3600 };

struct request {
	const char *file; /* NULL = a name of its own in the working directory */
	char named[64];
	double duration_s; /* 0 = until it ends */
	bool quiet;
	pid_t pid;
};

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "session to write (default: attach-MMDD-HHMMSS.loopmem)", 0},
	{"duration", OPTION_DURATION, "SECONDS", 0, "stop watching after SECONDS", 0},
	{"quiet", 'q', NULL, 0, "print nothing unless loopmem itself failed", 0},
	{0},
};

static double parse_seconds(const struct argp_state *state, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds > 0 && seconds <= DURATION_MOST_S))
		command_misuse(state, "--duration %s: not a number of seconds", text);
	return seconds;
}

static pid_t parse_pid(const struct argp_state *state, const char *text)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(text, &end, 10);
	if (end == text || *end || errno || pid <= 0 || pid > INT32_MAX)
		command_misuse(state, "%s: not the id of a process", text);
	return (pid_t)pid;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct request *r = state->input;

	switch (key) {
	case 'o':
		r->file = arg;
		return 0;
	case 'q':
		r->quiet = true;
		return 0;
	case OPTION_DURATION:
		r->duration_s = parse_seconds(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		if (r->pid)
			command_misuse(state, "one process at a time: its children belong to it");
		r->pid = parse_pid(state, arg);
		return 0;
	case ARGP_KEY_NO_ARGS:
		command_misuse(state, "no process to watch");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_attach_argp = {
	.options = options,
	.parser = parse,
	.args_doc = "PID",
	.doc = "Watches the running process PID and its children from outside, until it ends or Ctrl-C. The program is not touched.",
};

static void stop(void *collector)
{
	collector_stop(collector);
}

static int stop_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* A timer that is due once, after that many seconds. */
static int timer_after(double seconds)
{
	int64_t ns = (int64_t)(seconds * 1e9);
	const struct itimerspec due = {
		.it_value = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	timerfd_settime(fd, 0, &due, NULL);
	return fd;
}

static void warn(const struct collector_note *note, void *quiet)
{
	if (*(const bool *)quiet)
		return;
	fprintf(stderr, "loopmem: %s", note->text);
	if (note->count > 1)
		fprintf(stderr, " (%lld times)", (long long)note->count);
	fputc('\n', stderr);
}

static int print_summary(const char *file)
{
	struct model *model;
	struct error e;

	if (open_session(&model, file, &e))
		return command_failed("loopmem attach", &e);
	summary_print(stderr, model, file);
	model_close(model);
	return 0;
}

static int finish(struct request *r, struct collector *collector)
{
	struct error e;

	if (!r->quiet && isatty(STDERR_FILENO))
		fputc('\n', stderr);
	if (collector_finish(collector, warn, &r->quiet, &e))
		return command_failed("loopmem attach", &e);
	return r->quiet ? 0 : print_summary(r->file);
}

static void say_what_is_watched(const struct request *r)
{
	pid_t owner = attach_owner_of(r->pid);

	fprintf(stderr, "loopmem: watching %d into %s; Ctrl-C ends the watching, not the program\n",
		(int)r->pid, r->file);
	if (owner)
		fprintf(stderr,
			"loopmem: %d looks like a worker of %d; the whole training: loopmem attach %d\n",
			(int)r->pid, (int)owner, (int)owner);
}

int cmd_attach(int argc, char **argv)
{
	struct request r = {0};
	struct collector_options o = {
		.max_bytes = THIN_DEFAULT_MAX_BYTES,
		.grace_ns = 1000000000,
		.version = LOOPMEM_VERSION,
	};
	struct collector *collector;
	struct error e;

	command_parse(&cmd_attach_argp, argc, argv, 0, &r);
	if (attach_check(r.pid, &e))
		return command_failed("loopmem attach", &e);
	if (!r.file)
		r.file = session_name(r.named, sizeof(r.named), "attach");
	o.file = r.file;
	o.root = r.pid;
	o.clock_ns = clock_monotonic_ns();
	if (collector_start(&collector, &o, &e))
		return command_failed("loopmem attach", &e);
	collector_watch(collector, stop_signals(), stop, collector);
	if (r.duration_s > 0)
		collector_watch(collector, timer_after(r.duration_s), stop, collector);
	if (!r.quiet)
		say_what_is_watched(&r);
	collector_run(collector);
	return finish(&r, collector);
}
