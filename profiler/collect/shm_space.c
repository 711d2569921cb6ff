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
#include <time.h>
#include <unistd.h>

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

/* What one dead process left. */
struct left {
	pid_t pid;
	int64_t bytes;
	char name[300];
};

struct search {
	const struct job *job;
	struct left left[TOLD_MOST];
	size_t count;
};

/* Of a process that is gone, and made since the session began. */
static int is_stale(const struct search *s, int dir_fd, const char *name, pid_t creator,
		    struct stat *st)
{
	struct timespec mono, real;
	int64_t began_ns, made_ns;

	if (fstatat(dir_fd, name, st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st->st_mode) ||
	    st->st_uid != geteuid())
		return 0;
	if (kill(creator, 0) == 0 || errno != ESRCH)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &real);
	began_ns = (real.tv_sec - mono.tv_sec) * INT64_C(1000000000) + real.tv_nsec - mono.tv_nsec +
		   s->job->recorder->clock_ns;
	made_ns = st->st_mtim.tv_sec * INT64_C(1000000000) + st->st_mtim.tv_nsec;
	return made_ns >= began_ns;
}

static void add(struct search *s, pid_t creator, const char *name, int64_t bytes)
{
	struct left *l = s->left;

	while (l < s->left + s->count && l->pid != creator)
		l++;
	if (l == s->left + TOLD_MOST)
		return;
	if (l == s->left + s->count) {
		s->count++;
		*l = (struct left){.pid = creator};
		snprintf(l->name, sizeof(l->name), "%s/%s", directory, name);
	}
	l->bytes += bytes;
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
		struct stat st;
		pid_t creator;

		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (proc_shm_name(path, &creator) && creator > 0 &&
		    is_stale(s, dirfd(dir), entry->d_name, creator, &st))
			add(s, creator, entry->d_name, (int64_t)st.st_blocks * 512);
	}
	if (dir)
		closedir(dir);
}

void shm_space_tell_stale(const struct job *j, int64_t t_ns)
{
	struct search s = {.job = j};

	if (manager_lives(j))
		return;
	search(&s);
	for (size_t i = 0; i < s.count; i++)
		session_put_event(j->recorder->session,
				  &(struct session_event){.t_ns = t_ns,
							  .kind = "stale-shm",
							  .process = SESSION_NULL,
							  .pool = SESSION_NULL,
							  .value = s.left[i].bytes,
							  .value2 = s.left[i].pid,
							  .text = s.left[i].name});
}
