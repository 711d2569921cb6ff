/*
 * identity.c: reads /proc/self/stat raw and asks the loader who provides malloc.
 */
#include "inject/identity.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "inject/loaded.h"
#include "inject/real.h"
#include "inject/text.h"

struct identity_allocator identity_allocator;

struct code {
	uintptr_t start, end;
};

static struct code allocator_code; /* empty when it is libc's. Written at start */

uint64_t identity_start_ticks(void)
{
	char stat[1024], *at;
	uint64_t ticks = 0;
	ssize_t n = -1;
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		n = read(fd, stat, sizeof(stat) - 1);
		close(fd);
	}
	if (n <= 0)
		return 0;
	stat[n] = '\0';
	/* Field 2 is the command in parentheses and may hold anything; field 3 follows the last. */
	at = strrchr(stat, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return 0;
	for (at++; *at >= '0' && *at <= '9'; at++)
		ticks = ticks * 10 + (uint64_t)(*at - '0');
	return ticks;
}

void identity_cmdline(char *field, size_t size, int argc, char **argv)
{
	struct text text = text_into(field, size);

	for (int i = 0; i < argc && argv[i]; i++) {
		if (i)
			text_put_char(&text, ' ');
		text_put(&text, argv[i]);
	}
}

static bool is_in(const struct code *code, const void *function)
{
	return (uintptr_t)function - code->start < code->end - code->start;
}

/* The program itself has an empty name in the list of loaded objects. */
static void put_name(const char *file)
{
	struct identity_allocator *a = &identity_allocator;
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	struct text text = text_into(a->name, sizeof(a->name));

	a->is_glibc = !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-2", 6);
	text_put(&text, a->is_glibc ? "glibc" : *name ? name : "the program");
	if (a->is_unseen)
		text_put(&text, " (not seen)");
}

static void describe(const char *file, const struct code *code)
{
	struct identity_allocator *a = &identity_allocator;

	put_name(file);
	a->knows_sizes = is_in(code, real.malloc_usable_size);
	a->foreign_posix_memalign = !is_in(code, real.posix_memalign);
	a->foreign_aligned_alloc = !is_in(code, real.aligned_alloc);
	a->foreign_memalign = !is_in(code, real.memalign);
	a->foreign_valloc = !is_in(code, real.valloc);
	a->foreign_pvalloc = !is_in(code, real.pvalloc);
	if (!a->is_glibc)
		allocator_code = *code;
}

/* dladdr would read every symbol of libc for each question. */
static int find_provider(struct dl_phdr_info *info, size_t size, void *allocate)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + segment->p_vaddr;
		struct code code = {start, start + segment->p_memsz};
		if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
		    is_in(&code, allocate)) {
			describe(info->dlpi_name, &code);
			return 1;
		}
	}
	return 0;
}

void identity_find_allocator(void)
{
	const void *first = loaded_first("malloc");

	identity_allocator.is_unseen = first && first != (const void *)real_hook_of_malloc;
	dl_iterate_phdr(find_provider,
			identity_allocator.is_unseen ? (void *)first : (void *)real.malloc);
}

bool identity_is_allocator_code(const void *address)
{
	return is_in(&allocator_code, address);
}
