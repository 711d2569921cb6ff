/*
 * identity.c: reads /proc/self/stat raw and asks the loader who provides malloc.
 */
#include "inject/identity.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "inject/real.h"
#include "inject/text.h"

struct identity_allocator identity_allocator;

/* The allocator's code, when it is not libc's. Written at start. */
static struct {
	uintptr_t start, end;
} allocator_code;

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

static int find_code(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	if (info->dlpi_addr != (uintptr_t)base)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_X)) {
			allocator_code.start = info->dlpi_addr + segment->p_vaddr;
			allocator_code.end = allocator_code.start + segment->p_memsz;
		}
	}
	return 1;
}

static bool is_from(const void *base, const void *function)
{
	Dl_info info;

	return dladdr(function, &info) && info.dli_fbase == base;
}

static void find_companions(const void *base)
{
	struct identity_allocator *a = &identity_allocator;

	a->knows_sizes = is_from(base, real.malloc_usable_size);
	a->foreign_posix_memalign = !is_from(base, real.posix_memalign);
	a->foreign_aligned_alloc = !is_from(base, real.aligned_alloc);
	a->foreign_memalign = !is_from(base, real.memalign);
	a->foreign_valloc = !is_from(base, real.valloc);
	a->foreign_pvalloc = !is_from(base, real.pvalloc);
}

void identity_find_allocator(void)
{
	struct identity_allocator *a = &identity_allocator;
	Dl_info info;
	const char *name = "unknown";

	if (dladdr((void *)real.malloc, &info) && info.dli_fname) {
		const char *slash = strrchr(info.dli_fname, '/');
		name = slash ? slash + 1 : info.dli_fname;
		a->is_glibc = !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-2", 6);
		find_companions(info.dli_fbase);
		if (!a->is_glibc)
			dl_iterate_phdr(find_code, info.dli_fbase);
	}
	text_copy(a->name, sizeof(a->name), a->is_glibc ? "glibc" : name);
}

bool identity_is_allocator_code(const void *address)
{
	return (uintptr_t)address - allocator_code.start <
	       allocator_code.end - allocator_code.start;
}
