/* Kinds of file systems, with the table of those on a network, and the files of a database. */
#include "profiler/session/filesystem.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

static const struct {
	unsigned long type;
	const char *name;
} network[] = {
#define FILESYSTEM(type, name) {type, name},
#include "profiler/session/filesystem.def"
#undef FILESYSTEM
};

unsigned long session_filesystem_type(const char *path)
{
	struct statfs fs;

	/* 32 bits everywhere; signed on some machines */
	return statfs(path, &fs) ? 0 : (unsigned long)fs.f_type & 0xffffffffUL;
}

const char *session_filesystem_network_name(unsigned long type)
{
	for (size_t i = 0; i < sizeof(network) / sizeof(network[0]); i++)
		if (network[i].type == type)
			return network[i].name;
	return NULL;
}

const char *session_filesystem_temporary(session_filesystem_fn *type)
{
	const char *const candidates[] = {getenv("TMPDIR"), "/tmp", "/var/tmp"};

	for (size_t i = 0; i < sizeof(candidates) / sizeof(candidates[0]); i++)
		if (candidates[i] && candidates[i][0] && !access(candidates[i], W_OK | X_OK) &&
		    !session_filesystem_network_name(type(candidates[i])))
			return candidates[i];
	return NULL;
}

void session_filesystem_remove(const char *database)
{
	static const char *const endings[] = {"", "-wal", "-shm", "-journal"};
	char name[PATH_MAX];

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (snprintf(name, sizeof(name), "%s%s", database, endings[i]) < (int)sizeof(name))
			unlink(name);
}
