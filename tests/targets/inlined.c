/*
 * inlined: allocates 60 MB in one function that is inlined into another, then waits for its stdin to end.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 3000, BYTES = 20000 };

static void *kept[BLOCKS];

static inline __attribute__((always_inline)) void *take(size_t bytes)
{
	char *block = malloc(bytes);

	return block ? memset(block, 1, bytes) : NULL;
}

__attribute__((noinline)) static void fill(void)
{
	for (int i = 0; i < BLOCKS; i++)
		kept[i] = take(BYTES);
}

int main(void)
{
	char byte;

	fill();
	while (read(0, &byte, 1) > 0)
		;
	_exit(kept[BLOCKS - 1] == NULL);
}
