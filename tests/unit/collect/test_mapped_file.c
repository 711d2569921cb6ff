/* Claims about profiler/collect/mapped_file.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crafted.h"
#include "profiler/collect/mapped_file.h"

enum { BYTES = 64 << 10 };

/* A file full of ones. */
static struct mapped_file *open_file(const char *name)
{
	static char ones[BYTES];
	struct mapped_file *f;
	int fd;

	memset(ones, 1, sizeof(ones));
	crafted_file(crafted_path(name), ones, sizeof(ones));
	fd = open(crafted_path(name), O_RDONLY);
	assert_int_equal(mapped_file_open(&f, fd, BYTES), 0);
	close(fd);
	return f;
}

static int byte_of(const struct mapped_file *f, size_t at)
{
	return ((const volatile char *)mapped_file_data(f))[at];
}

static void a_file_that_is_cut_reads_as_zeros_and_is_lost(void **state)
{
	struct mapped_file *f = open_file("cut"), *whole = open_file("whole");

	(void)state;
	assert_int_equal(byte_of(f, BYTES - 1), 1);
	assert_false(mapped_file_is_lost(f));
	assert_int_equal(truncate(crafted_path("cut"), 4096), 0);
	assert_int_equal(byte_of(f, BYTES - 1), 0);
	assert_true(mapped_file_is_lost(f));
	assert_int_equal(byte_of(f, 0), 0); /* all of it, not half old and half new */
	assert_int_equal(byte_of(whole, BYTES - 1), 1);
	assert_false(mapped_file_is_lost(whole));
	mapped_file_close(whole);
	mapped_file_close(f);
}

/* In a child: a mapping of somebody else's, cut short and read. */
static int status_of_another_fault(void)
{
	pid_t child = fork();
	int status;

	if (!child) {
		int fd = open(crafted_path("another"), O_RDWR | O_CREAT, 0600);
		volatile char *map;

		if (ftruncate(fd, BYTES))
			_exit(0);
		map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
		if (ftruncate(fd, 0))
			_exit(0);
		_exit(map[0]);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void another_bus_error_ends_the_process_as_ever(void **state)
{
	struct mapped_file *f;

	(void)state;
	signal(SIGBUS, SIG_DFL); /* cmocka's own would go on with the tests, in the child */
	f = open_file("mine");
	assert_int_not_equal(status_of_another_fault(), 0);
	mapped_file_close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_cut_reads_as_zeros_and_is_lost),
		cmocka_unit_test(another_bus_error_ends_the_process_as_ever),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
