/*
 * hooks_map.c: the exported mapping functions. The real call decides what is returned and errno; the
 * note keeps both. What the allocator maps for itself is heap and is not noted: it calls with locks of
 * its own held, which a fork takes too, so no lock of ours may be asked for in there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "inject/heap.h"
#include "inject/identity.h"
#include "inject/real.h"
#include "inject/regions.h"
#include "inject/sampled.h"

#define EXPORT __attribute__((visibility("default")))

struct mapping {
	void *start;
	size_t bytes;
	int prot, flags, fd;
};

/* New private memory is a sample of its own: it is how pymalloc grows. A mapping without access only reserves
 * addresses. */
static void *note_mapped(struct mapping m, const void *caller)
{
	if (m.start == MAP_FAILED || identity_is_allocator_code(caller))
		return m.start;
	regions_mapped(m.start, m.bytes, m.flags, m.fd);
	if (m.flags & MAP_FIXED)
		sampled_unmapped((uintptr_t)m.start, (uintptr_t)m.start + m.bytes);
	if (m.flags & MAP_ANONYMOUS && (m.flags & MAP_TYPE) == MAP_PRIVATE && m.prot != PROT_NONE)
		heap_mapped(m.start, m.bytes);
	return m.start;
}

EXPORT void *mmap(void *addr, size_t bytes, int prot, int flags, int fd, off_t offset)
{
	void *start = REAL(mmap)(addr, bytes, prot, flags, fd, offset);

	return note_mapped((struct mapping){start, bytes, prot, flags, fd},
			   __builtin_return_address(0));
}

EXPORT void *mmap64(void *addr, size_t bytes, int prot, int flags, int fd, off64_t offset)
{
	void *start = REAL(mmap64)(addr, bytes, prot, flags, fd, offset);

	return note_mapped((struct mapping){start, bytes, prot, flags, fd},
			   __builtin_return_address(0));
}

EXPORT void *mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
	struct region_move move;
	void *wanted = NULL, *moved;
	va_list args;

	va_start(args, flags);
	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP))
		wanted = va_arg(args, void *);
	va_end(args);
	if (identity_is_allocator_code(__builtin_return_address(0)))
		return REAL(mremap)(old, old_bytes, bytes, flags, wanted);
	move = regions_move_begin(old, flags & MREMAP_DONTUNMAP ? 0 : old_bytes);
	if (move.kind >= 0)
		sampled_unmapped(move.start, move.end);
	moved = REAL(mremap)(old, old_bytes, bytes, flags, wanted);
	regions_move_end(&move, moved, bytes);
	if (move.kind == LOOPMEM_REGION_ANON)
		heap_mapped(moved == MAP_FAILED ? old : moved,
			    moved == MAP_FAILED ? old_bytes : bytes);
	return moved;
}

EXPORT int munmap(void *start, size_t bytes)
{
	if (!identity_is_allocator_code(__builtin_return_address(0))) {
		regions_unmapped(start, bytes);
		sampled_unmapped((uintptr_t)start, (uintptr_t)start + bytes);
	}
	return REAL(munmap)(start, bytes);
}

static bool is_discard(int advice)
{
	return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE;
}

EXPORT int madvise(void *start, size_t bytes, int advice)
{
	int result = REAL(madvise)(start, bytes, advice);

	if (result == 0 && is_discard(advice) &&
	    !identity_is_allocator_code(__builtin_return_address(0)))
		regions_discarded(start, bytes);
	return result;
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
	int fd = REAL(shm_open)(name, flags, mode);

	regions_shared_object(fd);
	return fd;
}

EXPORT int memfd_create(const char *name, unsigned int flags)
{
	int fd = REAL(memfd_create)(name, flags);

	regions_shared_object(fd);
	return fd;
}

/* The calls that may make a shared memory object larger. */
#define SIZING_HOOK(name, params, ...)                           \
	EXPORT int name params                                   \
	{                                                        \
		int64_t before_bytes = regions_object_bytes(fd); \
		int result = REAL(name)(__VA_ARGS__);            \
                                                                 \
		regions_object_sized(fd, before_bytes);          \
		return result;                                   \
	}

SIZING_HOOK(ftruncate, (int fd, off_t bytes), fd, bytes)
SIZING_HOOK(ftruncate64, (int fd, off64_t bytes), fd, bytes)
SIZING_HOOK(fallocate, (int fd, int mode, off_t at, off_t bytes), fd, mode, at, bytes)
SIZING_HOOK(fallocate64, (int fd, int mode, off64_t at, off64_t bytes), fd, mode, at, bytes)
SIZING_HOOK(posix_fallocate, (int fd, off_t at, off_t bytes), fd, at, bytes)
SIZING_HOOK(posix_fallocate64, (int fd, off64_t at, off64_t bytes), fd, at, bytes)
