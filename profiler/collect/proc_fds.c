/* Descriptors of a process: see the header. */
#include "profiler/collect/proc_fds.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/collect/proc_file.h"

int64_t proc_fds_list(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;
	int64_t count = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

/* The size of the directory is the number of descriptors since Linux 6.2; 0 before. */
int64_t proc_fds_count(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	if (stat(path, &st))
		return -1;
	return st.st_size > 0 ? (int64_t)st.st_size : proc_fds_list(pid);
}

int64_t proc_fds_parse_limit(const char *limits)
{
	static const char name[] = "Max open files";
	const char *line = strstr(limits, name);
	int64_t soft;

	return line && sscanf(line + strlen(name), "%" SCNd64, &soft) == 1 ? soft : -1;
}

int64_t proc_fds_limit(pid_t pid)
{
	char text[2048];

	return proc_read(pid, "limits", text, sizeof(text)) > 0 ? proc_fds_parse_limit(text) : -1;
}
