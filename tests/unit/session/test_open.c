/* Claims about opening a session in whatever state its file is. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/session/tables.h"
#include "scratch.h"

/* Opens what must not open, and checks the message. */
static void refuse(const char *path, const char *text)
{
	struct session_reader *r;
	struct error e;

	assert_int_equal(session_open(&r, path, &e), ERROR_UNREADABLE);
	assert_null(r);
	if (!strstr(e.text, text))
		fail_msg("\"%s\" is not in \"%s\"", text, e.text);
	assert_non_null(strstr(e.text, path));
}

static void run_sql(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static const char *complete_session(const char *name, int rounds)
{
	const char *path = scratch_path(name);
	struct session_writer *w = scratch_create(path);

	session_put_text(w, "loopmem_version", "0.9.1");
	scratch_samples(w, rounds);
	scratch_close(w);
	return path;
}

static void missing_files_are_refused(void **state)
{
	(void)state;
	refuse(scratch_path("nowhere.loopmem"), "No such file or directory");
}

static void empty_files_are_refused(void **state)
{
	const char *path = scratch_path("empty.loopmem");

	(void)state;
	scratch_write(path, "", 0);
	refuse(path, "is empty");
}

static void directories_are_refused(void **state)
{
	(void)state;
	refuse(scratch_path("."), "is a directory, not a loopmem session");
}

static void other_files_are_refused(void **state)
{
	const char *path = scratch_path("text.loopmem");
	char text[9000];

	(void)state;
	memset(text, 'x', sizeof(text));
	scratch_write(path, text, sizeof(text));
	refuse(path, "is not a loopmem session");
	scratch_write(path, "x", 1);
	refuse(path, "is not a loopmem session");
}

static void other_databases_are_refused(void **state)
{
	const char *path = scratch_path("foreign.loopmem");

	(void)state;
	unlink(path);
	run_sql(path, "CREATE TABLE meta(key, value)");
	refuse(path, "is not a loopmem session");
}

static void views_in_the_place_of_tables_are_refused(void **state)
{
	const char *path = complete_session("view.loopmem", 1);

	(void)state;
	run_sql(path, "DROP TABLE note; CREATE VIEW note AS SELECT 1 AS text");
	refuse(path, "is not a loopmem session");
}

static void newer_versions_are_refused_by_name(void **state)
{
	const char *path = complete_session("newer.loopmem", 1);

	(void)state;
	run_sql(path, "PRAGMA user_version=7");
	refuse(path, "was written by loopmem 0.9.1 (session version 7); this one reads version 4");
	run_sql(path, "PRAGMA user_version=0");
	refuse(path, "session version 0");
}

static void a_name_with_special_letters_opens(void **state)
{
	const char *path = complete_session("100% a?b#c.loopmem", 2);
	struct session_reader *r = scratch_open(path);

	(void)state;
	assert_int_equal(scratch_count_samples(r, -1), 2);
	session_reader_close(r);
}

/* ---- cut off and overwritten ---- */

static int64_t samples_of_cut(const char *path, off_t size, const char **damage, char text[256])
{
	struct session_reader *r;
	struct error e;
	int64_t samples;

	assert_int_equal(truncate(path, size), 0);
	if (session_open(&r, path, &e)) {
		assert_int_equal(e.kind, ERROR_UNREADABLE);
		return -1;
	}
	samples = scratch_count_samples(r, -1);
	*damage = session_damage(r);
	if (*damage)
		snprintf(text, 256, "%s", *damage);
	session_reader_close(r);
	return samples;
}

static void a_cut_off_file_is_read_up_to_the_cut(void **state)
{
	const char *path = complete_session("cut.loopmem", 20000), *damage = NULL;
	int64_t whole = 20000, last = whole;
	char text[256] = "";
	struct stat st;

	(void)state;
	assert_int_equal(stat(path, &st), 0);
	for (int tenths = 9; tenths >= 5; tenths -= 2) {
		int64_t samples = samples_of_cut(path, st.st_size / 10 * tenths, &damage, text);

		assert_in_range(samples, whole * (tenths - 2) / 10, last - 1);
		assert_non_null(damage);
		assert_non_null(strstr(text, "damaged"));
		last = samples;
	}
}

static void a_file_cut_to_its_head_is_refused_or_damaged(void **state)
{
	const char *path = complete_session("head.loopmem", 2000), *damage;
	char text[256];

	(void)state;
	for (off_t size = 8192; size > 0; size -= 700) {
		damage = NULL;
		if (samples_of_cut(path, size, &damage, text) >= 0)
			assert_non_null(damage);
	}
}

static void a_broken_page_is_told_with_the_last_good_moment(void **state)
{
	const char *path = complete_session("page.loopmem", 20000);
	struct session_reader *r;
	struct stat st;
	char rubbish[4096];
	int fd = open(path, O_WRONLY);

	(void)state;
	memset(rubbish, 0xa5, sizeof(rubbish));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pwrite(fd, rubbish, sizeof(rubbish), st.st_size / 8192 * 4096),
			 sizeof(rubbish));
	close(fd);
	r = scratch_open(path);
	assert_null(session_damage(r));
	assert_in_range(scratch_count_samples(r, -1), 6000, 14000);
	assert_non_null(strstr(session_damage(r), "table sample cannot be read after "));
	session_reader_close(r);
}

/* ---- where nothing can be written ---- */

/* Runs `claim` in a child that may write nothing in the scratch directory. */
static void without_write_permission(const char *directory, void (*claim)(const char *),
				     const char *path)
{
	int status;
	pid_t child;

	assert_int_equal(chmod(directory, 0555), 0);
	child = fork();
	if (child == 0) {
		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(3);
		claim(path);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	chmod(directory, 0755);
	assert_int_equal(status, 0);
}

static void expect_fifty(const char *path)
{
	struct session_reader *r;
	struct error e;

	if (session_open(&r, path, &e)) {
		fprintf(stderr, "%s\n", e.text);
		_exit(4);
	}
	/* every transaction anew: nothing beside the file may be needed later either */
	for (int i = 0; i < 3; i++)
		if (session_begin_read(r, &e) || scratch_count_samples(r, -1) != 50 ||
		    session_damage(r))
			_exit(5 + i);
		else
			session_end_read(r);
	session_reader_close(r);
}

/* A directory that other users may enter, as TEST_TMP may not be; removed by the caller. */
static const char *open_directory(void)
{
	static char directory[64];

	strcpy(directory, "/tmp/loopmem-test-XXXXXX");
	assert_non_null(mkdtemp(directory));
	return directory;
}

static void let_all_read(const char *directory, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	chmod(path, 0644);
}

static void write_and_die(const char *path)
{
	pid_t child = fork();

	if (child == 0) {
		scratch_samples(scratch_create(path), 50);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_complete_session_opens_where_nothing_can_be_written(void **state)
{
	const char *directory = open_directory();
	char path[128];
	struct session_writer *w;

	(void)state;
	snprintf(path, sizeof(path), "%s/run.loopmem", directory);
	w = scratch_create(path);
	scratch_samples(w, 50);
	scratch_close(w);
	let_all_read(directory, "run.loopmem");
	without_write_permission(directory, expect_fifty, path);
	unlink(path);
	assert_int_equal(rmdir(directory), 0); /* nothing was left */
}

static void a_killed_session_opens_where_nothing_can_be_written(void **state)
{
	const char *directory = open_directory();
	char path[128], shm[140], wal[140];

	(void)state;
	snprintf(path, sizeof(path), "%s/run.loopmem", directory);
	snprintf(shm, sizeof(shm), "%s-shm", path);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	write_and_die(path);
	let_all_read(directory, "run.loopmem");
	let_all_read(directory, "run.loopmem-wal");
	unlink(shm); /* as when the file was copied with its WAL only */
	without_write_permission(directory, expect_fifty, path);
	assert_int_equal(access(shm, F_OK), -1);
	assert_int_equal(access(wal, F_OK), 0);
	unlink(path);
	unlink(wal);
	assert_int_equal(rmdir(directory), 0);
}

static void a_session_left_in_wal_mode_without_its_wal_opens_too(void **state)
{
	const char *directory = open_directory();
	char path[128], wal[140];

	(void)state;
	snprintf(path, sizeof(path), "%s/run.loopmem", directory);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	write_and_die(path);
	run_sql(path, "SELECT count(*) FROM sample"); /* the last to close it empties the WAL */
	assert_int_equal(access(wal, F_OK), -1);
	let_all_read(directory, "run.loopmem");
	without_write_permission(directory, expect_fifty, path);
	unlink(path);
	assert_int_equal(rmdir(directory), 0);
}

static void reading_leaves_a_killed_session_as_it_was(void **state)
{
	const char *path = scratch_path("asitwas.loopmem"),
		   *wal = scratch_path("asitwas.loopmem-wal");
	struct session_reader *r;
	struct stat before, after;

	(void)state;
	write_and_die(path);
	assert_int_equal(stat(wal, &before), 0);
	assert_true(before.st_size > 0);
	r = scratch_open(path);
	assert_int_equal(scratch_count_samples(r, -1), 50);
	session_reader_close(r);
	assert_int_equal(stat(wal, &after), 0);
	assert_int_equal(after.st_size, before.st_size);
	assert_int_equal(after.st_ino, before.st_ino);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_files_are_refused),
		cmocka_unit_test(empty_files_are_refused),
		cmocka_unit_test(directories_are_refused),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(other_databases_are_refused),
		cmocka_unit_test(views_in_the_place_of_tables_are_refused),
		cmocka_unit_test(newer_versions_are_refused_by_name),
		cmocka_unit_test(a_name_with_special_letters_opens),
		cmocka_unit_test(a_cut_off_file_is_read_up_to_the_cut),
		cmocka_unit_test(a_file_cut_to_its_head_is_refused_or_damaged),
		cmocka_unit_test(a_broken_page_is_told_with_the_last_good_moment),
		cmocka_unit_test(a_complete_session_opens_where_nothing_can_be_written),
		cmocka_unit_test(a_killed_session_opens_where_nothing_can_be_written),
		cmocka_unit_test(a_session_left_in_wal_mode_without_its_wal_opens_too),
		cmocka_unit_test(reading_leaves_a_killed_session_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
