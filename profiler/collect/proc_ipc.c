/* Semaphores and pipes of a process: see the header. */
#include "profiler/collect/proc_ipc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/array.h"

/* ---- semaphores ---- */

int proc_ipc_parse_maps(struct proc_ipc *out, const char *maps)
{
	static const char prefix[] = "/dev/shm/sem.";

	while (*maps) {
		const char *end = strchrnul(maps, '\n');
		const char *name = memchr(maps, '/', (size_t)(end - maps));
		uint64_t inode;

		if (name && !strncmp(name, prefix, strlen(prefix)) &&
		    sscanf(maps, "%*s %*s %*s %*s %" SCNu64, &inode) == 1 &&
		    id_set_add(&out->semaphores, inode) < 0)
			return -ENOMEM;
		maps = *end ? end + 1 : end;
	}
	return 0;
}

/* ---- pipes ---- */

static struct proc_pipe *find_pipe(const struct proc_ipc *ipc, uint64_t inode)
{
	for (size_t i = 0; i < ipc->pipe_count; i++)
		if (ipc->pipes[i].inode == inode)
			return &ipc->pipes[i];
	return NULL;
}

const struct proc_pipe *proc_ipc_pipe(const struct proc_ipc *ipc, uint64_t inode)
{
	return find_pipe(ipc, inode);
}

static struct proc_pipe *add_pipe(struct proc_ipc *ipc, uint64_t inode)
{
	struct proc_pipe *pipe =
		array_add_item(&ipc->pipes, &ipc->pipe_count, &ipc->pipe_capacity, sizeof(*pipe));

	if (pipe)
		*pipe = (struct proc_pipe){.inode = inode, .read_fd = -1};
	return pipe;
}

int proc_ipc_add_fd(struct proc_ipc *out, int fd, const char *link, unsigned ends)
{
	struct proc_pipe *pipe;
	uint64_t inode;

	if (sscanf(link, "pipe:[%" SCNu64 "]", &inode) != 1)
		return 0;
	pipe = find_pipe(out, inode);
	if (!pipe)
		pipe = add_pipe(out, inode);
	if (!pipe)
		return -ENOMEM;
	pipe->ends |= ends;
	if (ends & PIPE_READ)
		pipe->read_fd = fd;
	return 0;
}

/* The mode of the link tells how the descriptor is open. */
static int read_fd(struct proc_ipc *out, int dir_fd, const char *name)
{
	char link[64];
	ssize_t n = readlinkat(dir_fd, name, link, sizeof(link) - 1);
	struct stat st;

	if (n <= 0 || strncmp(link, "pipe:", 5))
		return 0;
	link[n] = '\0';
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	return proc_ipc_add_fd(out, (int)strtol(name, NULL, 10), link,
			       (st.st_mode & S_IRUSR ? PIPE_READ : 0U) |
				       (st.st_mode & S_IWUSR ? PIPE_WRITE : 0U));
}

int proc_ipc_read_fds(struct proc_ipc *out, pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;
	int error = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (!error && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			error = read_fd(out, dirfd(dir), entry->d_name);
	closedir(dir);
	return error;
}

void proc_ipc_release(struct proc_ipc *ipc)
{
	id_set_release(&ipc->semaphores);
	free(ipc->pipes);
	*ipc = (struct proc_ipc){0};
}

int64_t proc_pipe_waiting(pid_t pid, int read_fd, uint64_t inode)
{
	char path[64];
	struct stat st;
	int fd, waiting = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, read_fd);
	/* looked at before it is opened: opening some other file could do something */
	if (stat(path, &st) || !S_ISFIFO(st.st_mode) || st.st_ino != inode)
		return -1;
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) || st.st_ino != inode || ioctl(fd, FIONREAD, &waiting))
		waiting = -1;
	close(fd);
	return waiting;
}
