/* The dashboard beside its own run; see run_top.h. */
#include "profiler/cmd/run_top.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "profiler/cmd/native_names.h"
#include "profiler/cmd/open_session.h"
#include "profiler/collect/launch.h"
#include "tui/tui.h"

enum { POLL_MS = 50 };

/* Signals that the run passes on to the command. */
static const int passed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

enum { PASSED_ON = sizeof(passed_on) / sizeof(passed_on[0]) };

static void name_log(const char *session, char *log, size_t size)
{
	const char *end = strrchr(session, '.'), *slash = strrchr(session, '/');

	if (!end || (slash && end < slash))
		end = session + strlen(session);
	snprintf(log, size, "%.*s.log", (int)(end - session), session);
}

/* ---- the parent --------------------------------------------------------------------------------------- */

struct viewer {
	pid_t run;
	int ended, status; /* of the run */
	const char *session, *log;
	int talk;
};

static void look_for_end(struct viewer *v, int flags)
{
	if (!v->ended && waitpid(v->run, &v->status, flags) == v->run)
		v->ended = 1;
}

/* The session is there, and it is this run's own: not an older one of the same name. */
static int is_there(const struct viewer *v)
{
	struct model *model;
	struct error e;
	int ours;

	if (access(v->session, F_OK) || open_session(&model, v->session, &e))
		return 0;
	ours = model->collector_pid == v->run;
	model_close(model);
	return ours;
}

/* Waits until there is a session to show. 0 = the run ended without one. */
static int wait_for_session(struct viewer *v)
{
	const struct timespec pause = {0, POLL_MS * 1000000};
	while (!is_there(v)) {
		look_for_end(v, WNOHANG);
		if (v->ended)
			return is_there(v);
		nanosleep(&pause, NULL);
	}
	return 1;
}

/* Returns the signal that ended the dashboard, 0 when the person left it. */
static int show(const struct viewer *v)
{
	struct tui_options options;
	struct error e;
	int result;

	setlocale(LC_CTYPE, "");
	tui_options_init(&options);
	options.file = v->session;
	options.log = v->log;
	options.shares_terminal = options.config = 1;
	options.collector_is_gone = collector_is_gone;
	options.name_frames = native_names_of;
	result = tui_run(&options, &e);
	if (result < 0)
		fprintf(stderr, "loopmem run: %s\n", e.text);
	return result > 0 ? result : 0;
}

/* Ctrl-C and Ctrl-\ reach the command by itself; the rest is passed on. */
static void wait_for_run(struct viewer *v)
{
	sigset_t set;

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (int i = 0; i < PASSED_ON; i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (look_for_end(v, WNOHANG); !v->ended; look_for_end(v, WNOHANG)) {
		int number = sigwaitinfo(&set, NULL);

		if (number > 0 && number != SIGCHLD)
			kill(v->run, number);
	}
}

static void print_talk(int talk)
{
	char text[4096];
	ssize_t length;

	lseek(talk, 0, SEEK_SET);
	while ((length = read(talk, text, sizeof(text))) > 0)
		fwrite(text, 1, (size_t)length, stderr);
}

static void __attribute__((noreturn)) view(struct viewer *v)
{
	struct launch alike = {0};
	int number = 0;

	if (wait_for_session(v))
		number = show(v);
	look_for_end(v, WNOHANG);
	if (!v->ended && number)
		kill(v->run, number);
	else if (!v->ended)
		fprintf(stderr,
			"loopmem: the program runs on; it writes to %s\n  again: loopmem top --log %s %s\n",
			v->log, v->log, v->session);
	wait_for_run(v);
	print_talk(v->talk);
	alike.status = v->status;
	launch_exit_alike(&alike);
}

/* ---- the child ------------------------------------------------------------------------------------------- */

static int open_files(struct run_top *top, const char *log, struct error *e)
{
	top->log = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
	if (top->log < 0)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot write %s", log);
	top->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	top->talk = memfd_create("loopmem run", MFD_CLOEXEC);
	if (top->null < 0 || top->talk < 0)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot open what --top needs");
	return 0;
}

int run_top_split(struct run_top *top, const char *session, struct error *e)
{
	struct viewer v = {.session = session};
	char log[PATH_MAX];

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return error_set(e, ERROR_USAGE, "--top needs a terminal");
	name_log(session, log, sizeof(log));
	if (open_files(top, log, e))
		return e->kind;
	v.run = fork();
	if (v.run < 0)
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot start the run");
	v.log = log;
	v.talk = top->talk;
	if (v.run)
		view(&v);
	dup2(top->null, STDIN_FILENO);
	dup2(top->talk, STDOUT_FILENO);
	dup2(top->talk, STDERR_FILENO);
	return 0;
}

void run_top_before_start(const struct run_top *top)
{
	fflush(stderr);
	dup2(top->log, STDOUT_FILENO);
	dup2(top->log, STDERR_FILENO);
}

void run_top_after_start(const struct run_top *top)
{
	dup2(top->talk, STDOUT_FILENO);
	dup2(top->talk, STDERR_FILENO);
}
