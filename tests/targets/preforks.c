/*
 * preforks WAY: a C program that starts processes in one way, each of which fills 4 MiB; prints "ready" when all have and ends them
 * when its input ends. Exits 0.
 *
 *   server    three workers, forked in a loop by a function of its own
 *   pipeline  two stages, forked in two places, connected by a pipe
 *   nested    a worker that forks two workers
 *   daemon    a child that forks and ends, so that the grandchild is handed on
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ready[2],
	gate[2]; /* each process writes a byte to one, and reads the other until its end */

static void fill(void)
{
	char *memory = malloc(4 << 20);

	if (!memory || (memset(memory, 1, 4 << 20), write(ready[1], "", 1) != 1))
		_exit(1);
}

static void wait_for_end(void)
{
	char byte;

	while (read(gate[0], &byte, 1) > 0)
		;
}

static void serve(void)
{
	close(gate[1]);
	fill();
	wait_for_end();
	_exit(0);
}

static void server(void)
{
	for (int i = 0; i < 3; i++)
		if (fork() == 0)
			serve();
}

static void pipeline(void)
{
	int between[2];

	if (pipe(between))
		exit(1);
	if (fork() == 0) {
		dup2(between[1], 1);
		serve();
	}
	if (fork() == 0) {
		dup2(between[0], 0);
		serve();
	}
	close(between[0]);
	close(between[1]);
}

static void nested(void)
{
	if (fork() == 0) {
		for (int i = 0; i < 2; i++)
			if (fork() == 0)
				serve();
		close(gate[1]);
		fill();
		wait_for_end();
		while (wait(NULL) > 0)
			;
		_exit(0);
	}
}

static void become_daemon(void)
{
	if (fork() == 0) {
		if (fork() == 0)
			serve();
		_exit(0);
	}
	wait(NULL);
}

static const struct {
	const char *name;
	void (*start)(void);
	int processes;
} ways[] = {
	{"server", server, 3},
	{"pipeline", pipeline, 2},
	{"nested", nested, 3},
	{"daemon", become_daemon, 1},
};

int main(int argc, char **argv)
{
	char bytes[8];
	size_t way = 0;

	while (argc > 1 && way < sizeof(ways) / sizeof(ways[0]) && strcmp(ways[way].name, argv[1]))
		way++;
	if (argc < 2 || way == sizeof(ways) / sizeof(ways[0]) || pipe(ready) || pipe(gate))
		return 2;
	ways[way].start();
	for (int i = 0; i < ways[way].processes; i++)
		if (read(ready[0], bytes, 1) != 1)
			return 1;
	puts("ready");
	fflush(stdout);
	while (read(0, bytes, sizeof(bytes)) > 0)
		;
	close(gate[1]);
	while (wait(NULL) > 0)
		;
	poll(NULL, 0, 100); /* what is nobody's child ends too */
	return 0;
}
