/* Shared-memory objects of a process: see the header. */
#include "profiler/collect/proc_shm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

static pid_t torch_creator(const char *name)
{
	return starts(name, "torch_") ? (pid_t)strtol(name + strlen("torch_"), NULL, 10) : 0;
}

int proc_shm_name(const char *name, pid_t *creator_pid)
{
	*creator_pid = 0;
	if (starts(name, "/memfd:")) {
		*creator_pid = torch_creator(name + strlen("/memfd:"));
		return 1;
	}
	if (!starts(name, "/dev/shm/") || starts(name, "/dev/shm/sem."))
		return 0;
	*creator_pid = torch_creator(name + strlen("/dev/shm/"));
	return 1;
}

static void report_held(int dir_fd, const char *fd_name, proc_shm_fn *fn, void *arg)
{
	struct proc_shm object = {0};
	char link[256];
	ssize_t n = readlinkat(dir_fd, fd_name, link, sizeof(link) - 1);
	struct stat st;

	if (n <= 0)
		return;
	link[n] = '\0';
	if (!proc_shm_name(link, &object.creator_pid) || fstatat(dir_fd, fd_name, &st, 0) ||
	    !S_ISREG(st.st_mode))
		return;
	object.device = st.st_dev;
	object.inode = st.st_ino;
	object.bytes = (int64_t)st.st_blocks * 512;
	fn(&object, arg);
}

int proc_shm_each_held(pid_t pid, proc_shm_fn *fn, void *arg)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;
	int count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		count++;
		report_held(dirfd(dir), entry->d_name, fn, arg);
	}
	closedir(dir);
	return count;
}

void proc_shm_each_mapped(const char *maps, proc_shm_fn *fn, void *arg)
{
	while (*maps) {
		const char *end = strchrnul(maps, '\n');
		const char *name = memchr(maps, '/', (size_t)(end - maps));
		struct proc_shm object = {.bytes = -1, .mapped = 1};
		unsigned major_id, minor_id;

		if (name && proc_shm_name(name, &object.creator_pid) &&
		    sscanf(maps, "%*s %*s %*s %x:%x %" SCNu64, &major_id, &minor_id,
			   &object.inode) == 3) {
			object.device = makedev(major_id, minor_id);
			fn(&object, arg);
		}
		maps = *end ? end + 1 : end;
	}
}

int proc_shm_each_named(const char *directory, proc_shm_fn *fn, void *arg)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;
	int count = 0;

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		struct proc_shm object = {.creator_pid = torch_creator(entry->d_name)};
		struct stat st;

		if (!object.creator_pid ||
		    fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(st.st_mode))
			continue;
		object.device = st.st_dev;
		object.inode = st.st_ino;
		object.bytes = (int64_t)st.st_blocks * 512;
		fn(&object, arg);
		count++;
	}
	closedir(dir);
	return count;
}
