/*
 * self.c: the private segment, and the one move into a file.
 *
 * Invariant: self_segment points to the private segment or to the mapped one; it moves once, under
 * LOCK_SEGMENT, and while it is private no pool has a row unless it stays private for good. Words
 * that many threads add to are moved by exchange, so an addition that was under way is swept later;
 * a slot's counters are moved by their owner (thread.c).
 */
#include "inject/self.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "inject/identity.h"
#include "inject/locks.h"
#include "inject/real.h"
#include "inject/segment_file.h"
#include "inject/text.h"
#include "inject/thread_slots.h"

enum self_state {
	SELF_PRIVATE, /* no directory, or no file could be made */
	SELF_PLANNED, /* has a directory that need not exist yet */
	SELF_WAITING, /* has a directory, not yet seen to stay */
	SELF_PUBLISHED,
};

/* Alone on its pages, so that a fork's child can drop them. */
static union {
	struct loopmem_segment segment;
	char pages[(sizeof(struct loopmem_segment) + 65535) / 65536 * 65536];
} private_pages __attribute__((aligned(65536)));
#define private_segment private_pages.segment

static enum self_state state; /* LOCK_SEGMENT; read without it where a late answer does no harm */
static char cmdline[LOOPMEM_CMDLINE]; /* written at start */
static char directory[PATH_MAX];      /* written at start */
static enum self_state at_start;      /* how a fork's child begins */

struct loopmem_segment *self_segment = &private_segment;

uint64_t self_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void self_drop(enum loopmem_drop what)
{
	__atomic_fetch_add(&self_segment->drops[what], 1, __ATOMIC_RELAXED);
}

bool self_is_published(void)
{
	return state == SELF_PUBLISHED;
}

const char *self_directory(void)
{
	return directory;
}

bool self_is_waiting(void)
{
	return state == SELF_WAITING;
}

bool self_is_planned(void)
{
	return state == SELF_PLANNED;
}

bool self_owns_privately(const struct loopmem_counters *counters)
{
	return (uintptr_t)counters - (uintptr_t)&private_segment < sizeof(private_segment);
}

static void move_word(uint64_t *from, uint64_t *to)
{
	if (__atomic_load_n(from, __ATOMIC_RELAXED))
		__atomic_fetch_add(to, __atomic_exchange_n(from, 0, __ATOMIC_RELAXED),
				   __ATOMIC_RELAXED);
}

static void move_words(void *from, void *to, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
		move_word((uint64_t *)from + i, (uint64_t *)to + i);
}

/* Everything that is added to atomically. */
static void sweep(struct loopmem_segment *to)
{
	struct loopmem_segment *from = &private_segment;

	move_word(&from->inherited_free_bytes, &to->inherited_free_bytes);
	move_word(&from->inherited_frees, &to->inherited_frees);
	move_words(from->drops, to->drops, sizeof(to->drops));
	move_words(from->regions, to->regions, sizeof(to->regions));
	move_word(&from->shm_sized_bytes, &to->shm_sized_bytes);
	move_words(&from->counters[LOOPMEM_THREADS][0], &to->counters[LOOPMEM_THREADS][0],
		   sizeof(struct loopmem_counters));
}

/* What is written once, or by nobody now. */
static void copy_fixed(const struct loopmem_segment *from, struct loopmem_segment *to)
{
	to->version = LOOPMEM_SEGMENT_VERSION;
	to->size_bytes = sizeof(*to);
	to->pid = from->pid;
	to->parent_pid = getppid();
	to->start_ticks = identity_start_ticks();
	to->fork_ns = from->fork_ns;
	to->inherited_live_bytes = from->inherited_live_bytes;
	to->pools_begun = from->pools_begun;
	to->contexts_used = 1; /* outside any pool */
	to->python_state = from->python_state;
	to->python_version = from->python_version;
	memcpy(to->python_reason, from->python_reason, sizeof(to->python_reason));
	memcpy(to->cmdline, cmdline, sizeof(to->cmdline));
	text_copy(to->allocator, sizeof(to->allocator), identity_allocator.name);
}

/* LOCK_SEGMENT. */
static void publish(void)
{
	uint64_t birth_ns = self_now_ns();
	struct loopmem_segment *made = NULL;

	if (state != SELF_PLANNED || segment_directory_is_private(directory))
		made = segment_file_create(directory, private_segment.pid, birth_ns);
	if (!made) {
		if (state != SELF_PLANNED || errno != ENOENT)
			state = SELF_PRIVATE;
		return;
	}
	made->birth_ns = birth_ns;
	copy_fixed(&private_segment, made);
	thread_carry(&private_segment, made);
	__atomic_store_n(&self_segment, made, __ATOMIC_RELEASE);
	state = SELF_PUBLISHED;
	sweep(made);
	thread_settle();
	__atomic_store_n(&made->magic, LOOPMEM_SEGMENT_MAGIC, __ATOMIC_RELEASE);
}

static bool may_publish(void)
{
	return state == SELF_WAITING || state == SELF_PLANNED;
}

void self_publish(void)
{
	int saved = errno;

	if (may_publish() && lock_enter(LOCK_SEGMENT)) {
		if (may_publish())
			publish();
		lock_leave(LOCK_SEGMENT);
	}
	errno = saved;
}

void self_settle(void)
{
	self_publish();
	if (state != SELF_PUBLISHED)
		return;
	sweep(self_segment);
	if (self_owns_privately(thread.row) && lock_enter(LOCK_SEGMENT)) {
		thread_settle();
		lock_leave(LOCK_SEGMENT);
	}
}

static void set_directory(const char *path, enum self_state then)
{
	size_t length = path ? strlen(path) : 0;

	if (length == 0 || length >= sizeof(directory))
		return;
	memcpy(directory, path, length + 1);
	state = at_start = then;
}

void self_start(int argc, char **argv, const char *given, const char *planned)
{
	identity_cmdline(cmdline, sizeof(cmdline), argc, argv);
	private_segment.pid = getpid();
	if (given)
		set_directory(given, SELF_WAITING);
	else
		set_directory(planned, SELF_PLANNED);
}

void self_give_up_plan(void)
{
	if (!lock_enter(LOCK_SEGMENT))
		return;
	if (state == SELF_PLANNED)
		state = at_start = SELF_PRIVATE;
	lock_leave(LOCK_SEGMENT);
}

/* The parent's segment is shared with it: nothing may be written there from here on, and this thread
 * must not point there when it goes. */
static void leave(struct loopmem_segment *parent)
{
	__atomic_store_n(&self_segment, &private_segment, __ATOMIC_RELEASE);
	thread_forked();
	if (parent != &private_segment)
		REAL(munmap)(parent, sizeof(*parent));
}

void self_forked(uint64_t inherited_live_bytes)
{
	struct loopmem_segment *parent = self_segment, *mine = &private_segment;
	uint32_t python_state = parent->python_state, python_version = parent->python_version;
	uint64_t pools_begun = parent->pools_begun;
	char reason[LOOPMEM_REASON];

	memcpy(reason, parent->python_reason, sizeof(reason));
	REAL(madvise)(&private_pages, sizeof(private_pages), MADV_DONTNEED);
	state = at_start;
	mine->pid = getpid();
	mine->fork_ns = self_now_ns();
	mine->inherited_live_bytes = inherited_live_bytes;
	mine->pools_begun = pools_begun; /* a pool id of the parent is never one of the child's */
	mine->python_state = python_state;
	mine->python_version = python_version;
	memcpy(mine->python_reason, reason, sizeof(reason));
	leave(parent);
}
