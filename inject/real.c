/*
 * real.c: finding the real functions, and the boot blocks that serve dlsym while it does so.
 *
 * A boot block has a header word that carries glibc's "mapped chunk" bit, so the short way of free()
 * (heap.h) never takes one for a counted block.
 */
#include "inject/real.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#include "inject/identity.h"

enum { BOOT_BYTES = 32768, BOOT_ALIGN = 16 };

enum { UNRESOLVED, RESOLVING, RESOLVED };
static int state;          /* moves forward only, atomically */
static pthread_t resolver; /* the thread that resolves */
static char boot[BOOT_BYTES] __attribute__((aligned(4096)));
static size_t boot_used; /* grows only, atomically */

bool real_resolved;

bool real_is_boot_block(const void *block)
{
	return (uintptr_t)block - (uintptr_t)boot < sizeof(boot);
}

size_t real_boot_block_bytes(const void *block)
{
	return ((const size_t *)block)[-1] & ~(size_t)GLIBC_FLAGS;
}

static void *boot_alloc(size_t align, size_t bytes)
{
	size_t start, end, used = __atomic_load_n(&boot_used, __ATOMIC_RELAXED);

	if (align < BOOT_ALIGN)
		align = BOOT_ALIGN;
	if (bytes >= sizeof(boot) || align >= sizeof(boot)) {
		errno = ENOMEM;
		return NULL;
	}
	do {
		start = (used + BOOT_ALIGN + align - 1) & ~(align - 1);
		end = (start + bytes + GLIBC_FLAGS) & ~(size_t)GLIBC_FLAGS;
		if (end > sizeof(boot)) {
			errno = ENOMEM;
			return NULL;
		}
	} while (!__atomic_compare_exchange_n(&boot_used, &used, end, false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	((size_t *)(boot + start))[-1] = (end - start) | GLIBC_MAPPED;
	return boot + start;
}

/* The heap functions as long as nothing is resolved. boot[] is zero and never used twice. */
static void *first_malloc(size_t bytes)
{
	return real_resolve() ? real.malloc(bytes) : boot_alloc(0, bytes);
}

static void *first_calloc(size_t n, size_t each)
{
	size_t bytes;

	if (real_resolve())
		return real.calloc(n, each);
	if (__builtin_mul_overflow(n, each, &bytes))
		bytes = SIZE_MAX;
	return boot_alloc(0, bytes);
}

static void *first_realloc(void *block, size_t bytes)
{
	/* Not a boot block (hooks_heap.c): NULL when there are only those. */
	return real_resolve() ? real.realloc(block, bytes) : boot_alloc(0, bytes);
}

static void first_free(void *block)
{
	if (real_resolve())
		real.free(block);
}

static int first_posix_memalign(void **block, size_t align, size_t bytes)
{
	if (real_resolve())
		return real.posix_memalign(block, align, bytes);
	*block = boot_alloc(align, bytes);
	return *block ? 0 : ENOMEM;
}

static void *first_aligned_alloc(size_t align, size_t bytes)
{
	return real_resolve() ? real.aligned_alloc(align, bytes) : boot_alloc(align, bytes);
}

static void *first_memalign(size_t align, size_t bytes)
{
	return real_resolve() ? real.memalign(align, bytes) : boot_alloc(align, bytes);
}

static void *first_valloc(size_t bytes)
{
	return real_resolve() ? real.valloc(bytes) : boot_alloc(4096, bytes);
}

static void *first_pvalloc(size_t bytes)
{
	return real_resolve() ? real.pvalloc(bytes) : boot_alloc(4096, bytes);
}

static size_t first_malloc_usable_size(void *block)
{
	return real_resolve() ? real.malloc_usable_size(block) : 0;
}

struct real real = {
	.malloc = first_malloc,
	.calloc = first_calloc,
	.realloc = first_realloc,
	.free = first_free,
	.posix_memalign = first_posix_memalign,
	.aligned_alloc = first_aligned_alloc,
	.memalign = first_memalign,
	.valloc = first_valloc,
	.pvalloc = first_pvalloc,
	.malloc_usable_size = first_malloc_usable_size,
};

static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

static void *find(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);

	return function ? function : (void *)missing;
}

static void resolve_all(void)
{
	struct real found;

#define HOOK(ret, name, params) found.name = (ret(*) params)find(#name);
#include "inject/hooks.def"
#undef HOOK
	real = found;
}

bool real_resolve(void)
{
	int now = UNRESOLVED;

	if (real_resolved)
		return true;
	if (__atomic_compare_exchange_n(&state, &now, RESOLVING, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE)) {
		int saved = errno;
		resolver = pthread_self();
		resolve_all();
		identity_find_allocator();
		errno = saved;
		__atomic_store_n(&real_resolved, true, __ATOMIC_RELEASE);
		__atomic_store_n(&state, RESOLVED, __ATOMIC_RELEASE);
		return true;
	}
	if (now == RESOLVING && resolver == pthread_self())
		return false;
	while (__atomic_load_n(&state, __ATOMIC_ACQUIRE) != RESOLVED)
		sched_yield();
	return true;
}
