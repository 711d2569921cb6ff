/* The search for debug information, without the library that downloads it: see the header. */
#include "profiler/symbols/debug_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int may_download(void)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	return urls && *urls;
}

/* Is there a file of the link's name where one of that program or library may be? */
static int is_near(const char *file, const char *link)
{
	static const struct {
		const char *before, *after; /* its directory */
	} places[] = {{"", ""}, {"", "/.debug"}, {"/usr/lib/debug", ""}};
	const char *slash = strrchr(file, '/');
	char path[PATH_MAX];

	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s%.*s%s/%s", places[i].before,
				     (int)(slash - file), file, places[i].after,
				     link) < sizeof(path) &&
		    !access(path, R_OK))
			return 1;
	return 0;
}

/* The file may be reached by symbolic links, and its debug information lie where it really is. */
static int is_near_either(const char *file, const char *link)
{
	char *real;
	int found = is_near(file, link);

	if (found)
		return 1;
	real = realpath(file, NULL);
	found = real && is_near(real, link);
	free(real);
	return found;
}

int debug_file_find(Dwfl_Module *module, void **user_data, const char *module_name, Dwarf_Addr base,
		    const char *file, const char *link, GElf_Word link_crc, char **found)
{
	int fd = dwfl_build_id_find_debuginfo(module, user_data, module_name, base, file, link,
					      link_crc, found);

	if (fd >= 0 || !file || (!may_download() && (!link || !is_near_either(file, link))))
		return fd;
	return dwfl_standard_find_debuginfo(module, user_data, module_name, base, file, link,
					    link_crc, found);
}
