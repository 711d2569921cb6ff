/*
 * manytls: loads libraries with thread-local state, uses each from two threads and prints how many
 * worked.
 *
 *   manytls LIBRARY...
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef int touch_fn(void);

static touch_fn *touches[200];
static int n;

static void *touch_all(void *unused)
{
	for (int i = 0; i < n; i++)
		if (touches[i] && touches[i]() != 1)
			abort();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	for (int i = 1; i < argc && n < 200; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		if (!library) {
			fprintf(stderr, "manytls: %s\n", dlerror());
			return 1;
		}
		touches[n++] = (touch_fn *)dlsym(library, "libtls_touch");
	}
	touch_all(NULL);
	if (pthread_create(&thread, NULL, touch_all, NULL) || pthread_join(thread, NULL))
		return 1;
	printf("%d\n", n);
	return 0;
}
