/*
 * reopen: loads a library, allocates 20 MB in its function `allocate`, unloads it, renames another one to its name if told to ("over"), and
 * does the same with that one at the same addresses, frees nothing and waits for its stdin to end. Exits 77 when these were not to be had.
 *
 *     reopen FIRST SECOND [over]
 *
 * The loader takes the highest room that is large enough. So the place of the first library is kept free, and whatever room the second one
 * is offered instead is filled, until nothing is left above.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCKS = 1000, BYTES = 20000, OFFERS = 100 };

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

struct library {
	void *handle;
	void *(*allocate)(size_t bytes);
	uintptr_t start, end; /* of its mappings, whole pages */
};

/* Of the object that has `allocate` in one of its segments. */
static int note_extent(struct dl_phdr_info *info, size_t size, void *arg)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = UINTPTR_MAX, end = 0;
	struct library *library = arg;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		start = from < start ? from : start;
		from += info->dlpi_phdr[i].p_memsz;
		end = from > end ? from : end;
	}
	if ((uintptr_t)library->allocate < start || (uintptr_t)library->allocate >= end)
		return 0;
	library->start = start & ~(page - 1);
	library->end = (end + page - 1) & ~(page - 1);
	return 1;
}

static struct library load(const char *path)
{
	struct library library = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};

	if (!library.handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	library.allocate = (void *(*)(size_t))dlsym(library.handle, "allocate");
	dl_iterate_phdr(note_extent, &library);
	return library;
}

static void use(const struct library *library)
{
	for (int i = 0; i < BLOCKS; i++)
		memset(library->allocate(BYTES), 1, BYTES);
}

/* Where the library was nothing else comes. Pages that have something already keep it. */
static void fill(const struct library *gone)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	for (uintptr_t at = gone->start; at < gone->end; at += page)
		mmap((void *)at, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
		     -1, 0);
}

static struct library load_in_place_of(const struct library *gone, const char *path)
{
	for (int i = 0; i < OFFERS; i++) {
		struct library library;

		munmap((void *)gone->start, gone->end - gone->start);
		library = load(path);
		if (library.start == gone->start)
			return library;
		dlclose(library.handle);
		fill(gone);
		fill(&library);
	}
	exit(77);
}

int main(int argc, char **argv)
{
	int over = argc > 3 && !strcmp(argv[3], "over");
	struct library first, second;
	char byte;

	if (argc < 3)
		return 2;
	first = load(argv[1]);
	use(&first);
	dlclose(first.handle);
	fill(&first);
	if (over && rename(argv[2], argv[1]))
		return 1;
	second = load_in_place_of(&first, argv[over ? 1 : 2]);
	use(&second);
	dlclose(second.handle);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
