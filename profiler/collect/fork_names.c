/* Lines of forks: see the header. */
#include "profiler/collect/fork_names.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each costs a process that reads debug information. */
enum { MOST_NAMED = 64 };

void fork_names_release(struct fork_names *names)
{
	array_release(&names->known);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* The file of that name among those that the process has mapped. */
static int find_mapped(char path[PATH_MAX], pid_t pid, const char *name)
{
	char file[64], line[PATH_MAX + 128], *start;
	FILE *maps;
	int found = 0;

	snprintf(file, sizeof(file), "/proc/%d/maps", (int)pid);
	maps = fopen(file, "re");
	while (maps && !found && fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		start = strchr(line, '/');
		found = start && strlen(start) < PATH_MAX && !strcmp(base_of(start), name);
		if (found)
			strcpy(path, start);
	}
	if (maps)
		fclose(maps);
	return found;
}

/* A program may be called by another name than its file has. */
static int find_file(char path[PATH_MAX], pid_t pid, const char *name)
{
	char file[64];
	ssize_t n;

	if (find_mapped(path, pid, name))
		return 1;
	snprintf(file, sizeof(file), "/proc/%d/exe", (int)pid);
	n = readlink(file, path, PATH_MAX - 1);
	path[n > 0 ? n : 0] = '\0';
	return n > 0;
}

/* The innermost function comes first: it has the call. */
static void take_name(void *arg, size_t index, const struct sites_symbol *symbol)
{
	struct fork_name *name = arg;
	char module[LOOPMEM_TEXT];

	(void)index;
	if (strcmp(name->text, name->site) != 0)
		return;
	if (symbol->file && symbol->line) {
		snprintf(name->text, sizeof(name->text), "%s:%d", base_of(symbol->file),
			 symbol->line);
	} else if (symbol->function) {
		snprintf(module, sizeof(module), "%.*s", (int)strcspn(name->site, "+"), name->site);
		snprintf(name->text, sizeof(name->text), "%.20s() of %.12s", symbol->function,
			 module);
	}
}

static void find_name(struct fork_name *name, sites_resolve_fn *resolve, pid_t pid)
{
	const char *plus = strstr(name->site, "+0x");
	char module[LOOPMEM_TEXT], path[PATH_MAX];
	uint64_t address;

	if (!plus || !resolve)
		return;
	snprintf(module, sizeof(module), "%.*s", (int)(plus - name->site), name->site);
	address = strtoull(plus + 1, NULL, 16);
	if (find_file(path, pid, module))
		resolve(
			&(struct sites_question){
				.path = path, .addresses = &address, .count = 1, .hurry = 1},
			take_name, name);
}

const char *fork_names_of(struct fork_names *names, const struct process *child)
{
	struct fork_name *name;

	for (size_t i = 0; i < names->known.count; i++)
		if (!strcmp(names->known.items[i].site, child->fork_site))
			return names->known.items[i].text;
	name = names->known.count < MOST_NAMED ? array_add(&names->known) : NULL;
	if (!name)
		return child->fork_site;
	memcpy(name->site, child->fork_site, sizeof(name->site));
	memcpy(name->text, child->fork_site, sizeof(name->text));
	find_name(name, names->resolve, child->pid);
	return name->text;
}
