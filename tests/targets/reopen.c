/*
 * reopen: loads a library, allocates 20 MB in its function `allocate`, unloads it, renames another one to its name if told to ("over"), and
 * does the same with that one, frees nothing and waits for its stdin to end. Exits 77 when the second one was not put in the place of the first.
 *
 *     reopen FIRST SECOND [over]
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS = 1000, BYTES = 20000 };

static const void *load_and_use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void *(*allocate)(size_t bytes);
	const void *place;

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	allocate = (void *(*)(size_t))dlsym(library, "allocate");
	place = (const void *)allocate;
	for (int i = 0; i < BLOCKS; i++)
		memset(allocate(BYTES), 1, BYTES);
	dlclose(library);
	return place;
}

int main(int argc, char **argv)
{
	int over = argc > 3 && !strcmp(argv[3], "over");
	const void *place = load_and_use(argv[1]);
	char byte;

	if (over && rename(argv[2], argv[1]))
		return 1;
	if (load_and_use(argv[over ? 1 : 2]) != place)
		return 77;
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
