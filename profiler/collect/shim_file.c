/* Files of the shim: see the header. */
#include "profiler/collect/shim_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static int check(int fd, struct stat *st, const struct shim_file_form *form)
{
	struct {
		uint64_t magic;
		uint32_t version, size_bytes;
	} head;
	ssize_t n;

	if (fstat(fd, st))
		return -errno;
	if (!S_ISREG(st->st_mode))
		return -EINVAL;
	n = pread(fd, &head, sizeof(head), 0);
	if (n < 0)
		return -errno;
	if (n < (ssize_t)sizeof(head) || st->st_size < (off_t)form->begun_bytes || !head.magic)
		return -EAGAIN;
	if (head.magic != form->magic)
		return -EINVAL;
	if (head.version != form->version || head.size_bytes != form->size_bytes)
		return -EPROTO;
	return st->st_size < (off_t)form->least_bytes ? -EINVAL : 0;
}

int shim_file_open(struct mapped_file **file, struct stat *st, int dir_fd, const char *name,
		   const struct shim_file_form *form)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), error;

	if (fd < 0)
		return -errno;
	error = check(fd, st, form);
	if (!error)
		error = mapped_file_open(file, fd, form->map_bytes);
	close(fd);
	return error;
}
