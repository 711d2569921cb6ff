/*
 * own_mappings: for blocks of growing size, whether glibc gives each a mapping of its own, which depends on what was freed before.
 */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	enum { IS_MAPPED = 2 }; /* glibc malloc.c, "chunks" */

	for (size_t bytes = 100000; bytes < 2000000; bytes += 100000) {
		size_t *block = malloc(bytes);
		if (!block)
			return 1;
		printf("%zu %s\n", bytes, block[-1] & IS_MAPPED ? "mapped" : "heap");
	}
	return 0;
}
