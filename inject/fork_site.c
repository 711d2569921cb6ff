/*
 * fork_site.c: the caller of a fork, by the loaded object that it lies in; Python says its own line before.
 */
#include "inject/fork_site.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "inject/text.h"

/* Weak: it came with glibc 2.35. Before, the loader only answers under its lock. */
extern int _dl_find_object(void *address, struct dl_find_object *found) __attribute__((weak));

/* What Python said last, for the thread `by`; 0 = nothing. With the GIL, which is held over the fork. */
static struct {
	pid_t by;
	struct fork_site site;
} announced;

static void describe(struct text *text, const void *caller)
{
	struct dl_find_object found;
	const char *path, *slash;
	uintptr_t call = (uintptr_t)caller - 1; /* it returns behind the call */

	if (!_dl_find_object || _dl_find_object((void *)call, &found))
		return;
	path = found.dlfo_link_map->l_name;
	if (!path || !*path)
		path = program_invocation_short_name; /* the main program has no name */
	slash = strrchr(path, '/');
	text_put(text, slash ? slash + 1 : path);
	text_put(text, "+0x");
	text_put_number(text, call - found.dlfo_link_map->l_addr, 16);
}

void fork_site_find(struct fork_site *site, const void *caller)
{
	struct text text = text_into(site->text, sizeof(site->text));

	site->claimed = false;
	if (announced.by && announced.by == gettid())
		*site = announced.site;
	else
		describe(&text, caller);
}

void fork_site_announce(const struct fork_site *site)
{
	announced.by = site ? gettid() : 0;
	if (site)
		announced.site = *site;
}
