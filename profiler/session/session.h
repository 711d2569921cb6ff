/*
 * session.h: the session file, a SQLite database (schema.sql, docs/session-format.md). The only
 * user of sqlite3.
 *
 * The writer batches rows in one open transaction and commits at most every 200 ms (session_flush),
 * so that a SIGKILL of the collector loses at most that. Readers use WAL snapshots: they never
 * block the writer. Neither struct may be used by two threads at once.
 *
 * Units: *_ns nanoseconds since the session began, *_bytes bytes. SESSION_NULL in an integer field
 * is SQL NULL.
 */
#ifndef PROFILER_SESSION_H
#define PROFILER_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/error.h"

#define SESSION_APPLICATION_ID 0x6c6d656d /* "lmem" */
#define SESSION_VERSION        4
#define SESSION_NULL           INT64_MIN

struct session_process {
	int64_t id, pid, start_ticks, parent; /* parent SESSION_NULL = root */
	const char *role, *cmdline;
	int64_t instrumented, born_ns, ended_ns, exit_code, exit_signal;
	const char *allocator, *python, *python_state, *python_reason; /* NULL allowed */
	int64_t inherited_live_bytes, shared_at_fork_bytes, rank, fd_limit;
};

struct session_pool {
	int64_t id, owner, owner_pool;
	const char *stage;
	int64_t epoch;
	const char *label, *dataset, *origin, *start_method;
	int64_t workers, batch_size, prefetch, persistent, stateful, named, guessed, grouped;
	int64_t expected_batches, batches, stall_ns;
	int64_t begin_ns, first_batch_ns, last_batch_ns, exhausted_ns, end_ns;
	int64_t alloc_bytes, free_bytes;
};

struct session_pool_worker {
	int64_t pool, process, worker_id;
};

struct session_event {
	int64_t id, t_ns;
	const char *kind;
	int64_t process, pool, value, value2;
	const char *text;
};

struct session_sample {
	int64_t t_ns, process, rss_bytes, anon_bytes, n;
};

struct session_detail {
	int64_t t_ns, process;
	int64_t anon_bytes, file_bytes, shmem_bytes, swap_bytes, page_table_bytes, locked_bytes;
	int64_t minor_faults, cpu_ticks, voluntary_switches, threads, fds;
	const char *state, *wchan;
};

struct session_rollup {
	int64_t t_ns, process;
	int64_t rss_bytes, pss_bytes, pss_anon_bytes, pss_file_bytes, pss_shmem_bytes;
	int64_t shared_clean_bytes, shared_dirty_bytes, private_clean_bytes, private_dirty_bytes;
	int64_t anonymous_bytes, anon_huge_bytes, swap_bytes, swap_pss_bytes;
	int64_t minor_faults, wall_ns, edge;
};

struct session_heap {
	int64_t t_ns, process;
	int64_t alloc_bytes, allocs, free_bytes, frees, inherited_free_bytes;
	int64_t map_anon_bytes, map_shared_bytes, map_file_bytes;
};

struct session_shm {
	int64_t t_ns, creator;
	const char *class_name;
	int64_t objects, bytes, unmapped_bytes;
};

struct session_system {
	int64_t t_ns, limit_bytes, current_bytes, anon_bytes, shmem_bytes, file_bytes, kernel_bytes,
		oom_kills;
	int64_t available_bytes, machine_shmem_bytes, n;
};

struct session_module {
	int64_t id;
	const char *path, *build_id;
};

struct session_frame {
	int64_t id, module, address, native;
};

struct session_symbol {
	int64_t frame, depth;
	const char *function, *file;
	int64_t line;
};

struct session_stack {
	int64_t id, parent, frame;
};

struct session_site {
	int64_t id, process, owner_pool, stack, mapped;
	const char *stage;
};

struct session_site_sample {
	int64_t t_ns, site, live_bytes, live_blocks, alloc_bytes, alloc_blocks, edge_live_bytes;
};

struct session_note {
	const char *text, *level;
	int64_t count, first_ns;
};

/* ---- writer (collector only) ---- */

struct session_writer;

/* Makes FILE anew, mode 0600. What is there is replaced when it is a complete session of ours, or
 * any session of ours and `overwrite` is set, or an empty file; anything else is refused, symbolic
 * links too. On a network file system the database is kept in a private local directory and copied
 * to FILE by session_sync and session_close. */
int session_create(struct session_writer **out, const char *file, int overwrite, struct error *e);

/* Sets meta.key. The keys are listed in docs/session-format.md. */
void session_put_text(struct session_writer *w, const char *key, const char *value);
void session_put_int(struct session_writer *w, const char *key, int64_t value);

/* Insert or replace by primary key. Strings are copied. When writing fails (disk full), samples,
 * details, rollups, heaps, shm, system and site_sample rows are lost and counted; all others are kept and
 * written as soon as there is room. It is tried again once a second; session_flush tells. */
void session_put_process(struct session_writer *w, const struct session_process *row);
void session_put_pool(struct session_writer *w, const struct session_pool *row);
void session_put_pool_worker(struct session_writer *w, const struct session_pool_worker *row);
void session_put_event(struct session_writer *w, const struct session_event *row); /* id ignored */
void session_put_sample(struct session_writer *w, const struct session_sample *row);
void session_put_detail(struct session_writer *w, const struct session_detail *row);
void session_put_rollup(struct session_writer *w, const struct session_rollup *row);
void session_put_heap(struct session_writer *w, const struct session_heap *row);
void session_put_shm(struct session_writer *w, const struct session_shm *row);
void session_put_system(struct session_writer *w, const struct session_system *row);
void session_put_module(struct session_writer *w, const struct session_module *row);
void session_put_frame(struct session_writer *w, const struct session_frame *row);
void session_put_symbol(struct session_writer *w, const struct session_symbol *row);
void session_put_stack(struct session_writer *w, const struct session_stack *row);
void session_put_site(struct session_writer *w, const struct session_site *row);
void session_put_site_sample(struct session_writer *w, const struct session_site_sample *row);

/* Adds `count` to the note, making it when new. */
void session_note(struct session_writer *w, const char *level, int64_t count, int64_t t_ns,
		  const char *text);

/* Commits what is pending: to be called at the end of a round, so that readers see whole rounds.
 * Returns 0 or the error of the oldest write that failed since the last flush; a failure is told
 * once. */
int session_flush(struct session_writer *w, struct error *e);

/* Bytes of the database that are in use, its WAL (4 MiB at most between flushes) not counted; rows
 * lost so far. */
int64_t session_size_bytes(struct session_writer *w);
int64_t session_lost_rows(struct session_writer *w);

/* Thins the rows before `before_ns` (whole spans of `span_ns` > 0 only). Of each span stay the
 * round with the largest job total, computed as the model does it, and the rounds in which an edge
 * lies, the 16 largest if there are more; of every other table what is carried forward to those
 * rounds, so that their totals do not change. A sample row's n is the number of rounds it stands
 * for; n = 0: no round, but the moment of a rollup that stayed. To be called between rounds; a
 * repeated call goes on where the last one ended. */
int session_thin(struct session_writer *w, int64_t before_ns, int64_t span_ns, struct error *e);

/* Copies to FILE when the database is kept elsewhere, at most every 30 s and for at most one part
 * in 50 of the time: may be called as often as one likes between rounds. A no-op otherwise, and
 * when FILE was removed. */
int session_sync(struct session_writer *w, struct error *e);

/* Flushes, marks meta.complete = 1, makes FILE stand alone without a WAL, frees `w` in any case. An
 * error may mean that the session is whole but elsewhere: when FILE was removed while it was
 * written, it is written again at its place, or saved in a temporary directory when the place is
 * taken or gone; the text tells. */
int session_close(struct session_writer *w, struct error *e);

/* ---- reader ---- */

struct session_reader;

/* Version of the SQLite library in use, "3.40.1"; static. */
const char *session_sqlite_version(void);

/* Opens FILE for reading, also while it is written, after a crash, and where nothing can be
 * written. Refuses with a message a file that is missing, empty, not ours, or of another version. A
 * cut off or corrupt file opens if its head can be read; the damage is told by session_damage,
 * which is complete when all tables were read. */
int session_open(struct session_reader **out, const char *file, struct error *e);
void session_reader_close(struct session_reader *r);

/* Begins and ends one read transaction: everything read in between is of one instant. When a newer
 * copy of the session was put in FILE's place (session_sync), it is read from then on. */
int session_begin_read(struct session_reader *r, struct error *e);
void session_end_read(struct session_reader *r);

/* NULL / SESSION_NULL when the key is absent. The text is valid until the next call on `r`. */
const char *session_text(struct session_reader *r, const char *key);
int64_t session_int(struct session_reader *r, const char *key);

/* NULL, or what could not be read and from where on: "the file is damaged: …"; until close. */
const char *session_damage(struct session_reader *r);

/* Walks a table in primary-key order. `since_ns`: rows with t_ns > since_ns only (processes, pools
 * and pool_workers: all rows; events, modules, frames, stacks and sites: id > since). The callback's row and strings are valid during
 * the call; a non-zero return stops the walk and is returned. */
int session_each_process(struct session_reader *r,
			 int (*fn)(const struct session_process *, void *), void *arg);
int session_each_pool(struct session_reader *r, int (*fn)(const struct session_pool *, void *),
		      void *arg);
int session_each_pool_worker(struct session_reader *r,
			     int (*fn)(const struct session_pool_worker *, void *), void *arg);
int session_each_event(struct session_reader *r, int64_t since_id,
		       int (*fn)(const struct session_event *, void *), void *arg);
int session_each_sample(struct session_reader *r, int64_t since_ns,
			int (*fn)(const struct session_sample *, void *), void *arg);
int session_each_detail(struct session_reader *r, int64_t since_ns,
			int (*fn)(const struct session_detail *, void *), void *arg);
int session_each_rollup(struct session_reader *r, int64_t since_ns,
			int (*fn)(const struct session_rollup *, void *), void *arg);
int session_each_heap(struct session_reader *r, int64_t since_ns,
		      int (*fn)(const struct session_heap *, void *), void *arg);
int session_each_shm(struct session_reader *r, int64_t since_ns,
		     int (*fn)(const struct session_shm *, void *), void *arg);
int session_each_system(struct session_reader *r, int64_t since_ns,
			int (*fn)(const struct session_system *, void *), void *arg);
int session_each_module(struct session_reader *r, int64_t since_id,
			int (*fn)(const struct session_module *, void *), void *arg);
int session_each_frame(struct session_reader *r, int64_t since_id,
		       int (*fn)(const struct session_frame *, void *), void *arg);
int session_each_symbol(struct session_reader *r, int (*fn)(const struct session_symbol *, void *),
			void *arg);
int session_each_stack(struct session_reader *r, int64_t since_id,
		       int (*fn)(const struct session_stack *, void *), void *arg);
int session_each_site(struct session_reader *r, int64_t since_id,
		      int (*fn)(const struct session_site *, void *), void *arg);
int session_each_site_sample(struct session_reader *r, int64_t since_ns,
			     int (*fn)(const struct session_site_sample *, void *), void *arg);
int session_each_note(struct session_reader *r, int (*fn)(const struct session_note *, void *),
		      void *arg);

#endif
