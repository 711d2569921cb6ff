/* The command in the session: see the header. */
#include "profiler/collect/description.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/collect/clock.h"
#include "profiler/collect/proc_file.h"

enum { MOST_WORDS = 4096 };

static const char plain[] =
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";

static void put_word(FILE *out, const char *word)
{
	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	}
	fputc('\'', out);
}

char *description_quote(char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (char *const *word = argv; *word; word++) {
		if (word != argv)
			fputc(' ', out);
		put_word(out, *word);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

static void write_words(struct session_writer *w, char *const *argv)
{
	char *quoted = description_quote(argv);
	char key[32];
	int count = 0;

	if (quoted)
		session_put_text(w, "command", quoted);
	free(quoted);
	for (; argv[count] && count < MOST_WORDS; count++) {
		snprintf(key, sizeof(key), "argv.%d", count);
		session_put_text(w, key, argv[count]);
	}
	session_put_int(w, "argc", count);
}

/* Splits the words of a running process. */
static void write_words_of(struct session_writer *w, pid_t pid)
{
	struct proc_text cmdline = {0};
	char *words[MOST_WORDS + 1];
	size_t count = 0;

	if (!proc_text_read(&cmdline, pid, "cmdline", 1 << 20)) {
		for (char *p = cmdline.data; p < cmdline.data + cmdline.size && count < MOST_WORDS;
		     p += strlen(p) + 1)
			words[count++] = p;
		words[count] = NULL;
		write_words(w, words);
	}
	proc_text_release(&cmdline);
}

void description_write(struct session_writer *w, int64_t clock_ns, char *const *argv, pid_t root)
{
	char directory[PATH_MAX], link[64];
	ssize_t n;

	session_put_int(w, "clock_ns", clock_ns);
	session_put_int(w, "started_unix_ns",
			clock_read_ns(CLOCK_REALTIME) - (clock_monotonic_ns() - clock_ns));
	snprintf(link, sizeof(link), "/proc/%d/cwd", (int)root);
	n = readlink(argv ? "/proc/self/cwd" : link, directory, sizeof(directory) - 1);
	if (n > 0) {
		directory[n] = '\0';
		session_put_text(w, "directory", directory);
	}
	if (argv)
		write_words(w, argv);
	else
		write_words_of(w, root);
}
