/* Claims about profiler/collect/shim.h. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/shim.h"

static void the_shim_comes_first_and_the_rest_stays_byte_for_byte(void **state)
{
	char *value = shim_preload("/lib/libloopmem.so", "libjemalloc.so.2:  /x/liby.so :", "/tmp");

	(void)state;
	assert_string_equal(value, "/lib/libloopmem.so:libjemalloc.so.2:  /x/liby.so :");
	free(value);
	value = shim_preload("/lib/libloopmem.so", NULL, "/tmp");
	assert_string_equal(value, "/lib/libloopmem.so");
	free(value);
	value = shim_preload("/lib/libloopmem.so", "", "/tmp");
	assert_string_equal(value, "/lib/libloopmem.so");
	free(value);
}

static void it_is_not_named_twice(void **state)
{
	char *value = shim_preload("/lib/libloopmem.so", "a.so:/lib/libloopmem.so", "/tmp");

	(void)state;
	assert_string_equal(value, "a.so:/lib/libloopmem.so");
	free(value);
	/* a longer name that only contains it is another library */
	value = shim_preload("/lib/libloopmem.so", "/lib/libloopmem.so.old /x/lib/libloopmem.so",
			     "/tmp");
	assert_string_equal(value,
			    "/lib/libloopmem.so:/lib/libloopmem.so.old /x/lib/libloopmem.so");
	free(value);
}

static void a_path_the_loader_would_divide_goes_through_a_link(void **state)
{
	const char *directory = crafted_directory("links");
	char link[600], target[600] = "";
	char *value = shim_preload("/home/my files/libloopmem.so", NULL, directory);

	(void)state;
	snprintf(link, sizeof(link), "%s/libloopmem.so", directory);
	assert_string_equal(value, link);
	assert_true(readlink(link, target, sizeof(target) - 1) > 0);
	assert_string_equal(target, "/home/my files/libloopmem.so");
	free(value);
	value = shim_preload("/a:b/libloopmem.so", NULL, "/nonexistent");
	assert_null(value);
}

static void the_shim_is_found_by_its_variable_or_said_to_be_missing(void **state)
{
	char path[PATH_MAX];
	struct error e;

	(void)state;
	crafted_file(crafted_path("my.so"), "x", 1);
	setenv("LOOPMEM_LIB", crafted_path("my.so"), 1);
	assert_int_equal(shim_find(path, &e), 0);
	assert_string_equal(strrchr(path, '/'), "/my.so");
	setenv("LOOPMEM_LIB", "/nonexistent/my.so", 1);
	assert_int_equal(shim_find(path, &e), ERROR_SYSTEM);
	assert_non_null(strstr(e.text, "/nonexistent/my.so"));
	unsetenv("LOOPMEM_LIB");
}

static const char *why_not(const char *path)
{
	int fd = open(path, O_RDONLY);
	const char *why;

	assert_true(fd >= 0);
	why = shim_why_not(fd);
	close(fd);
	return why;
}

/* A copy of this program with some bytes changed. */
static const char *changed_copy(const char *name, long offset, const void *bytes, size_t size)
{
	const char *path = crafted_path(name);
	char command[700];
	FILE *file;

	snprintf(command, sizeof(command), "cp /proc/%d/exe '%s'", (int)getpid(), path);
	assert_int_equal(system(command), 0);
	file = fopen(path, "r+");
	assert_non_null(file);
	assert_int_equal(fseek(file, offset, SEEK_SET), 0);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	return path;
}

static void nothing_speaks_against_this_program(void **state)
{
	(void)state;
	assert_null(why_not("/proc/self/exe"));
}

static void reasons_are_found_in_the_file(void **state)
{
	static const char class32 = 1, machine = 8;
	static const short no_segments = 0;
	const char *path;

	(void)state;
	assert_non_null(
		strstr(why_not(changed_copy("class", 4, &class32, 1)), "another processor"));
	assert_non_null(
		strstr(why_not(changed_copy("machine", 18, &machine, 1)), "another processor"));
	/* without program headers there is no interpreter */
	assert_non_null(strstr(why_not(changed_copy("static", 56, &no_segments, 2)), "statically"));
	path = changed_copy("setuid", 0, "\177", 1);
	assert_int_equal(chmod(path, 04755), 0);
	assert_non_null(strstr(why_not(path), "setuid"));
}

static void scripts_and_rubbish_have_no_reason(void **state)
{
	(void)state;
	crafted_file(crafted_path("script"), "#!/bin/sh\n", 10);
	assert_null(why_not(crafted_path("script")));
	crafted_file(crafted_path("head"), "\177ELF\2\1\1", 7);
	assert_null(why_not(crafted_path("head")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shim_comes_first_and_the_rest_stays_byte_for_byte),
		cmocka_unit_test(it_is_not_named_twice),
		cmocka_unit_test(a_path_the_loader_would_divide_goes_through_a_link),
		cmocka_unit_test(the_shim_is_found_by_its_variable_or_said_to_be_missing),
		cmocka_unit_test(nothing_speaks_against_this_program),
		cmocka_unit_test(reasons_are_found_in_the_file),
		cmocka_unit_test(scripts_and_rubbish_have_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
