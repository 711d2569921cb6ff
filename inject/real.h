/*
 * real.h: the functions behind the hooks: whatever the next library in line calls malloc, mmap ...
 *
 * Resolved by dlsym(RTLD_NEXT) at the first call of any hook, which may come before any constructor.
 * dlsym may itself allocate: until it is done the heap functions serve that from a small static
 * buffer ("boot blocks").
 */
#ifndef INJECT_REAL_H
#define INJECT_REAL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>

struct real {
#define HOOK(ret, name, params) ret(*name) params;
#include "inject/hooks.def"
#undef HOOK
};

/* The heap members may be called at any time, the others only through REAL(). */
extern struct real real __attribute__((visibility("hidden")));
extern bool real_resolved __attribute__((visibility("hidden")));

/* Resolves all of them once. False when called from within itself. What libc does not have fails
 * with ENOSYS. Keeps errno. */
bool real_resolve(void);

static inline const struct real *real_table(void)
{
	if (__builtin_expect(!real_resolved, 0))
		real_resolve();
	return &real;
}

#define REAL(name) (real_table()->name)

/* malloc as this library defines it, also where another one comes first. */
extern void *real_hook_of_malloc(size_t bytes) __attribute__((visibility("hidden")));

/* The word before a block of glibc: size of the chunk and three flags (glibc malloc.c, "chunks"). */
enum {
	GLIBC_FLAGS = 7,
	GLIBC_MAPPED = 2, /* a mapping of its own: another formula, so the long way */
};

/* A block that was served while the real functions were not known, with such a word: never counted, never freed. */
bool real_is_boot_block(const void *block);
size_t real_boot_block_bytes(const void *block);

#endif
