/*
 * place.h: where a session is written: the policy of what may be replaced, and the making of the
 * file.
 */
#ifndef PROFILER_SESSION_PLACE_H
#define PROFILER_SESSION_PLACE_H

#include <sys/types.h>

#include "profiler/error.h"

struct session_place {
	char *name; /* as the person gave it: for messages */
	char *path; /* absolute, no symbolic link in it; the file itself exists and is new */
	dev_t device;
	ino_t inode;
};

/* Makes FILE anew, empty, mode 0600. On failure nothing is to be released. */
int session_place_make(struct session_place *place, const char *file, int overwrite,
		       struct error *e);
void session_place_release(struct session_place *place);

/* 1 when the file made is no longer the one at its path: removed, renamed or replaced. */
int session_place_gone(const struct session_place *place);

#endif
