/*
 * family CHILDREN SHARED_MIB OWN_MIB COPIED_MIB: a parent fills SHARED_MIB and forks; each child fills OWN_MIB of its own, and a quarter
 * of a second after its birth writes to COPIED_MIB of what it inherited. Prints "ready" when all have, ends when its input ends. Exits 0.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char *filled(size_t bytes, int value)
{
	char *memory =
		mmap(NULL, bytes + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		exit(1);
	memset(memory, value, bytes);
	return memory;
}

int main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 4, ready[2], end[2];
	size_t mib[3] = {200, 10, 20};
	char *shared, byte;

	for (int i = 0; i < 3 && argc > 2 + i; i++)
		mib[i] = (size_t)atoi(argv[2 + i]);
	shared = filled(mib[0] << 20, 1);
	if (pipe(ready) || pipe(end))
		return 1;
	for (int i = 0; i < children; i++) {
		if (fork())
			continue;
		close(end[1]);
		poll(NULL, 0, 250);
		filled(mib[1] << 20, 2);
		memset(shared, 3, mib[2] << 20);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		while (read(end[0], &byte, 1) > 0)
			;
		_exit(0);
	}
	for (int i = 0; i < children; i++)
		if (read(ready[0], &byte, 1) != 1)
			return 1;
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	close(end[1]);
	while (wait(NULL) > 0)
		;
	return 0;
}
