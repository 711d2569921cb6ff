/* Looking at processes through /proc. */
#include "tests/unit/reference/processes.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned count(pid_t pid, const char *target_prefix, size_t *bytes)
{
	char path[64], file[400], target[128];
	unsigned found = 0;
	struct dirent *entry;
	struct stat object;
	DIR *directory;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		ssize_t length;

		snprintf(file, sizeof(file), "%s/%s", path, entry->d_name);
		length = readlink(file, target, sizeof(target) - 1);
		if (length < 0)
			continue;
		target[length] = '\0';
		if (strncmp(target, target_prefix, strlen(target_prefix)) || stat(file, &object))
			continue;
		found++;
		if (bytes)
			*bytes += (size_t)object.st_blocks * 512;
	}
	if (directory)
		closedir(directory);
	return found;
}

unsigned count_descriptors(pid_t pid)
{
	return count(pid, "", NULL);
}

unsigned count_memory_objects(pid_t pid, size_t *bytes)
{
	*bytes = 0;
	return count(pid, "/memfd:", bytes);
}

int has_children(void)
{
	siginfo_t info;

	return !(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD);
}

int is_alive(pid_t pid)
{
	return kill(pid, 0) == 0;
}
