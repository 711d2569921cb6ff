/* The private directory of a run: see the header. */
#include "profiler/collect/segment_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <time.h>
#include <unistd.h>

#include "inject/segment.h"
#include "inject/sites.h"
#include "profiler/collect/proc_counters.h"
#include "profiler/collect/proc_file.h"
#include "profiler/collect/shim.h"

#define PREFIX "loopmem-run-"

static const uint64_t ROOM_BYTES = 16 << 20;

static int ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length > end_length && !strcmp(name + length - end_length, end);
}

static int is_usable(const char *base)
{
	struct statfs fs;

	return base && base[0] == '/' && !strpbrk(base, " \t\n:") && !statfs(base, &fs) &&
	       fs.f_type == TMPFS_MAGIC &&
	       (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize >= ROOM_BYTES &&
	       !access(base, W_OK | X_OK);
}

void segment_dir_remove_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir)))
		if (ends_with(entry->d_name, LOOPMEM_SEGMENT_SUFFIX) ||
		    ends_with(entry->d_name, LOOPMEM_SITES_SUFFIX) ||
		    !strcmp(entry->d_name, SHIM_NAME))
			unlinkat(fd, entry->d_name, 0);
	closedir(dir);
	rmdir(path);
}

void segment_dir_remove(struct segment_dir *d)
{
	if (d->path[0])
		segment_dir_remove_path(d->path);
	d->path[0] = '\0';
}

/* Is there certainly no process any more that has this pid and start? */
static int is_gone(int pid, uint64_t start_ticks)
{
	struct proc_stat stat;
	int error = proc_stat_read(pid, &stat);

	if (error == -ENOENT || error == -ESRCH)
		return 1;
	return !error && stat.start_ticks != start_ticks;
}

/* A collector holds a lock on its directory (segments.c), which also tells of one that lives in
 * another pid namespace. */
static int is_unlocked(int base_fd, const char *name)
{
	int fd = openat(base_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int unlocked = fd >= 0 && !flock(fd, LOCK_EX | LOCK_NB);

	if (fd >= 0)
		close(fd);
	return unlocked;
}

/* Ours, not just made, and the process that it is named after is gone. */
static int is_stale(int base_fd, const char *name)
{
	enum { YOUNG_S = 10 };
	struct stat st;
	uint64_t start_ticks;
	int pid;

	return !strncmp(name, PREFIX, strlen(PREFIX)) &&
	       sscanf(name + strlen(PREFIX), "%d-%" SCNu64 "-", &pid, &start_ticks) == 2 &&
	       !fstatat(base_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && time(NULL) - st.st_mtime >= YOUNG_S &&
	       is_gone(pid, start_ticks) && is_unlocked(base_fd, name);
}

static void remove_stale(const char *base)
{
	DIR *dir = base ? opendir(base) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[PATH_MAX];

		if (is_stale(dirfd(dir), entry->d_name) &&
		    (size_t)snprintf(path, sizeof(path), "%s/%s", base, entry->d_name) <
			    sizeof(path))
			segment_dir_remove_path(path);
	}
	if (dir)
		closedir(dir);
}

static int make_in(struct segment_dir *d, const char *base)
{
	struct proc_stat self;

	proc_stat_read(getpid(), &self);
	if ((size_t)snprintf(d->path, sizeof(d->path), "%s/" PREFIX "%d-%" PRIu64 "-XXXXXX", base,
			     (int)getpid(), self.start_ticks) >= sizeof(d->path))
		return -ENAMETOOLONG;
	return mkdtemp(d->path) ? 0 : -errno;
}

int segment_dir_make(struct segment_dir *d, struct error *e)
{
	const char *const bases[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm", "/tmp"};
	enum { BASES = sizeof(bases) / sizeof(bases[0]) };
	int error = -ENOENT;

	for (int i = 0; i < BASES; i++)
		remove_stale(bases[i]);
	for (int i = 0; i < BASES && error; i++)
		if (is_usable(bases[i]))
			error = make_in(d, bases[i]);
	if (error)
		error = make_in(d, "/tmp");
	if (!error)
		return 0;
	d->path[0] = '\0';
	return error_set_errno(e, ERROR_SYSTEM, -error, "cannot make a directory in /tmp");
}
