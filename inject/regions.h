/*
 * regions.h: what the program mapped itself, by kind, and the shared memory objects it sized.
 *
 * Only mappings that were seen being made are followed: a munmap of anything else changes nothing.
 * A fork's child follows its own mappings only. Hooks call these after the real call succeeded,
 * except where said. Nothing here changes errno.
 */
#ifndef INJECT_REGIONS_H
#define INJECT_REGIONS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

void regions_mapped(void *start, size_t bytes, int flags, int fd);

/* Before the real munmap: after it the addresses may belong to another thread. */
void regions_unmapped(void *start, size_t bytes);
void regions_discarded(void *start, size_t bytes);

/* mremap in two halves around the real call. old_bytes 0 = the old mapping stays as it is. */
struct region_move {
	int kind; /* < 0: not one of ours */
	uint64_t start, end, bytes;
};
struct region_move regions_move_begin(void *old, size_t old_bytes);
void regions_move_end(const struct region_move *move, void *moved, size_t bytes);

/* The descriptor came from shm_open or memfd_create. */
void regions_shared_object(int fd);

/* Around a call that may grow the object behind fd: its size before (-1 = not shared memory), and
 * after the call. */
int64_t regions_object_bytes(int fd);
void regions_object_sized(int fd, int64_t before_bytes);

void regions_forked(void);

#endif
