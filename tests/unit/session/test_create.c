/* Claims about the end of a session whose disk, place or name failed while it was written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/session/writer.h"
#include "scratch.h"

#define NFS 0x6969

static int64_t samples_in(const char *path)
{
	struct session_reader *r = scratch_open(path);
	int64_t samples = scratch_count_samples(r, -1);

	assert_null(session_damage(r));
	session_reader_close(r);
	return samples;
}

/* Closes what must not close well. */
static struct error close_badly(struct session_writer *w)
{
	struct error e = {0};

	assert_int_equal(session_close(w, &e), ERROR_SYSTEM);
	return e;
}

/* The path at the end of "...: saved as PATH". */
static const char *saved_path(const struct error *e)
{
	const char *words = strstr(e->text, "saved as ");

	if (!words)
		fail_msg("%s", e->text);
	return words + strlen("saved as ");
}

static void remove_directory_of(const char *path)
{
	char command[600];

	snprintf(command, sizeof(command), "rm -r $(dirname %s)", path);
	assert_int_equal(system(command), 0);
}

/* ---- the file is removed while it is written ---- */

static void a_removed_file_is_written_again_and_told(void **state)
{
	const char *path = scratch_path("removed.loopmem");
	struct session_writer *w = scratch_create(path);
	struct error e;

	(void)state;
	scratch_samples(w, 20);
	unlink(path);
	scratch_samples(w, 40);
	e = close_badly(w);
	assert_non_null(strstr(e.text, "removed while it was written: written again at the end"));
	assert_int_equal(samples_in(path), 40);
	assert_int_equal(access(scratch_path("removed.loopmem-wal"), F_OK), -1);
}

static void a_file_put_in_its_place_is_not_touched(void **state)
{
	const char *path = scratch_path("usurped.loopmem");
	struct session_writer *w = scratch_create(path), *other;
	struct error e;

	(void)state;
	scratch_samples(w, 20);
	unlink(path);
	unlink(scratch_path("usurped.loopmem-wal"));
	unlink(scratch_path("usurped.loopmem-shm"));
	other = scratch_create(path);
	scratch_samples(other, 7);
	e = close_badly(w);
	assert_int_equal(samples_in(saved_path(&e)), 20);
	remove_directory_of(saved_path(&e));
	scratch_samples(other, 9);
	scratch_close(other);
	assert_int_equal(samples_in(path), 9);
}

static void a_session_whose_directory_is_gone_is_saved_elsewhere(void **state)
{
	char directory[] = "/tmp/loopmem-test-XXXXXX", path[64], command[64];
	struct session_writer *w;
	struct error e;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/run.loopmem", directory);
	w = scratch_create(path);
	scratch_samples(w, 20);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	assert_int_equal(system(command), 0);
	scratch_samples(w, 30);
	e = close_badly(w);
	assert_int_equal(access(directory, F_OK), -1);
	assert_int_equal(samples_in(saved_path(&e)), 30);
	assert_int_equal(stat(saved_path(&e), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_non_null(strstr(e.hint, saved_path(&e)));
	remove_directory_of(saved_path(&e));
}

/* ---- a network file system ---- */

/* The scratch directory is one; so is nothing else. */
static unsigned long nfs_in_scratch(const char *path)
{
	return strstr(path, ".nfs.") ? NFS : session_filesystem_type("/tmp");
}

static struct session_writer *create_on_network(const char *path)
{
	struct session_writer *w;
	struct error e;

	if (session_create_on(&w, path, 0, nfs_in_scratch, &e))
		fail_msg("%s", e.text);
	assert_non_null(w->place.directory);
	return w;
}

static void a_network_file_gets_whole_copies(void **state)
{
	const char *path = scratch_path("run.nfs.loopmem");
	struct session_writer *w = create_on_network(path);
	struct session_reader *r = scratch_open(path);
	struct error e;
	struct stat st;

	(void)state;
	session_put_int(w, "clock_ns", 5);
	scratch_samples(w, 10);
	assert_int_equal(scratch_count_samples(r, -1), 0);
	assert_int_equal(session_sync(w, &e), 0);
	assert_int_equal(samples_in(path), 10);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(access(scratch_path("run.nfs.loopmem-wal"), F_OK), -1);
	session_reader_close(r);
	scratch_close(w);
}

static void copies_are_not_made_too_often(void **state)
{
	const char *path = scratch_path("often.nfs.loopmem");
	struct session_writer *w = create_on_network(path);
	struct error e;

	(void)state;
	scratch_samples(w, 10);
	assert_int_equal(session_sync(w, &e), 0);
	scratch_samples(w, 20);
	assert_int_equal(session_sync(w, &e), 0);
	assert_int_equal(samples_in(path), 10);
	assert_in_range(w->next_sync_ns - session_now_ns(), INT64_C(20000000000),
			INT64_C(31000000000));
	w->next_sync_ns = 0;
	assert_int_equal(session_sync(w, &e), 0);
	assert_int_equal(samples_in(path), 20);
	scratch_close(w);
}

static void a_reader_follows_the_copies(void **state)
{
	const char *path = scratch_path("follow.nfs.loopmem");
	struct session_writer *w = create_on_network(path);
	struct session_reader *r;
	struct error e;

	(void)state;
	session_put_int(w, "clock_ns", 5);
	scratch_samples(w, 10);
	assert_int_equal(session_sync(w, &e), 0);
	r = scratch_open(path);
	scratch_samples(w, 20);
	w->next_sync_ns = 0;
	assert_int_equal(session_sync(w, &e), 0);
	assert_int_equal(session_begin_read(r, &e), 0);
	assert_int_equal(scratch_count_samples(r, -1), 20);
	session_end_read(r);
	scratch_close(w);
	assert_int_equal(session_begin_read(r, &e), 0);
	assert_int_equal(session_int(r, "complete"), 1);
	session_end_read(r);
	session_reader_close(r);
}

static void a_reader_stays_with_its_session_when_another_takes_the_name(void **state)
{
	const char *path = scratch_path("stay.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r;
	struct error e;

	(void)state;
	session_put_int(w, "clock_ns", 5);
	scratch_samples(w, 10);
	scratch_close(w);
	r = scratch_open(path);
	w = scratch_create(path);
	session_put_int(w, "clock_ns", 6);
	scratch_close(w);
	assert_int_equal(session_begin_read(r, &e), 0);
	assert_int_equal(scratch_count_samples(r, -1), 10);
	session_end_read(r);
	session_reader_close(r);
}

static void the_local_directory_goes_at_the_end(void **state)
{
	const char *path = scratch_path("end.nfs.loopmem");
	struct session_writer *w = create_on_network(path);
	char *directory = strdup(w->place.directory);
	struct stat st;

	(void)state;
	assert_int_equal(stat(directory, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	scratch_samples(w, 10);
	scratch_close(w);
	assert_int_equal(samples_in(path), 10);
	assert_int_equal(access(directory, F_OK), -1);
	free(directory);
}

static void a_last_copy_that_fails_leaves_the_local_one(void **state)
{
	const char *path = scratch_path("part.nfs.loopmem"),
		   *in_the_way = scratch_path("part.nfs.loopmem.part");
	struct session_writer *w = create_on_network(path);
	char *database = strdup(w->place.database);
	struct error e;

	(void)state;
	scratch_samples(w, 10);
	assert_int_equal(mkdir(in_the_way, 0700), 0);
	e = close_badly(w);
	assert_non_null(strstr(e.text, "File exists"));
	assert_non_null(strstr(e.hint, database));
	assert_int_equal(samples_in(database), 10);
	assert_int_equal(samples_in(path), 0);
	remove_directory_of(database);
	free(database);
}

static void a_removed_network_file_is_written_again(void **state)
{
	const char *path = scratch_path("again.nfs.loopmem");
	struct session_writer *w = create_on_network(path);
	struct error e;

	(void)state;
	scratch_samples(w, 10);
	unlink(path);
	assert_int_equal(session_sync(w, &e), 0); /* not behind the person's back */
	assert_int_equal(access(path, F_OK), -1);
	e = close_badly(w);
	assert_non_null(strstr(e.text, "written again at the end"));
	assert_int_equal(samples_in(path), 10);
}

static void local_files_need_no_copies(void **state)
{
	struct session_writer *w = scratch_create(scratch_path("local.loopmem"));
	struct error e;

	(void)state;
	assert_null(w->place.directory);
	assert_string_equal(w->place.database, w->place.path);
	assert_int_equal(session_sync(w, &e), 0);
	scratch_close(w);
}

/* ---- a full disk ---- */

static void limit_pages(struct session_writer *w, int pages)
{
	char sql[64];

	snprintf(sql, sizeof(sql), "PRAGMA max_page_count=%d", pages);
	assert_int_equal(sqlite3_exec(w->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static int put_until_full(struct session_writer *w, struct error *e)
{
	for (int i = 0; i < 1000; i++) {
		for (int k = 0; k < 100; k++)
			session_put_sample(w, &(struct session_sample){i * 1000 + k, 1, 1, 1, 1});
		if (session_flush(w, e))
			return i;
	}
	fail_msg("the disk never got full");
	return -1;
}

static void a_full_disk_is_told_and_counted(void **state)
{
	const char *path = scratch_path("full.loopmem");
	struct session_writer *w = scratch_create(path);
	struct error e;
	int whole;

	(void)state;
	limit_pages(w, 60);
	whole = put_until_full(w, &e);
	assert_string_equal(strstr(e.text, ": ") + 2, "No space left on device");
	assert_non_null(strstr(e.hint, "another disk"));
	assert_in_range(whole, 5, 900);
	assert_int_equal(session_lost_rows(w), 100);
	assert_int_equal(session_flush(w, &e), 0); /* told once */
	session_close(w, &e);                      /* there may be room for the last words or not */
	assert_int_equal(samples_in(path), whole * 100);
}

static int count_process(const struct session_process *row, void *arg)
{
	(void)row;
	++*(int *)arg;
	return 0;
}

static void who_is_born_while_the_disk_is_full_is_known_when_it_is_not(void **state)
{
	const char *path = scratch_path("room.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_process born = scratch_process(1);
	struct session_reader *r;
	struct error e;
	int64_t lost;
	int processes = 0;

	(void)state;
	limit_pages(w, 60);
	put_until_full(w, &e);
	session_put_process(w, &born);
	session_put_sample(w, &(struct session_sample){INT64_C(1) << 40, 1, 1, 1, 1});
	session_flush(w, &e);
	lost = session_lost_rows(w);
	assert_int_equal(lost, 101); /* the sample, not the process */
	limit_pages(w, 1000);
	w->retry_ns = 1; /* as a second later */
	assert_int_equal(session_flush(w, &e), 0);
	scratch_close(w);
	r = scratch_open(path);
	session_each_process(r, count_process, &processes);
	session_reader_close(r);
	assert_int_equal(processes, 1);
}

static void a_full_disk_is_not_tried_for_every_row(void **state)
{
	struct session_writer *w = scratch_create(scratch_path("rest.loopmem"));
	struct error e;

	(void)state;
	limit_pages(w, 60);
	put_until_full(w, &e);
	limit_pages(w, 1000); /* there is room at once, but nobody looks yet */
	session_put_sample(w, &(struct session_sample){INT64_C(1) << 40, 1, 1, 1, 1});
	assert_int_equal(session_lost_rows(w), 101);
	assert_in_range(w->retry_ns - session_now_ns(), 1, INT64_C(1000000000));
	w->retry_ns = 1;
	session_put_sample(w, &(struct session_sample){INT64_C(1) << 40, 1, 1, 1, 1});
	assert_int_equal(session_flush(w, &e), 0);
	assert_int_equal(session_lost_rows(w), 101);
	scratch_close(w);
}

static void a_row_that_is_wrong_is_lost_alone(void **state)
{
	const char *path = scratch_path("wrong.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_process good = scratch_process(1), bad = scratch_process(2);
	struct session_reader *r;
	struct error e;
	int processes = 0;

	(void)state;
	bad.cmdline = NULL;
	session_put_process(w, &good);
	session_put_process(w, &bad);
	assert_int_equal(session_flush(w, &e), ERROR_SYSTEM);
	assert_int_equal(session_lost_rows(w), 1);
	assert_int_equal(session_flush(w, &e), 0);
	scratch_close(w);
	r = scratch_open(path);
	session_each_process(r, count_process, &processes);
	session_reader_close(r);
	assert_int_equal(processes, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_removed_file_is_written_again_and_told),
		cmocka_unit_test(a_file_put_in_its_place_is_not_touched),
		cmocka_unit_test(a_session_whose_directory_is_gone_is_saved_elsewhere),
		cmocka_unit_test(a_network_file_gets_whole_copies),
		cmocka_unit_test(copies_are_not_made_too_often),
		cmocka_unit_test(a_reader_follows_the_copies),
		cmocka_unit_test(a_reader_stays_with_its_session_when_another_takes_the_name),
		cmocka_unit_test(the_local_directory_goes_at_the_end),
		cmocka_unit_test(a_last_copy_that_fails_leaves_the_local_one),
		cmocka_unit_test(a_removed_network_file_is_written_again),
		cmocka_unit_test(local_files_need_no_copies),
		cmocka_unit_test(a_full_disk_is_told_and_counted),
		cmocka_unit_test(who_is_born_while_the_disk_is_full_is_known_when_it_is_not),
		cmocka_unit_test(a_full_disk_is_not_tried_for_every_row),
		cmocka_unit_test(a_row_that_is_wrong_is_lost_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
