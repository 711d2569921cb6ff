/*
 * reuse: two children, one after the other, with the same pid: the first allocates 1 MiB and exits with 3, the second allocates 2 MiB
 * and exits with 4. The pid is forced through /proc/sys/kernel/ns_last_pid. Prints it. Exits 0, or 77 when it cannot be forced.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void child(size_t bytes, int code)
{
	char *memory = malloc(bytes);

	if (!memory)
		_exit(1);
	memset(memory, 1, bytes);
	poll(NULL, 0, 300);
	_exit(code);
}

/* Makes the next fork try `pid`. */
static int ask_for(pid_t pid)
{
	int fd = open("/proc/sys/kernel/ns_last_pid", O_WRONLY);
	int failed = fd < 0 || dprintf(fd, "%d", (int)pid - 1) < 0;

	if (fd >= 0)
		close(fd);
	return failed;
}

int main(void)
{
	pid_t first = fork(), pid = 0;

	if (!first)
		child(1 << 20, 3);
	waitpid(first, NULL, 0);
	poll(NULL, 0, 100);
	for (int i = 0; i < 1000 && pid != first; i++) {
		if (pid)
			waitpid(pid, NULL, 0); /* somebody else was faster */
		if (ask_for(first))
			return 77;
		pid = fork();
		if (!pid) {
			if (getpid() != first)
				_exit(0);
			child(2 << 20, 4);
		}
	}
	waitpid(pid, NULL, 0);
	if (pid != first)
		return 77;
	printf("%d\n", (int)pid);
	return 0;
}
