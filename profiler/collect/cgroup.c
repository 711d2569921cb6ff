/* Memory cgroups: see the header. What differs between the versions is the two tables. */
#include "profiler/collect/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/collect/keyed_text.h"
#include "profiler/collect/proc_counters.h"
#include "profiler/collect/proc_file.h"

/* memory.stat as far as it is used; a version has some of them. */
struct stat_fields {
	int64_t anon, cache, shmem, hierarchical_limit;
	int64_t kernel, kernel_stack, page_tables, slab, sock, percpu;
};

#define STAT(key, field)                                 \
	{                                                \
		key, offsetof(struct stat_fields, field) \
	}
enum { STAT_FIELDS = 9 };

struct cgroup_files {
	int version;
	const char *current, *limit, *events;
	const char *kernel; /* a file of its own, NULL = in stat */
	const char *oom_key;
	struct keyed_field stat[STAT_FIELDS];
	size_t stat_count;
};

static const struct cgroup_files version1 = {
	.version = 1,
	.current = "memory.usage_in_bytes",
	.limit = "memory.limit_in_bytes",
	.events = "memory.oom_control",
	.kernel = "memory.kmem.usage_in_bytes",
	.oom_key = "oom_kill",
	.stat = {STAT("total_rss", anon), STAT("total_cache", cache), STAT("total_shmem", shmem),
		 STAT("hierarchical_memory_limit", hierarchical_limit)},
	.stat_count = 4,
};

static const struct cgroup_files version2 = {
	.version = 2,
	.current = "memory.current",
	.limit = "memory.max",
	.events = "memory.events",
	.oom_key = "oom_kill",
	.stat = {STAT("anon", anon), STAT("file", cache), STAT("shmem", shmem),
		 STAT("kernel", kernel), STAT("kernel_stack", kernel_stack),
		 STAT("pagetables", page_tables), STAT("slab", slab), STAT("sock", sock),
		 STAT("percpu", percpu)},
	.stat_count = 9,
};

int cgroup_version(const struct cgroup *g)
{
	return g->files ? g->files->version : 0;
}

/* Is `word` one of the words of a comma list that ends at `end`? */
static int lists(const char *list, const char *end, const char *word)
{
	size_t size = strlen(word);

	for (const char *p = list; p < end; p++) {
		size_t n = strcspn(p, ",:\n ");

		if (n == size && !memcmp(p, word, size))
			return 1;
		p += n;
	}
	return 0;
}

/* The line "ID:CONTROLLERS:PATH" of the memory controller; version 1 is asked first, as in a hybrid
 * hierarchy version 2 has no memory controller. */
static int find_name(struct cgroup *g, const char *text, const struct cgroup_files *files)
{
	for (const char *line = text; *line;) {
		const char *end = strchrnul(line, '\n');
		const char *controllers = memchr(line, ':', (size_t)(end - line));
		const char *path =
			controllers ? memchr(controllers + 1, ':', (size_t)(end - controllers - 1))
				    : NULL;

		if (path && (files->version == 1 ? lists(controllers + 1, path, "memory")
						 : path == controllers + 1 && *line == '0')) {
			if (end - path - 1 >= (int)sizeof(g->name))
				return -ENOENT;
			snprintf(g->name, sizeof(g->name), "%.*s", (int)(end - path - 1), path + 1);
			return 0;
		}
		line = *end ? end + 1 : end;
	}
	return -ENOENT;
}

/* mountinfo: ID PARENT DEV ROOT MOUNTPOINT OPTIONS [TAGS...] - TYPE SOURCE SUPEROPTIONS */
static int find_mount(struct cgroup *g, const char *line, const struct cgroup_files *files)
{
	char root[PATH_MAX], point[PATH_MAX], type[32], options[512];
	const char *below = g->name, *dash = strstr(line, " - ");
	const char *end = strchrnul(line, '\n');

	_Static_assert(PATH_MAX == 4096, "widths below");
	if (!dash || dash > end || sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2 ||
	    sscanf(dash, " - %31s %*s %511s", type, options) != 2)
		return -ENOENT;
	if (strcmp(type, files->version == 1 ? "cgroup" : "cgroup2"))
		return -ENOENT;
	if (files->version == 1 && !lists(options, options + strlen(options), "memory"))
		return -ENOENT;
	if (strcmp(root, "/")) { /* a part of the tree is mounted: a container */
		size_t n = strlen(root);

		if (!strncmp(below, root, n) && (below[n] == '/' || !below[n]))
			below += n;
		else
			below = "";
	}
	g->mount_length = strlen(point);
	if ((size_t)snprintf(g->directory, sizeof(g->directory), "%s%s", point,
			     strcmp(below, "/") ? below : "") >= sizeof(g->directory))
		return -ENOENT;
	return 0;
}

static int locate_version(struct cgroup *g, const char *cgroup, const char *mountinfo,
			  const struct cgroup_files *files)
{
	if (find_name(g, cgroup, files))
		return -ENOENT;
	for (const char *line = mountinfo; *line;) {
		const char *end = strchrnul(line, '\n');

		if (!find_mount(g, line, files)) {
			g->files = files;
			return 0;
		}
		line = *end ? end + 1 : end;
	}
	return -ENOENT;
}

int cgroup_locate(struct cgroup *g, const char *cgroup, const char *mountinfo)
{
	*g = (struct cgroup){.current_fd = -1, .stat_fd = -1, .events_fd = -1, .kernel_fd = -1};
	if (!locate_version(g, cgroup, mountinfo, &version1))
		return 0;
	return locate_version(g, cgroup, mountinfo, &version2);
}

static int open_at(const char *directory, const char *name)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return open(path, O_RDONLY | O_CLOEXEC);
}

int cgroup_open(struct cgroup *g, pid_t pid)
{
	struct proc_text mounts = {0};
	char text[PATH_MAX + 1024];
	int found = -ENOENT;

	*g = (struct cgroup){.current_fd = -1, .stat_fd = -1, .events_fd = -1, .kernel_fd = -1};
	if (proc_read(pid, "cgroup", text, sizeof(text)) > 0 &&
	    !proc_text_read(&mounts, pid, "mountinfo", 4 << 20))
		found = cgroup_locate(g, text, mounts.data);
	proc_text_release(&mounts);
	if (found)
		return -ENOENT;
	g->current_fd = open_at(g->directory, g->files->current);
	g->stat_fd = open_at(g->directory, "memory.stat");
	g->events_fd = open_at(g->directory, g->files->events);
	if (g->files->kernel)
		g->kernel_fd = open_at(g->directory, g->files->kernel);
	return 0;
}

void cgroup_close(struct cgroup *g)
{
	int fds[] = {g->current_fd, g->stat_fd, g->events_fd, g->kernel_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	*g = (struct cgroup){.current_fd = -1, .stat_fd = -1, .events_fd = -1, .kernel_fd = -1};
}

static int read_text(int fd, char *text, size_t size)
{
	ssize_t n = fd < 0 ? -1 : pread(fd, text, size - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* A number of bytes, or "max" and what counts as none. */
static int64_t parse_bytes(const char *text)
{
	char *end;
	int64_t value = strtoll(text, &end, 10);

	return end == text ? CGROUP_UNKNOWN : value;
}

static int64_t read_bytes(int fd)
{
	char text[64];

	return read_text(fd, text, sizeof(text)) ? parse_bytes(text) : CGROUP_UNKNOWN;
}

static int64_t known(int64_t value)
{
	return value == KEYED_ABSENT ? 0 : value;
}

static void read_stat(const struct cgroup *g, struct stat_fields *s)
{
	static const struct stat_fields absent = {KEYED_ABSENT, KEYED_ABSENT, KEYED_ABSENT,
						  KEYED_ABSENT, KEYED_ABSENT, KEYED_ABSENT,
						  KEYED_ABSENT, KEYED_ABSENT, KEYED_ABSENT,
						  KEYED_ABSENT};
	char text[8192];

	*s = absent;
	if (read_text(g->stat_fd, text, sizeof(text)))
		keyed_text_parse(text, g->files->stat, g->files->stat_count, s);
}

static int64_t read_oom_kills(const struct cgroup *g)
{
	struct keyed_field field = {g->files->oom_key, 0};
	int64_t kills = CGROUP_UNKNOWN;
	char text[1024];

	if (read_text(g->events_fd, text, sizeof(text)))
		keyed_text_parse(text, &field, 1, &kills);
	return kills;
}

/* Kernel memory: a file of its own (v1), one key (v2 since 5.18), or the sum of its parts. */
static int64_t kernel_bytes(const struct cgroup *g, const struct stat_fields *s)
{
	if (g->files->kernel)
		return read_bytes(g->kernel_fd);
	if (s->kernel != KEYED_ABSENT)
		return s->kernel;
	if (s->slab == KEYED_ABSENT)
		return CGROUP_UNKNOWN;
	return s->slab + known(s->kernel_stack) + known(s->page_tables) + known(s->sock) +
	       known(s->percpu);
}

int cgroup_read(const struct cgroup *g, struct cgroup_memory *out)
{
	struct stat_fields s;

	*out = (struct cgroup_memory){CGROUP_UNKNOWN, CGROUP_UNKNOWN, CGROUP_UNKNOWN,
				      CGROUP_UNKNOWN, CGROUP_UNKNOWN, CGROUP_UNKNOWN};
	if (!g->files)
		return -ENOENT;
	read_stat(g, &s);
	out->current = read_bytes(g->current_fd);
	out->anon = s.anon;
	out->shmem = s.shmem;
	out->file = s.cache == KEYED_ABSENT ? CGROUP_UNKNOWN : s.cache - known(s.shmem);
	out->kernel = kernel_bytes(g, &s);
	out->oom_kills = read_oom_kills(g);
	return out->current == CGROUP_UNKNOWN ? -ENOENT : 0;
}

static int64_t tighter(int64_t a, int64_t b)
{
	if (a == CGROUP_UNKNOWN || (b != CGROUP_UNKNOWN && b < a))
		return b;
	return a;
}

int64_t cgroup_limit(const struct cgroup *g)
{
	/* v1 says "no limit" as the largest multiple of a page */
	const int64_t none = INT64_MAX / 2;
	char directory[PATH_MAX];
	struct stat_fields s;
	int64_t limit = CGROUP_UNKNOWN;

	if (!g->files)
		return CGROUP_UNKNOWN;
	memcpy(directory, g->directory, sizeof(directory));
	for (;;) {
		int fd = open_at(directory, g->files->limit);
		char *slash = strrchr(directory, '/');

		limit = tighter(limit, read_bytes(fd));
		if (fd >= 0)
			close(fd);
		if (!slash || (size_t)(slash - directory) < g->mount_length)
			break;
		*slash = '\0';
	}
	read_stat(g, &s);
	limit = tighter(limit, s.hierarchical_limit == KEYED_ABSENT ? CGROUP_UNKNOWN
								    : s.hierarchical_limit);
	return limit >= none ? CGROUP_UNKNOWN : limit;
}

struct stranger_search {
	int (*is_ours)(pid_t, void *);
	void *arg;
	struct cgroup_strangers *out;
};

static void look_at(pid_t pid, const struct stranger_search *search)
{
	struct proc_statm statm;
	char text[256];

	if (search->is_ours(pid, search->arg))
		return;
	search->out->processes++;
	if (pid > 0 && proc_read(pid, "statm", text, sizeof(text)) > 0 &&
	    !proc_statm_parse(text, sysconf(_SC_PAGESIZE), &statm))
		search->out->rss_bytes += statm.rss_bytes;
}

static int search_directory(const char *directory, const struct stranger_search *search, int depth)
{
	int fd = open_at(directory, "cgroup.procs");
	FILE *procs = fd < 0 ? NULL : fdopen(fd, "r");
	struct dirent *entry;
	DIR *dir;
	int pid;

	if (!procs)
		return fd < 0 ? -errno : (close(fd), -ENOMEM);
	while (fscanf(procs, "%d", &pid) == 1)
		look_at(pid, search);
	fclose(procs);
	dir = depth ? opendir(directory) : NULL;
	while (dir && (entry = readdir(dir))) {
		char below[PATH_MAX];

		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    (size_t)snprintf(below, sizeof(below), "%s/%s", directory, entry->d_name) <
			    sizeof(below))
			search_directory(below, search, depth - 1);
	}
	if (dir)
		closedir(dir);
	return 0;
}

int cgroup_strangers(const struct cgroup *g, int (*is_ours)(pid_t, void *), void *arg,
		     struct cgroup_strangers *out)
{
	const struct stranger_search search = {.is_ours = is_ours, .arg = arg, .out = out};
	enum { DEPTH = 8 };

	*out = (struct cgroup_strangers){0};
	return g->files ? search_directory(g->directory, &search, DEPTH) : -ENOENT;
}
