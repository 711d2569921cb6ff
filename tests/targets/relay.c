/*
 * relay MIB MS: two processes that need MIB each, one after the other: never more than one of them at a time. Each holds its memory
 * for MS milliseconds. Exits 0.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void hold(size_t bytes, int ms)
{
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(1);
	memset(memory, 1, bytes);
	poll(NULL, 0, ms);
	munmap(memory, bytes);
}

int main(int argc, char **argv)
{
	size_t bytes = (size_t)(argc > 1 ? atoi(argv[1]) : 100) << 20;
	int ms = argc > 2 ? atoi(argv[2]) : 1000, turn[2], status = 0;
	char byte;
	pid_t second;

	if (pipe(turn))
		return 1;
	second = fork();
	if (!second) {
		close(turn[1]);
		if (read(turn[0], &byte, 1) != 1)
			_exit(1);
		hold(bytes, ms);
		_exit(0);
	}
	hold(bytes, ms);
	if (write(turn[1], "", 1) != 1)
		return 1;
	waitpid(second, &status, 0);
	return status != 0;
}
