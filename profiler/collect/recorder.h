/*
 * recorder.h: the collector's pen: the session it writes, the clock that session runs on, the tally
 * of its own work, and the notes that a person should see after the run.
 */
#ifndef PROFILER_COLLECT_RECORDER_H
#define PROFILER_COLLECT_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/session/session.h"

enum { RECORDER_NOTES = 64 };

struct recorder_note {
	char *text;
	char level[8];
	int64_t count;
};

struct recorder {
	struct session_writer *session;
	int64_t clock_ns;       /* CLOCK_MONOTONIC when the session began */
	int64_t rounds;         /* taken */
	int64_t skipped;        /* walks that were due and left out for their cost */
	int64_t dropped_events; /* of the shim's rings */
	int64_t walks, walk_wall_ns;
	struct recorder_note notes[RECORDER_NOTES]; /* one each, the first RECORDER_NOTES kinds */
	size_t note_count;
};

/* Nanoseconds since the session began, now and of a moment of CLOCK_MONOTONIC (SESSION_NULL for
 * 0). */
int64_t recorder_now(const struct recorder *r);
int64_t recorder_time(const struct recorder *r, uint64_t monotonic_ns);

/* The same of a moment that a process told: 0 or later than now is taken for now. */
int64_t recorder_past(const struct recorder *r, uint64_t monotonic_ns);

/* Adds a note to the session and to the list. Levels: "warning" (people see it after the run) and
 * "notice". */
void recorder_note(struct recorder *r, const char *level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes the tally and the cost of this process so far to meta. */
void recorder_put_overhead(struct recorder *r, int64_t started_cpu_ns);

/* Does not close the session. */
void recorder_release(struct recorder *r);

#endif
