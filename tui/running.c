/* Finding running sessions in /proc; see running.h. */
#include "tui/running.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FILES_MAX = 128, COMMAND_MAX = 512 };

/* 1 when /proc/PID/fd/FD is open for writing. */
static int is_written(int pid, const char *fd)
{
	char path[64], line[128];
	unsigned flags = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	in = fopen(path, "re");
	if (!in)
		return 0;
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	fclose(in);
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* The regular files a process has open for writing; returns how many. */
static int open_files(int pid, char *files[FILES_MAX])
{
	char path[300], target[PATH_MAX];
	struct dirent *entry;
	int count = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (dir && count < FILES_MAX && (entry = readdir(dir))) {
		ssize_t length;

		snprintf(path, sizeof(path), "/proc/%d/fd/%s", pid, entry->d_name);
		length = readlink(path, target, sizeof(target) - 1);
		if (length <= 0 || *target != '/' || !is_written(pid, entry->d_name))
			continue;
		target[length] = '\0';
		files[count] = strdup(target);
		count += files[count] != NULL;
	}
	if (dir)
		closedir(dir);
	return count;
}

/* The file whose write-ahead log is open too. */
static char *session_of(int pid)
{
	char *files[FILES_MAX], *found = NULL;
	int count = open_files(pid, files);

	for (int i = 0; i < count && !found; i++) {
		size_t length = strlen(files[i]);

		for (int k = 0; k < count && !found; k++)
			if (!strncmp(files[k], files[i], length) &&
			    !strcmp(files[k] + length, "-wal"))
				found = strdup(files[i]);
	}
	for (int i = 0; i < count; i++)
		free(files[i]);
	return found;
}

static int is_loopmem(int pid)
{
	char path[64], target[PATH_MAX];
	struct stat status;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (pid == getpid() || stat(path, &status) || status.st_uid != getuid())
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return 0;
	target[length] = '\0';
	return strstr(target, "/loopmem") != NULL;
}

/* The words after "--", or after `run` and its options. */
static char *command_of(int pid)
{
	char path[64], words[COMMAND_MAX], *out;
	size_t length, from = 0;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	in = fopen(path, "re");
	if (!in)
		return strdup("");
	length = fread(words, 1, sizeof(words) - 1, in);
	fclose(in);
	words[length] = '\0';
	for (size_t at = 0; at < length; at += strlen(words + at) + 1)
		if (!strcmp(words + at, "--")) {
			from = at + 3;
			break;
		}
	for (size_t at = from; at + 1 < length; at++)
		if (!words[at])
			words[at] = ' ';
	out = strdup(from < length ? words + from : "");
	return out;
}

/* Seconds since the process began: field 22 of its stat. */
static int64_t age_of(int pid)
{
	char path[64], line[1024], *at;
	unsigned long long ticks = 0;
	struct timespec now;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	in = fopen(path, "re");
	if (!in)
		return 0;
	at = fgets(line, sizeof(line), in) ? strrchr(line, ')') : NULL;
	fclose(in);
	if (!at ||
	    sscanf(at + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		   &ticks) != 1)
		return 0;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec - (int64_t)(ticks / (unsigned long long)sysconf(_SC_CLK_TCK));
}

static void add(struct running_list *list, int pid, char *file)
{
	struct running *sessions =
		reallocarray(list->sessions, (size_t)list->count + 1, sizeof(*sessions));

	if (!sessions) {
		free(file);
		return;
	}
	list->sessions = sessions;
	sessions[list->count].command = command_of(pid);
	sessions[list->count].file = file;
	sessions[list->count].pid = pid;
	sessions[list->count].age_s = age_of(pid);
	if (sessions[list->count].command)
		list->count++;
	else
		free(file);
}

static int by_age(const void *left, const void *right)
{
	const struct running *a = left, *b = right;

	return a->age_s != b->age_s ? (a->age_s < b->age_s ? 1 : -1)
				    : (a->pid > b->pid) - (a->pid < b->pid);
}

void running_find(struct running_list *list)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc");

	running_release(list);
	while (dir && (entry = readdir(dir))) {
		int pid = atoi(entry->d_name);
		char *file;

		if (pid <= 0 || !is_loopmem(pid))
			continue;
		file = session_of(pid);
		if (file)
			add(list, pid, file);
	}
	if (dir)
		closedir(dir);
	if (list->count)
		qsort(list->sessions, (size_t)list->count, sizeof(*list->sessions), by_age);
}

void running_release(struct running_list *list)
{
	for (int i = 0; i < list->count; i++) {
		free(list->sessions[i].file);
		free(list->sessions[i].command);
	}
	free(list->sessions);
	memset(list, 0, sizeof(*list));
}
