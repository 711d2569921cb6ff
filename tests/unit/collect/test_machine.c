/* Claims about profiler/collect/machine.h. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/collect/machine.h"

static struct session_reader *described(const char *file)
{
	struct session_writer *w;
	struct session_reader *r;
	struct machine machine;
	struct error e;

	assert_int_equal(session_create(&w, file, 1, &e), 0);
	machine_open(&machine);
	machine_describe(&machine, w);
	machine_close(&machine);
	assert_int_equal(session_close(w, &e), 0);
	assert_int_equal(session_open(&r, file, &e), 0);
	return r;
}

static void the_session_tells_what_machine_it_was(void **state)
{
	char directory[] = "/tmp/test_machine.XXXXXX", file[64];
	struct session_reader *r;
	struct utsname names;
	const char *pages;
	cpu_set_t allowed;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(file, sizeof(file), "%s/x.loopmem", directory);
	setenv("RANK", "3", 1);
	setenv("SECRET_TOKEN", "x", 1);
	r = described(file);
	uname(&names);
	assert_string_equal(session_text(r, "arch"), names.machine);
	assert_string_equal(session_text(r, "kernel"), names.release);
	assert_int_equal(session_int(r, "page_bytes"), sysconf(_SC_PAGESIZE));
	assert_int_equal(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
	assert_int_equal(session_int(r, "cpus"), CPU_COUNT(&allowed));
	assert_string_equal(session_text(r, "env.RANK"), "3");
	assert_null(session_text(r, "env.SECRET_TOKEN"));
	pages = session_text(r, "thp");
	assert_true(!pages || !strcmp(pages, "always") || !strcmp(pages, "madvise") ||
		    !strcmp(pages, "never"));
#ifdef __GLIBC__
	assert_int_equal(strncmp(session_text(r, "libc"), "glibc ", 6), 0);
#endif
	session_reader_close(r);
	unlink(file);
	rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_session_tells_what_machine_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
