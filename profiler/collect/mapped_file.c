/*
 * Mappings that outlive their file: see the header. The handler finds them in a list that only
 * changes between two reads, so it needs no lock; it changes the mapping and returns, and the
 * instruction that failed is tried again.
 */
#include "profiler/collect/mapped_file.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

struct mapped_file {
	void *data;
	size_t bytes;
	volatile sig_atomic_t lost;
	struct mapped_file *next;
};

/* Of the process, as its signal handlers are; touched by open, close and the handler. */
static struct mapped_file *mapped_files;
static struct sigaction earlier;

static struct mapped_file *find(uintptr_t address)
{
	for (struct mapped_file *f = mapped_files; f; f = f->next)
		if (address - (uintptr_t)f->data < f->bytes)
			return f;
	return NULL;
}

static void put_zeros(int signal_number, siginfo_t *info, void *context)
{
	struct mapped_file *f = find((uintptr_t)info->si_addr);
	int error = errno;

	(void)signal_number;
	(void)context;
	if (f && mmap(f->data, f->bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		      0) != MAP_FAILED)
		f->lost = 1;
	else
		sigaction(SIGBUS, &earlier, NULL); /* the read is tried again, and fails as ever */
	errno = error;
}

/* Again wherever somebody else has put a handler since. */
static int guard(void)
{
	struct sigaction action = {.sa_sigaction = put_zeros, .sa_flags = SA_SIGINFO}, now;

	if (sigaction(SIGBUS, NULL, &now))
		return -errno;
	if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == put_zeros)
		return 0;
	sigemptyset(&action.sa_mask);
	earlier = now;
	return sigaction(SIGBUS, &action, NULL) ? -errno : 0;
}

int mapped_file_open(struct mapped_file **out, int fd, size_t bytes)
{
	struct mapped_file *f = calloc(1, sizeof(*f));
	int error = f ? guard() : -ENOMEM;

	if (!error) {
		f->bytes = bytes;
		f->data = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
		error = f->data == MAP_FAILED ? -errno : 0;
	}
	if (error) {
		free(f);
		return error;
	}
	f->next = mapped_files;
	mapped_files = f;
	*out = f;
	return 0;
}

void mapped_file_close(struct mapped_file *f)
{
	struct mapped_file **link = &mapped_files;

	if (!f)
		return;
	while (*link != f)
		link = &(*link)->next;
	*link = f->next;
	munmap(f->data, f->bytes);
	free(f);
}

const void *mapped_file_data(const struct mapped_file *f)
{
	return f->data;
}

int mapped_file_is_lost(const struct mapped_file *f)
{
	return f->lost;
}
