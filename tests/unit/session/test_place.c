/* Claims about what session_create may replace, and where it writes. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/session/filesystem.h"
#include "scratch.h"

static void refuse(const char *path, int overwrite, const char *why)
{
	struct session_writer *w;
	struct error e;

	assert_int_equal(session_create(&w, path, overwrite, &e), ERROR_SYSTEM);
	assert_null(w);
	if (!strstr(e.text, why))
		fail_msg("\"%s\" is not in \"%s\"", why, e.text);
	assert_non_null(strstr(e.text, path));
}

static void expect_content(const char *path, const char *text)
{
	char content[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, content, sizeof(content) - 1), strlen(text));
	assert_string_equal(content, text);
	close(fd);
}

static void a_file_that_is_no_session_is_never_replaced(void **state)
{
	const char *path = scratch_path("thesis.tex");

	(void)state;
	scratch_write(path, "years of work", 13);
	refuse(path, 0, "not a loopmem session");
	refuse(path, 1, "not a loopmem session");
	expect_content(path, "years of work");
}

static void an_empty_file_is_replaced(void **state)
{
	const char *path = scratch_path("made-by-mktemp");

	(void)state;
	scratch_write(path, "", 0);
	scratch_close(scratch_create(path));
	session_reader_close(scratch_open(path));
}

static void a_complete_session_is_replaced(void **state)
{
	const char *path = scratch_path("again.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r;
	struct error e;

	(void)state;
	scratch_samples(w, 5);
	scratch_close(w);
	assert_int_equal(session_create(&w, path, 0, &e), 0);
	scratch_close(w);
	r = scratch_open(path);
	assert_int_equal(scratch_count_samples(r, -1), 0);
	session_reader_close(r);
}

static void an_incomplete_session_is_replaced_only_when_told(void **state)
{
	const char *path = scratch_path("running.loopmem"), *moved = scratch_path("moved.loopmem");
	struct session_writer *w = scratch_create(path);

	(void)state;
	scratch_samples(w, 5);
	refuse(path, 0, "being written, or its end was lost");
	assert_int_equal(rename(path, moved), 0); /* it can be closed there */
	assert_int_equal(
		rename(scratch_path("running.loopmem-wal"), scratch_path("moved.loopmem-wal")), 0);
	assert_int_equal(link(moved, path), 0);
	scratch_close(w);
}

static void symbolic_links_are_refused(void **state)
{
	const char *path = scratch_path("link.loopmem"), *target = scratch_path("target.loopmem");

	(void)state;
	scratch_close(scratch_create(target));
	assert_int_equal(symlink(target, path), 0);
	refuse(path, 1, "it is a symbolic link");
	unlink(target);
	refuse(path, 1, "it is a symbolic link");
	assert_int_equal(access(target, F_OK), -1);
}

static void a_linked_directory_is_followed(void **state)
{
	const char *directory = scratch_path("real"), *link = scratch_path("linked");

	(void)state;
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_int_equal(symlink(directory, link), 0);
	scratch_close(scratch_create(scratch_path("linked/run.loopmem")));
	assert_int_equal(access(scratch_path("real/run.loopmem"), F_OK), 0);
}

static void what_is_no_file_is_refused(void **state)
{
	const char *fifo = scratch_path("fifo");

	(void)state;
	assert_int_equal(mkfifo(fifo, 0600), 0);
	refuse(fifo, 1, "not a regular file");
	refuse("/dev/null", 1, "not a regular file");
	refuse(scratch_path("."), 1, "not a regular file");
	refuse(scratch_path("no/such/directory"), 1, "No such file or directory");
}

static void a_path_relative_to_a_lost_working_directory_is_still_known(void **state)
{
	const char *directory = scratch_path("cwd");
	struct session_writer *w;
	char *home = getcwd(NULL, 0);

	(void)state;
	assert_int_equal(mkdir(directory, 0700), 0);
	assert_int_equal(chdir(directory), 0);
	w = scratch_create("run.loopmem");
	assert_int_equal(chdir(home), 0);
	scratch_samples(w, 3);
	scratch_close(w);
	session_reader_close(scratch_open(scratch_path("cwd/run.loopmem")));
	free(home);
}

static void stale_files_of_an_older_session_do_not_leak_into_the_new_one(void **state)
{
	const char *path = scratch_path("stale.loopmem"), *wal = scratch_path("stale.loopmem-wal");
	char rubbish[5000];

	(void)state;
	memset(rubbish, 1, sizeof(rubbish));
	scratch_write(wal, rubbish, sizeof(rubbish));
	scratch_close(scratch_create(path));
	assert_int_equal(access(wal, F_OK), -1);
	session_reader_close(scratch_open(path));
}

static void network_file_systems_are_known_by_their_numbers(void **state)
{
	(void)state;
	assert_string_equal(session_filesystem_network_name(0x6969), "NFS");
	assert_string_equal(session_filesystem_network_name(0x0bd00bd0), "Lustre");
	assert_string_equal(session_filesystem_network_name(0xff534d42), "CIFS");
	assert_null(session_filesystem_network_name(0xef53));     /* ext4 */
	assert_null(session_filesystem_network_name(0x01021994)); /* tmpfs */
	assert_null(session_filesystem_network_name(session_filesystem_type("/proc")));
	assert_int_equal(session_filesystem_type("/proc"), 0x9fa0);
	assert_int_equal(session_filesystem_type("/no/such/file"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_no_session_is_never_replaced),
		cmocka_unit_test(an_empty_file_is_replaced),
		cmocka_unit_test(a_complete_session_is_replaced),
		cmocka_unit_test(an_incomplete_session_is_replaced_only_when_told),
		cmocka_unit_test(symbolic_links_are_refused),
		cmocka_unit_test(a_linked_directory_is_followed),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(a_path_relative_to_a_lost_working_directory_is_still_known),
		cmocka_unit_test(stale_files_of_an_older_session_do_not_leak_into_the_new_one),
		cmocka_unit_test(network_file_systems_are_known_by_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
