/*
 * writer.h: the writer's state, for the files of this folder that write.
 */
#ifndef PROFILER_SESSION_WRITER_H
#define PROFILER_SESSION_WRITER_H

#include "profiler/session/place.h"
#include "profiler/session/redo.h"
#include "profiler/session/session.h"
#include "profiler/session/tables.h"

/* How far rows were thinned to one length of span, and what is needed to go on from there: for each
 * process the anonymous bytes of its last sample and what its last rollup had beyond them. */
struct session_thinning {
	int64_t span_ns, until_ns;
	int64_t unmapped_bytes; /* shared memory in no process's Pss, last seen */
	struct session_thinning_process {
		int64_t anon_bytes, beyond_anon_bytes;
	} * processes; /* by process id */
	size_t process_count;
};

struct session_writer {
	sqlite3 *db;
	struct session_place place;
	sqlite3_stmt *insert[SESSION_TABLES];
	sqlite3_stmt *put_meta, *add_note;
	int in_transaction;
	int64_t pending_rows; /* in the open transaction, those that `redo` keeps apart */
	int64_t lost_rows;
	struct session_redo redo; /* not committed yet */
	int64_t retry_ns; /* CLOCK_MONOTONIC: after a failure nothing is tried before; 0 = all is
			     well */
	int64_t next_sync_ns; /* the same clock: no copy to another place before */
	int failed;
	struct error failure;               /* the oldest since the last flush, when `failed` */
	struct session_thinning *thinnings; /* one each length of span */
	size_t thinning_count;
};

/* Fills `e` with why SQLite failed, in the system's words where the system refused. To be called
 * right after the failure. Returns ERROR_SYSTEM. */
int session_writer_error(struct session_writer *w, int rc, struct error *e);

int64_t session_now_ns(void); /* CLOCK_MONOTONIC */

/* session_create, with the kinds of file systems as `type` tells them. */
int session_create_on(struct session_writer **out, const char *file, int overwrite,
		      session_filesystem_fn *type, struct error *e);

void session_thinnings_free(struct session_writer *w);

#endif
