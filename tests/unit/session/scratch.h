/* Files and small sessions for the session's tests, under TEST_TMP. */
#ifndef TESTS_UNIT_SESSION_SCRATCH_H
#define TESTS_UNIT_SESSION_SCRATCH_H

#include <stddef.h>

#include "profiler/session/session.h"

/* The path of NAME in the scratch directory; valid until the next but seven call. */
const char *scratch_path(const char *name);
void scratch_write(const char *path, const void *bytes, size_t length);

/* A new writer on `path`; the test fails when it cannot be made. */
struct session_writer *scratch_create(const char *path);
void scratch_close(struct session_writer *w);
struct session_reader *scratch_open(const char *path);

/* Rows with every field filled with something of its own, from `seed`. */
struct session_process scratch_process(int64_t id);
struct session_pool scratch_pool(int64_t id);

/* Writes `rounds` rounds of samples of one process, 100 ms apart from 0 on, rss = 1000 + round;
 * flushes after each. */
void scratch_samples(struct session_writer *w, int rounds);

/* Counts the samples of `r` after `since_ns`. */
int64_t scratch_count_samples(struct session_reader *r, int64_t since_ns);

#endif
