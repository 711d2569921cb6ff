/* One training of the demo. */
#include "profiler/cmd/demo_training.h"

#include <errno.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/model/signal_name.h"

/*
 * An epoch takes one to two seconds however many workers there are. The model is slower than the workers,
 * so they are ahead, and their caches are full, for a while before their pool is at its end.
 */
enum {
	TRAIN_ITEMS = 512, /* per worker */
	VAL_ITEMS = 256,   /* per worker */
	STEP_MS = 72,      /* divided by the workers */
	ITEM_MS = 1,
	OPEN_MS = 150,
	INDEX_MIB = 6,
};

enum { WORDS_MOST = 40 };

struct words {
	char *word[WORDS_MOST];
	size_t count;
};

int demo_find_fit(char path[PATH_MAX], struct error *e)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[length < 0 ? 0 : length] = '\0';
	if ((size_t)snprintf(path, PATH_MAX, "%s/loopmem-fit", dirname(self)) < PATH_MAX &&
	    !access(path, X_OK))
		return 0;
	error_set(e, ERROR_SYSTEM, "cannot find loopmem-fit beside this program: %s", path);
	error_hint(e, "it is built and installed together with loopmem");
	return e->kind;
}

static void add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(struct words *words, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (words->count + 1 < WORDS_MOST &&
	    vasprintf(&words->word[words->count], format, arguments) >= 0)
		words->count++;
	va_end(arguments);
}

static void release(struct words *words)
{
	while (words->count)
		free(words->word[--words->count]);
}

static void command_line(struct words *words, const struct demo_training *t,
			 const struct demo_workload *w)
{
	add(words, "loopmem");
	add(words, "run");
	add(words, "--quiet");
	add(words, "--output=%s", t->session);
	add(words, "--");
	add(words, "%s", w->fit);
	for (const char *const *habit = t->habits; *habit; habit++)
		add(words, "%s", *habit);
	add(words, "--epochs=%u", t->epochs);
	add(words, "--workers=%u", w->workers);
	add(words, "--val-workers=%u", w->val_workers);
	add(words, "--train-items=%u", TRAIN_ITEMS * w->workers);
	add(words, "--val-items=%u", VAL_ITEMS * w->val_workers);
	add(words, "--step-delay=%.1f", (double)STEP_MS / w->workers);
	add(words, "--item-delay=%d", ITEM_MS);
	add(words, "--open-delay=%d", OPEN_MS);
	add(words, "--index-mib=%d", INDEX_MIB);
	add(words, "--cache-mib=%.3f", (double)w->cache_bytes / (1 << 20));
	add(words, "--json=%s", t->result);
	if (isatty(STDERR_FILENO))
		add(words, "--progress=demo: %s", t->name);
	words->word[words->count] = NULL;
}

static int spawn(pid_t *pid, char *const argv[], const sigset_t *mask)
{
	posix_spawnattr_t attributes;
	int error;

	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, mask);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(pid, "/proc/self/exe", NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* Whoever signals this program wants it to end, so the training is ended; what a terminal sends has reached
 * the training already. */
static int wait_for(pid_t pid, const sigset_t *watched)
{
	siginfo_t info;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		int number = sigwaitinfo(watched, &info);

		if (number > 0 && number != SIGCHLD && info.si_code <= 0)
			kill(pid, SIGTERM);
	}
	return status;
}

/* An interrupt is for the training; this program sees how that ends and cleans up. */
static int spawn_and_wait(char *const argv[], int *status)
{
	static const int numbers[] = {SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	sigset_t watched, before;
	pid_t pid;
	int error;

	sigemptyset(&watched);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		sigaddset(&watched, numbers[i]);
	sigprocmask(SIG_BLOCK, &watched, &before);
	error = spawn(&pid, argv, &before);
	if (!error)
		*status = wait_for(pid, &watched);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

int demo_train(const struct demo_training *t, const struct demo_workload *w, struct error *e)
{
	struct words words = {.count = 0};
	char name[SIGNAL_NAME_MAX];
	int status = 0, error;

	command_line(&words, t, w);
	error = spawn_and_wait(words.word, &status);
	release(&words);
	if (error)
		return error_set_errno(e, ERROR_SYSTEM, error, "cannot start loopmem run");
	if (WIFSIGNALED(status))
		return error_set(e, ERROR_PROGRAM, "the training, %s, was ended by %s", t->name,
				 signal_name(name, WTERMSIG(status)));
	if (WEXITSTATUS(status))
		return error_set(e, ERROR_PROGRAM, "the training, %s, failed with status %d",
				 t->name, WEXITSTATUS(status));
	return 0;
}

json_t *demo_figures(const struct demo_training *t, struct error *e)
{
	json_error_t why;
	json_t *result = json_load_file(t->result, 0, &why);
	json_t *figures = json_incref(json_object_get(result, "results"));

	json_decref(result);
	if (!json_is_array(figures))
		error_set(e, ERROR_SYSTEM, "cannot read the losses of the %s: %s", t->name,
			  result ? "there are none" : why.text);
	return figures;
}

size_t demo_losses(const json_t *figures, double *losses, size_t most)
{
	size_t count = 0, i;
	const json_t *figure;

	json_array_foreach((json_t *)figures, i, figure)
	{
		const char *stage = json_string_value(json_object_get(figure, "stage"));
		const char *hex = json_string_value(json_object_get(figure, "hex"));

		if (!stage || !hex || strcmp(stage, "train"))
			continue;
		if (count < most)
			losses[count] = strtod(hex, NULL);
		count++;
	}
	return count;
}
