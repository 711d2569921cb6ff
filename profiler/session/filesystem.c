/* Kinds of file systems: the table of those on a network. */
#include "profiler/session/filesystem.h"

#include <stddef.h>
#include <sys/vfs.h>

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
