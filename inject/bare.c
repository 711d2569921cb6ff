/*
 * bare.c: where the segments of a bare preload go, and who starts the collector: whoever makes the
 * directory.
 */
#include "inject/bare.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "inject/collector.h"
#include "inject/identity.h"
#include "inject/segment_file.h"
#include "inject/self.h"
#include "inject/text.h"

enum { ROOM_BYTES = 16 << 20 }; /* for 100 processes */

static const char plan_variable[] = "LOOPMEM_PLAN";

/* Written at start. The name is that of `loopmem run`'s directories, which clears away those whose
 * process has ended. */
static char plan[PATH_MAX];
static bool is_announced;

static bool has_room(const char *base)
{
	struct statvfs fs;

	return base && base[0] == '/' && access(base, W_OK | X_OK) == 0 &&
	       statvfs(base, &fs) == 0 && fs.f_bavail * fs.f_frsize >= ROOM_BYTES;
}

static const char *find_base(void)
{
	const char *bases[] = {secure_getenv("XDG_RUNTIME_DIR"), "/dev/shm", "/tmp"};

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
		if (has_room(bases[i]))
			return bases[i];
	return NULL;
}

static void make_plan(const char *base)
{
	struct text text = text_into(plan, sizeof(plan));

	text_put(&text, base);
	text_put(&text, "/loopmem-run-");
	text_put_number(&text, (uint64_t)getpid(), 10);
	text_put_char(&text, '-');
	text_put_number(&text, identity_start_ticks(), 10);
	text_put_char(&text, '-');
	text_put_number(&text, self_now_ns(), 16);
}

const char *bare_plan(void)
{
	const char *collect = secure_getenv("LOOPMEM_COLLECT");
	const char *given = secure_getenv(plan_variable), *base;
	int saved = errno;

	if (collect && !strcmp(collect, "0"))
		return NULL;
	is_announced = given && *given && strlen(given) < sizeof(plan);
	base = is_announced ? NULL : find_base();
	if (is_announced)
		text_copy(plan, sizeof(plan), given);
	else if (base)
		make_plan(base);
	errno = saved;
	return plan[0] ? plan : NULL;
}

void bare_announce(void)
{
	if (plan[0] && !is_announced)
		is_announced = setenv(plan_variable, plan, 1) == 0;
}

bool bare_begin(void)
{
	bare_announce();
	if (mkdir(plan, 0700) < 0)
		return errno == EEXIST && segment_directory_is_private(plan);
	if (collector_start(plan))
		return true;
	rmdir(plan);
	return false;
}
