/*
 * throws LIBRARY TIMES: loads the library by dlopen, lets it throw so many exceptions, prints the nanoseconds that
 * took.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 0;
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*throw_often)(int) = library ? (int (*)(int))dlsym(library, "throw_often") : NULL;
	long long before;

	if (!throw_often)
		return 2;
	throw_often(10);
	before = now_ns();
	if (throw_often(times) != times)
		return 1;
	printf("%lld\n", now_ns() - before);
	return 0;
}
