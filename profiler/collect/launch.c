/* Starting the command: see the header. */
#include "profiler/collect/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

static const int handed_on[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
/* The terminal sends them to the command as well. */
static const int noted[] = {SIGINT, SIGQUIT};
/* XFSZ: a limit on file sizes should be an error of writing, not the end of the collector. */
static const int ignored[] = {SIGTSTP, SIGTTIN, SIGTTOU, SIGXFSZ, SIGPIPE};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

void launch_keep_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) != fd)
			return;
}

static void __attribute__((noreturn))
become_command(char *const *argv, const struct launch_variable *variables, size_t count,
	       int report_fd)
{
	int error;

	for (size_t i = 0; i < count; i++) {
		if (!variables[i].value)
			unsetenv(variables[i].name);
		else
			setenv(variables[i].name, variables[i].value, 1);
	}
	execvp(argv[0], argv);
	error = errno;
	while (write(report_fd, &error, sizeof(error)) < 0 && errno == EINTR)
		;
	_exit(LAUNCH_NOT_FOUND);
}

/* 0 when the pipe closed at the exec, else the errno it reported. */
static int exec_result(int fd)
{
	int error = 0;
	ssize_t n;

	do
		n = read(fd, &error, sizeof(error));
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(error) ? error : 0;
}

static void add_all(sigset_t *set, const int *signals, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sigaddset(set, signals[i]);
}

static void set_served(sigset_t *served)
{
	sigemptyset(served);
	sigaddset(served, SIGCHLD);
	add_all(served, handed_on, COUNT(handed_on));
	add_all(served, noted, COUNT(noted));
}

/* Nothing may arrive between the fork and this. */
static void take_over_signals(struct launch *l)
{
	sigset_t served;

	for (size_t i = 0; i < COUNT(ignored); i++)
		signal(ignored[i], SIG_IGN);
	set_served(&served);
	l->signal_fd = signalfd(-1, &served, SFD_NONBLOCK | SFD_CLOEXEC);
	sigprocmask(SIG_SETMASK, &served, NULL);
}

static int start_error(const char *name, int errnum, int *exit_code, struct error *e)
{
	*exit_code = errnum == ENOENT || errnum == ENOTDIR ? LAUNCH_NOT_FOUND
							   : LAUNCH_NOT_EXECUTABLE;
	if (*exit_code == LAUNCH_NOT_FOUND)
		error_set(e, ERROR_PROGRAM, "%s: not found", name);
	else
		error_set_errno(e, ERROR_PROGRAM, errnum, "%s", name);
	error_hint(e, "exit %d, as the shell would", *exit_code);
	return e->kind;
}

int launch_start(struct launch *l, char *const *argv, const struct launch_variable *variables,
		 size_t count, int *exit_code, struct error *e)
{
	sigset_t held, before;
	int report[2], error;

	*l = (struct launch){.signal_fd = -1};
	*exit_code = 0;
	if (pipe2(report, O_CLOEXEC))
		return error_set_errno(e, ERROR_SYSTEM, errno, "cannot start %s", argv[0]);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	set_served(&held);
	add_all(&held, ignored, COUNT(ignored));
	sigprocmask(SIG_BLOCK, &held, &before);
	l->pid = fork();
	if (!l->pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		become_command(argv, variables, count, report[1]);
	}
	error = l->pid < 0 ? errno : 0;
	close(report[1]);
	if (error) {
		close(report[0]);
		return error_set_errno(e, ERROR_SYSTEM, error, "cannot start %s", argv[0]);
	}
	take_over_signals(l);
	error = exec_result(report[0]);
	close(report[0]);
	if (!error)
		return 0;
	waitpid(l->pid, NULL, 0);
	return start_error(argv[0], error, exit_code, e);
}

/* ---- while it runs ---- */

/* Stopped from the terminal: the shell must see this process stopped too. Runs on when the shell
 * continues both. */
static void stop_along(const struct launch *l, int signal_number)
{
	if (signal_number != SIGTSTP && signal_number != SIGTTIN && signal_number != SIGTTOU)
		return;
	raise(SIGSTOP);
	kill(l->pid, SIGCONT);
}

static int wait_status(const siginfo_t *info)
{
	if (info->si_code == CLD_EXITED)
		return (info->si_status & 0xff) << 8;
	return info->si_status | (info->si_code == CLD_DUMPED ? 0x80 : 0);
}

static void reap(struct launch *l)
{
	siginfo_t info = {0};

	while (!waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG) && info.si_pid) {
		if (info.si_code == CLD_STOPPED) {
			if (info.si_pid == l->pid)
				stop_along(l, info.si_status);
			continue;
		}
		if (info.si_pid == l->pid) {
			l->ended = 1;
			l->status = wait_status(&info);
		}
		if (l->reaped)
			l->reaped(info.si_pid, wait_status(&info), l->told_arg);
		info.si_pid = 0;
	}
}

static int is_in(const int *signals, size_t count, int number)
{
	while (count && signals[count - 1] != number)
		count--;
	return count > 0;
}

/* What is blocked arrives although it is ignored. This process has the disposition that the command started with: a job
 * that a shell put into the background ignores the keys of the terminal. */
static int asks_to_end(int number)
{
	struct sigaction action;

	return number != SIGUSR1 && number != SIGUSR2 && !sigaction(number, NULL, &action) &&
	       action.sa_handler != SIG_IGN;
}

static void take_signal(struct launch *l, const struct signalfd_siginfo *info)
{
	int number = (int)info->ssi_signo;

	if (l->signalled && asks_to_end(number))
		l->signalled(number, l->told_arg);
	if (is_in(handed_on, COUNT(handed_on), number) && !l->ended && info->ssi_code != SI_KERNEL)
		kill(l->pid, number);
}

void launch_serve(struct launch *l)
{
	struct signalfd_siginfo signal_info;

	while (read(l->signal_fd, &signal_info, sizeof(signal_info)) ==
	       (ssize_t)sizeof(signal_info)) {
		if (signal_info.ssi_signo == SIGCHLD)
			reap(l);
		else
			take_signal(l, &signal_info);
	}
}

void launch_wait(struct launch *l)
{
	struct pollfd signals = {.fd = l->signal_fd, .events = POLLIN};

	while (!l->ended) {
		poll(&signals, 1, -1);
		launch_serve(l);
	}
}

static void die_by(int signal_number)
{
	const struct rlimit no_core = {0};
	sigset_t set;

	setrlimit(RLIMIT_CORE, &no_core); /* the command's own core, if any, is the one to keep */
	signal(signal_number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, signal_number);
	raise(signal_number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void launch_exit_alike(const struct launch *l)
{
	if (WIFEXITED(l->status))
		exit(WEXITSTATUS(l->status));
	die_by(WTERMSIG(l->status));
	exit(128 + WTERMSIG(l->status));
}
