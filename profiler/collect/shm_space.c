/* The room in /dev/shm: see the header. */
#include "profiler/collect/shm_space.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "profiler/collect/clock.h"
#include "profiler/collect/proc_shm.h"

static const char directory[] = "/dev/shm";

/* Dead processes told of; the rest are too many to be read anyway. */
enum { TOLD_MOST = 64 };

void shm_space_look(struct shm_space *s, struct recorder *r, int64_t t_ns)
{
	struct statvfs fs;
	int64_t used;

	if (statvfs(directory, &fs) || !fs.f_blocks)
		return;
	used = (int64_t)((fs.f_blocks - fs.f_bfree) * fs.f_frsize);
	if (s->size_bytes && used <= s->used_max_bytes)
		return;
	s->size_bytes = (int64_t)(fs.f_blocks * fs.f_frsize);
	s->used_max_bytes = used;
	session_put_int(r->session, "shm_size_bytes", s->size_bytes);
	session_put_int(r->session, "shm_used_max_bytes", used);
	session_put_int(r->session, "shm_used_max_ns", t_ns);
}

/* What one dead process left, in this run or before it began. */
struct left {
	pid_t pid;
	int earlier;
	int64_t bytes;
	char name[300];
};

struct search {
	int64_t began_ns; /* the session, by the clock of files */
	struct left left[TOLD_MOST];
	size_t count;
};

/* A file of this user whose maker's pid nobody has. */
static int is_abandoned(int dir_fd, const char *name, pid_t creator, struct stat *st)
{
	return !fstatat(dir_fd, name, st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st->st_mode) &&
	       st->st_uid == geteuid() && kill(creator, 0) && errno == ESRCH;
}

/*
 * Whether nobody holds or maps it, in whatever pid namespace: only then the kernel gives a lease for writing. The lease ends with the
 * descriptor; who opens the file in between waits for that, and this process would be told by a signal.
 */
static int is_held_by_nobody(int dir_fd, const char *name)
{
	void (*before)(int) = signal(SIGIO, SIG_IGN);
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	int alone = fd >= 0 && !fcntl(fd, F_SETLEASE, F_WRLCK);

	if (fd >= 0)
		close(fd);
	signal(SIGIO, before);
	return alone;
}

static void add(struct search *s, const struct left *one)
{
	struct left *l = s->left;

	while (l < s->left + s->count && (l->pid != one->pid || l->earlier != one->earlier))
		l++;
	if (l == s->left + TOLD_MOST)
		return;
	if (l == s->left + s->count) {
		s->count++;
		*l = *one;
	} else {
		l->bytes += one->bytes;
	}
}

static void look_at(struct search *s, int dir_fd, const char *name, pid_t creator)
{
	struct left one = {.pid = creator};
	struct stat st;

	if (!is_abandoned(dir_fd, name, creator, &st))
		return;
	one.earlier = clock_in_ns(st.st_ctim) < s->began_ns;
	one.bytes = (int64_t)st.st_blocks * 512;
	snprintf(one.name, sizeof(one.name), "%s/%s", directory, name);
	if (one.bytes && (!one.earlier || is_held_by_nobody(dir_fd, name)))
		add(s, &one);
}

static int manager_lives(const struct job *j)
{
	const struct process *p;

	JOB_EACH_ALIVE(j, p)
		if (p->role == ROLE_SHM_MANAGER)
			return 1;
	return 0;
}

static void search(struct search *s)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char path[sizeof(directory) + sizeof(entry->d_name) + 1];
		pid_t creator;

		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (proc_shm_name(path, &creator) && creator > 0)
			look_at(s, dirfd(dir), entry->d_name, creator);
	}
	if (dir)
		closedir(dir);
}

void shm_space_tell_stale(const struct job *j, int64_t t_ns)
{
	int64_t began_ns = clock_read_ns(CLOCK_REALTIME) - recorder_now(j->recorder);
	struct search s = {.began_ns = began_ns};

	if (manager_lives(j))
		return;
	search(&s);
	for (size_t i = 0; i < s.count; i++)
		session_put_event(j->recorder->session,
				  &(struct session_event){.t_ns = t_ns,
							  .kind = s.left[i].earlier ? "earlier-shm"
										    : "stale-shm",
							  .process = SESSION_NULL,
							  .pool = SESSION_NULL,
							  .value = s.left[i].bytes,
							  .value2 = s.left[i].pid,
							  .text = s.left[i].name});
}
