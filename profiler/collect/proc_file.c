/* Reading of /proc/PID files: see the header. */
#include "profiler/collect/proc_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static int open_file(pid_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

static ssize_t read_from_start(int fd, char *buffer, size_t size)
{
	ssize_t n = pread(fd, buffer, size - 1, 0);

	if (n < 0)
		return -errno;
	buffer[n] = '\0';
	return n;
}

int descriptor_worth_keeping(int fd)
{
	enum { RESERVED = 64 };
	struct rlimit limit;

	if (fd < 0 || (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur > RESERVED &&
		       (rlim_t)fd < limit.rlim_cur - RESERVED))
		return fd;
	close(fd);
	return -EMFILE;
}

void proc_file_open(struct proc_file *f, pid_t pid, const char *name)
{
	int fd = descriptor_worth_keeping(open_file(pid, name));

	*f = (struct proc_file){.fd = fd < 0 ? -1 : fd, .pid = pid, .name = name};
}

void proc_file_close(struct proc_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

ssize_t proc_file_read(const struct proc_file *f, char *buffer, size_t size)
{
	if (!f->name)
		return -ESRCH;
	if (f->fd < 0)
		return proc_read(f->pid, f->name, buffer, size);
	return read_from_start(f->fd, buffer, size);
}

ssize_t proc_read(pid_t pid, const char *name, char *buffer, size_t size)
{
	int fd = open_file(pid, name);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read_from_start(fd, buffer, size);
	close(fd);
	return n;
}

static int grow(struct proc_text *t)
{
	size_t capacity = t->capacity ? 2 * t->capacity : 16384;
	char *data = realloc(t->data, capacity);

	if (!data)
		return -ENOMEM;
	t->data = data;
	t->capacity = capacity;
	return 0;
}

int proc_text_read(struct proc_text *t, pid_t pid, const char *name, size_t limit)
{
	int fd = open_file(pid, name);
	int error = fd < 0 ? -errno : 0;

	t->size = 0;
	while (!error && t->size < limit) {
		ssize_t n;

		if (t->capacity - t->size < 4096 && (error = grow(t)))
			break;
		n = read(fd, t->data + t->size, t->capacity - t->size - 1);
		if (n < 0)
			error = -errno;
		if (n <= 0)
			break;
		t->size += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	if (t->data)
		t->data[t->size] = '\0';
	else if (!error)
		error = -ENOMEM;
	return error;
}

void proc_text_release(struct proc_text *t)
{
	free(t->data);
	*t = (struct proc_text){0};
}
