/*
 * churn [KEPT_MB CHURNED_MB]: keeps memory in small blocks, then takes larger ones and gives them back at once. Two lines, two sites.
 */
#include <stdlib.h>
#include <string.h>

enum { SMALL = 984, LARGE = 27640 }; /* as malloc counts them */

__attribute__((noinline)) static void keep(long megabytes)
{
	static void *last;

	for (long left = megabytes * 1000000; left > 0; left -= SMALL) {
		void **block = memset(malloc(SMALL), 1, SMALL);
		*block = last;
		last = block;
	}
}

__attribute__((noinline)) static void churn(long megabytes)
{
	for (long left = megabytes * 1000000; left > 0; left -= LARGE)
		free(memset(malloc(LARGE), 1, LARGE));
}

int main(int argc, char **argv)
{
	keep(argc > 1 ? atol(argv[1]) : 0);
	churn(argc > 2 ? atol(argv[2]) : 0);
	return 0;
}
