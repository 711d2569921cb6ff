/* Joins questions about native frames with profiler/symbols, in a child process: see the header. */
#include "profiler/cmd/native_names.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/symbols/symbols.h"

enum { PATIENCE_MS = 20000, HURRY_MS = 300, BUILD_ID_MOST = 64, TEXT_MOST = 1 << 16 };
#define MEMORY_MOST ((rlim_t)1 << 30)

struct question {
	const char *path;
	uint8_t build_id[BUILD_ID_MOST];
	size_t build_id_bytes;
	const uint64_t *addresses;
	size_t count;
	int hurry;
};

/* Before each answer's texts, which have no end mark. */
struct head {
	uint64_t index;
	int32_t line;
	uint32_t function_bytes, file_bytes; /* 0 = unknown */
};

typedef void tell_fn(void *arg, size_t index, const struct symbols_line *line);

/* ---- the child ---- */

static uint32_t bytes_of(const char *text)
{
	size_t bytes = text ? strlen(text) : 0;

	return bytes > TEXT_MOST ? TEXT_MOST : (uint32_t)bytes;
}

static void put_answer(void *arg, size_t index, const struct symbols_line *line)
{
	FILE *out = arg;
	const struct head head = {index, line->line, bytes_of(line->function),
				  bytes_of(line->file)};

	fwrite(&head, sizeof(head), 1, out);
	if (head.function_bytes)
		fwrite(line->function, head.function_bytes, 1, out);
	if (head.file_bytes)
		fwrite(line->file, head.file_bytes, 1, out);
}

/* Ends without a trace of its parent's: no handler, no buffer is flushed but its own. */
static void answer_in_child(const struct question *q, int fd)
{
	const struct rlimit memory = {MEMORY_MOST, MEMORY_MOST};
	const int patience_ms = q->hurry ? HURRY_MS : PATIENCE_MS;
	const struct itimerval patience = {
		.it_value = {patience_ms / 1000, patience_ms % 1000 * 1000}};
	struct symbols *symbols;
	FILE *out = fdopen(fd, "w");

	signal(SIGALRM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	setitimer(ITIMER_REAL, &patience, NULL);
	setrlimit(RLIMIT_DATA, &memory);
	symbols = out ? symbols_open(q->path, q->build_id, q->build_id_bytes) : NULL;
	if (symbols)
		symbols_find(symbols, q->addresses, q->count, put_answer, out);
	_exit(out && !fflush(out) ? 0 : 1);
}

/* ---- the parent ---- */

/* A text of that length, in a buffer that is kept for the next; NULL = unknown, or the child died half-way (*failed). */
static const char *read_text(FILE *in, char **buffer, uint32_t bytes, int *failed)
{
	char *grown;

	if (!bytes || *failed)
		return NULL;
	grown = bytes > TEXT_MOST ? NULL : realloc(*buffer, (size_t)bytes + 1);
	*failed = !grown || fread(grown, bytes, 1, in) != 1;
	if (grown) {
		*buffer = grown;
		grown[bytes] = '\0';
	}
	return *failed ? NULL : grown;
}

static void read_answers(FILE *in, size_t count, tell_fn *tell, void *arg)
{
	char *function = NULL, *file = NULL;
	struct head head;
	int failed = 0;

	while (fread(&head, sizeof(head), 1, in) == 1) {
		struct symbols_line line = {.line = head.line};

		line.function = read_text(in, &function, head.function_bytes, &failed);
		line.file = read_text(in, &file, head.file_bytes, &failed);
		if (failed || head.index >= count)
			break;
		tell(arg, head.index, &line);
	}
	free(function);
	free(file);
}

static int64_t cpu_ns(const struct timeval *t)
{
	return t->tv_sec * INT64_C(1000000000) + t->tv_usec * INT64_C(1000);
}

/* Returns the CPU time of the child, in ns. */
static int64_t ask(const struct question *q, tell_fn *tell, void *arg)
{
	int ends[2];
	FILE *in;
	pid_t child;
	struct rusage used;

	if (pipe2(ends, O_CLOEXEC))
		return 0;
	child = fork();
	if (!child)
		answer_in_child(q, ends[1]);
	close(ends[1]);
	in = child > 0 ? fdopen(ends[0], "r") : NULL;
	if (in) {
		read_answers(in, q->count, tell, arg);
		fclose(in);
	} else {
		close(ends[0]);
	}
	if (child < 0 || wait4(child, NULL, 0, &used) != child)
		return 0;
	return cpu_ns(&used.ru_utime) + cpu_ns(&used.ru_stime);
}

/* ---- the two who ask ---- */

struct collector {
	sites_answer_fn *answer;
	void *arg;
};

static void tell_collector(void *arg, size_t index, const struct symbols_line *line)
{
	const struct collector *c = arg;

	c->answer(c->arg, index, &(struct sites_symbol){line->function, line->file, line->line});
}

int64_t native_names(const struct sites_question *question, sites_answer_fn *answer, void *arg)
{
	struct collector collector = {answer, arg};
	struct question q = {.path = question->path,
			     .build_id_bytes = question->build_id_bytes,
			     .addresses = question->addresses,
			     .count = question->count,
			     .hurry = question->hurry};

	if (q.build_id_bytes > sizeof(q.build_id))
		return 0;
	memcpy(q.build_id, question->build_id, q.build_id_bytes);
	return ask(&q, tell_collector, &collector);
}

struct model_asks {
	frame_names_answer *answer;
	void *arg;
};

static void tell_model(void *arg, size_t index, const struct symbols_line *line)
{
	const struct model_asks *a = arg;

	a->answer(a->arg, index, &(struct frame_name){line->function, line->file, line->line});
}

/* 0 bytes when it is no hexadecimal text. */
static size_t bytes_of_hex(uint8_t *out, size_t room, const char *hex)
{
	size_t count = 0;
	unsigned byte;

	while (count < room && hex[0] && hex[1] && sscanf(hex, "%2x", &byte) == 1) {
		out[count++] = (uint8_t)byte;
		hex += 2;
	}
	return *hex ? 0 : count;
}

void native_names_later(const struct frame_names_question *question, frame_names_answer *answer,
			void *arg)
{
	struct model_asks asks = {answer, arg};
	struct question q = {.path = question->path,
			     .addresses = question->addresses,
			     .count = question->count,
			     .hurry = question->hurry};

	q.build_id_bytes = bytes_of_hex(q.build_id, sizeof(q.build_id), question->build_id);
	if (q.build_id_bytes)
		ask(&q, tell_model, &asks);
}

int native_names_of(struct model *m, int hurry)
{
	return frame_names_ask(m, native_names_later, hurry);
}
