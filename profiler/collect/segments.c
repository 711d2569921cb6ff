/* The segment directory: see the header. */
#include "profiler/collect/segments.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

int segments_open(struct segments *s, const char *directory, struct error *e)
{
	*s = (struct segments){.inotify_fd = -1};
	s->dir_fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->dir_fd < 0)
		return error_set_errno(e, ERROR_SYSTEM, errno,
				       "cannot open the segment directory %s", directory);
	flock(s->dir_fd, LOCK_SH | LOCK_NB); /* in use: segment_dir.c removes what is not */
	s->inotify_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (s->inotify_fd >= 0 && inotify_add_watch(s->inotify_fd, directory,
						    IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF |
							    IN_MOVE_SELF | IN_ONLYDIR) < 0) {
		close(s->inotify_fd);
		s->inotify_fd = -1;
	}
	s->list_again = 1; /* what is there already */
	return 0;
}

void segments_close(struct segments *s)
{
	if (s->inotify_fd >= 0)
		close(s->inotify_fd);
	if (s->dir_fd >= 0)
		close(s->dir_fd);
	s->inotify_fd = s->dir_fd = -1;
}

static int is_segment(const char *name)
{
	size_t length = strlen(name), suffix = strlen(LOOPMEM_SEGMENT_SUFFIX);

	return length > suffix && length < sizeof(((struct process *)0)->segment_name) &&
	       !strcmp(name + length - suffix, LOOPMEM_SEGMENT_SUFFIX);
}

static void add_pending(struct segments *s, const struct job *j, const char *name)
{
	struct process *p;

	if (!is_segment(name))
		return;
	if (s->pending_count == SEGMENTS_PENDING) { /* found again when there is room */
		s->list_again = 1;
		return;
	}
	for (int i = 0; i < s->pending_count; i++)
		if (!strcmp(s->pending[i].name, name))
			return;
	JOB_EACH_ALIVE(j, p)
		if (p->segment.map && !strcmp(p->segment_name, name))
			return;
	snprintf(s->pending[s->pending_count].name, sizeof(s->pending[0].name), "%s", name);
	s->pending[s->pending_count++].first_ns = recorder_now(j->recorder);
}

static void list_directory(struct segments *s, const struct job *j)
{
	int fd = openat(s->dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	s->list_again = 0;
	while ((entry = readdir(dir)))
		add_pending(s, j, entry->d_name);
	closedir(dir);
	s->listed_ns = recorder_now(j->recorder);
}

static void read_inotify(struct segments *s, const struct job *j)
{
	char buffer[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)]
		__attribute__((aligned(__alignof__(struct inotify_event))));
	ssize_t n;

	while ((n = read(s->inotify_fd, buffer, sizeof(buffer))) > 0) {
		const struct inotify_event *event;

		for (char *p = buffer; p < buffer + n; p += sizeof(*event) + event->len) {
			event = (const struct inotify_event *)p;
			if (event->mask & IN_Q_OVERFLOW)
				list_directory(s, j);
			if (event->len)
				add_pending(s, j, event->name);
		}
	}
}

/* NULL = there is none in the job yet. */
static struct process *find_parent(struct job *j, const struct segment_identity *identity)
{
	int64_t t_ns = recorder_time(j->recorder, identity->birth_ns);
	struct process *parent = job_find_inner(j, identity->parent_pid, t_ns);

	if (parent || !j->count)
		return parent;
	/* Of two that are new the child's segment may come first. That it has one proves that it belongs here. */
	parent = job_add_parent(j, identity->pid);
	return parent ? parent : j->items[0];
}

/* The living process whose segment this is, found by its pid in its own namespace and its start;
 * added when it is new. */
static struct process *find_process(struct job *j, const struct segment_identity *identity)
{
	struct process *p;

	JOB_EACH_ALIVE(j, p)
		if (p->inner_pid == identity->pid && p->start_ticks == identity->start_ticks)
			return p;
	if (process_is(identity->pid, identity->start_ticks)) {
		p = job_add(j, identity->pid, find_parent(j, identity));
		if (p)
			return p;
	}
	for (size_t i = j->count; i-- > 0;) /* ended, but told of before */
		if (j->items[i]->inner_pid == identity->pid &&
		    j->items[i]->start_ticks == identity->start_ticks)
			return j->items[i];
	return NULL;
}

static void join(struct job *j, struct process *p, const struct segment_reader *reader,
		 const struct segment_identity *identity, const char *name)
{
	if (p->segment.map &&
	    p->segment_birth_ns > identity->birth_ns) /* an older one, seen late */
		return;
	if (p->segment.map) {
		if (j->before_end)
			j->before_end(p, j->before_end_arg);
		segment_close(&p->segment);
		unlinkat(j->segment_dir_fd, p->segment_name, 0);
	}
	/* It may have been seen before, or in the middle of, its exec. One that has ended meanwhile is
	 * what the segment of its last image says. */
	if (process_look_again(p) < 0 && identity->cmdline[0])
		memcpy(p->cmdline, identity->cmdline, sizeof(identity->cmdline));
	p->segment = *reader;
	p->segment_birth_ns = identity->birth_ns;
	p->segment_exec_ns = 0;
	p->last_pool_id = 0;
	p->identity = *identity;
	p->instrumented = 1;
	process_take_birth(p, identity, j->recorder);
	snprintf(p->segment_name, sizeof(p->segment_name), "%s", name);
	segment_state(&p->segment, &p->segment_state);
	process_write(p, j->recorder);
}

/* 1 when the segment is dealt with, 0 when it should be tried again. */
static int attach(struct segments *s, struct job *j, const char *name)
{
	struct segment_reader reader;
	struct segment_identity identity;
	struct process *p;
	int error = segment_open(&reader, s->dir_fd, name);

	if (error == -EAGAIN)
		return 0;
	if (error == -EPROTO && !s->foreign_version++)
		recorder_note(
			j->recorder, "warning",
			"a process runs with libloopmem.so of another version: it is not counted");
	if (error)
		return 1;
	error = segment_identity(&reader, &identity);
	p = error ? NULL : find_process(j, &identity);
	if (!error && !p)
		p = job_add_dead(j, &identity);
	if (!p) {
		segment_close(&reader);
		return 1;
	}
	join(j, p, &reader, &identity, name);
	if (p->segment.map != reader.map)
		segment_close(&reader);
	else if (p->state != PROCESS_ALIVE)
		job_end(j, p, p->ended_ns, NULL);
	return 1;
}

/* A segment without space was left empty by its process. */
static void give_up(const struct segments *s, struct job *j, const char *name)
{
	recorder_note(j->recorder, "warning",
		      "a process found no room for its segment: it is not counted");
	unlinkat(s->dir_fd, name, 0);
}

int segments_removed(const struct segments *s)
{
	struct stat st;

	return !fstat(s->dir_fd, &st) && !st.st_nlink;
}

void segments_poll(struct segments *s, struct job *j, int listen)
{
	const int64_t patience_ns = INT64_C(2000000000), list_period_ns = 100000000;
	int64_t now_ns = recorder_now(j->recorder);
	int kept = 0;

	if (listen && s->inotify_fd >= 0)
		read_inotify(s, j);
	if (s->list_again || (s->inotify_fd < 0 && now_ns - s->listed_ns > list_period_ns))
		list_directory(s, j);
	for (int i = 0; i < s->pending_count; i++) {
		if (attach(s, j, s->pending[i].name))
			continue;
		if (now_ns - s->pending[i].first_ns > patience_ns)
			give_up(s, j, s->pending[i].name);
		else
			s->pending[kept++] = s->pending[i];
	}
	s->pending_count = kept;
}
