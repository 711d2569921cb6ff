/*
 * running.h: the sessions that are being written now by this user's collectors. They are found by looking: processes of
 * the loopmem program of this user that hold a session open for writing (a file whose write-ahead log beside it, NAME-wal, is
 * open too). No registry is kept, so none can be stale.
 */
#ifndef TUI_RUNNING_H
#define TUI_RUNNING_H

#include <stdint.h>

struct running {
	int pid; /* of the collector */
	int64_t age_s;
	char *file, *command; /* command: what it profiles */
};

struct running_list {
	struct running *sessions;
	int count;
};

/* Replaces the list, oldest collector first. What cannot be read is left out. */
void running_find(struct running_list *list);
void running_release(struct running_list *list);

#endif
