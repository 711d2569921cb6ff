/*
 * identity.h: what names this process: when the kernel started it, its command line, its allocator.
 */
#ifndef INJECT_IDENTITY_H
#define INJECT_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Field 22 of /proc/self/stat; 0 when it cannot be read. */
uint64_t identity_start_ticks(void);

/* The words of argv divided by blanks, cut to `size`. */
void identity_cmdline(char *field, size_t size, int argc, char **argv);

/* Who provides the heap functions. */
struct identity_allocator {
	char name[64]; /* "glibc", or the file name of the library; " (not seen)" as below */
	bool is_glibc;
	bool is_unseen;   /* it comes before this library in line: the program's calls go past it */
	bool knows_sizes; /* the same library provides malloc_usable_size */
	bool foreign_posix_memalign, foreign_aligned_alloc, foreign_memalign, foreign_valloc,
		foreign_pvalloc; /* another library provides these: not blocks of this heap */
};

/* As soon as the real functions are known: the allocator's first mapping comes right after. */
void identity_find_allocator(void);
extern struct identity_allocator identity_allocator __attribute__((visibility("hidden")));

/* True when `address` lies in the library that provides malloc and that library is not libc: what it
 * maps is heap, not the program's own mapping. */
bool identity_is_allocator_code(const void *address);

#endif
