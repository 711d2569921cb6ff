/* Claims about profiler/collect/proc_counters.h and keyed_text.h, on text captured from Linux 6.18
 * and 4.19. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/collect/proc_counters.h"

static const char stat_text[] =
	"30750 (cat) R 30745 30745 4106 0 -1 4194304 108 0 0 0 7 5 0 0 20 0 1 0 104086 3133440 406 "
	"18446744073709551615 94851165057024 94851165076905 140727674851872 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 "
	"94851165092912 94851165094528 94851335999488 140727674858152 140727674858231 140727674858231 "
	"140727674859499 768\n";

static void stat_fields_are_found_by_number(void **state)
{
	struct proc_stat s;

	(void)state;
	assert_int_equal(proc_stat_parse(stat_text, &s), 0);
	assert_string_equal(s.comm, "cat");
	assert_int_equal(s.state, 'R');
	assert_int_equal(s.parent_pid, 30745);
	assert_int_equal(s.flags, 4194304);
	assert_int_equal(s.minor_faults, 108);
	assert_int_equal(s.cpu_ticks, 12);
	assert_int_equal(s.threads, 1);
	assert_int_equal(s.start_ticks, 104086);
	assert_int_equal(s.exit_status, 768);
}

static void a_name_with_brackets_and_blanks_moves_no_field(void **state)
{
	struct proc_stat s;
	char text[512] = "7 (a) R (1 2) Z 3 4";

	(void)state;
	strcat(text, strstr(stat_text, " 30745 4106") + strlen(" 30745"));
	assert_int_equal(proc_stat_parse(text, &s), 0);
	assert_string_equal(s.comm, "a) R (1 2");
	assert_int_equal(s.state, 'Z');
	assert_int_equal(s.parent_pid, 3);
	assert_int_equal(s.start_ticks, 104086);
}

static void stat_cut_short_is_refused(void **state)
{
	struct proc_stat s;

	(void)state;
	assert_int_equal(proc_stat_parse("", &s), -EINVAL);
	assert_int_equal(proc_stat_parse("1 (x", &s), -EINVAL);
	assert_int_equal(proc_stat_parse("1 (x)", &s), -EINVAL);
	assert_int_equal(proc_stat_parse("1 (x) S 1 2 3", &s), -EINVAL);
}

static void statm_is_pages(void **state)
{
	struct proc_statm s;

	(void)state;
	assert_int_equal(proc_statm_parse("765 435 406 5 0 123 0\n", 4096, &s), 0);
	assert_int_equal(s.rss_bytes, 435 * 4096);
	assert_int_equal(s.anon_bytes, 29 * 4096);
	assert_int_equal(proc_statm_parse("0 0 0 0 0 0 0\n", 4096, &s), 0);
	assert_int_equal(s.rss_bytes, 0);
	assert_int_equal(proc_statm_parse("", 4096, &s), -EINVAL);
}

/* Counters of a process are not of one instant. */
static void shared_beyond_resident_is_no_negative_memory(void **state)
{
	struct proc_statm s;

	(void)state;
	assert_int_equal(proc_statm_parse("765 400 406 5 0 123 0\n", 4096, &s), 0);
	assert_int_equal(s.anon_bytes, 0);
}

static void status_is_read_by_name(void **state)
{
	struct proc_status s;

	(void)state;
	assert_int_equal(
		proc_status_parse(
			"Name:\tpython3\nPid:\t30750\nNSpid:\t30750\t812\t17\n"
			"VmLck:\t       4 kB\nVmRSS:\t    1740 kB\nRssAnon:\t     116 kB\n"
			"RssFile:\t    1624 kB\nRssShmem:\t       8 kB\nVmPTE:\t      44 kB\n"
			"VmSwap:\t       0 kB\nvoluntary_ctxt_switches:\t12\n"
			"nonvoluntary_ctxt_switches:\t3\n",
			&s),
		0);
	assert_int_equal(s.rss_bytes, 1740 * 1024);
	assert_int_equal(s.anon_bytes, 116 * 1024);
	assert_int_equal(s.file_bytes, 1624 * 1024);
	assert_int_equal(s.shmem_bytes, 8 * 1024);
	assert_int_equal(s.page_table_bytes, 44 * 1024);
	assert_int_equal(s.swap_bytes, 0);
	assert_int_equal(s.locked_bytes, 4 * 1024);
	assert_int_equal(s.voluntary_switches, 12);
	assert_int_equal(s.inner_pid, 17);
}

static void a_status_without_memory_lines_is_an_exiting_process(void **state)
{
	struct proc_status s;

	(void)state;
	assert_int_equal(proc_status_parse("Name:\tpython3\nState:\tZ (zombie)\nPid:\t5\n", &s), 0);
	assert_int_equal(s.rss_bytes, KEYED_ABSENT);
	assert_int_equal(s.inner_pid, 0);
	assert_int_equal(proc_status_parse("VmRSS:\t 1 kB\n", &s), -EINVAL);
}

static void stat_is_read_of_a_process_that_lives_and_of_no_other(void **state)
{
	struct proc_stat s;

	(void)state;
	assert_int_equal(proc_stat_read(getpid(), &s), 0);
	assert_int_equal(s.parent_pid, getppid());
	assert_true(s.start_ticks > 0);
	assert_int_equal(proc_stat_read(0x7fffffff, &s), -ENOENT);
	assert_int_equal(s.start_ticks, 0);
}

struct two {
	int64_t a, b;
};
static const struct keyed_field two[] = {{"a", offsetof(struct two, a)},
					 {"ab", offsetof(struct two, b)}};

static void keys_are_compared_whole(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(keyed_text_parse("abc 1\nab 2\nxa 3\n", two, 2, &t), 1);
	assert_int_equal(t.a, KEYED_ABSENT);
	assert_int_equal(t.b, 2);
}

static void lines_without_a_number_are_passed_over(void **state)
{
	struct two t;

	(void)state;
	assert_int_equal(keyed_text_parse("a\na: none\n\nab:", two, 2, &t), 0);
	assert_int_equal(t.a, KEYED_ABSENT);
	assert_int_equal(t.b, KEYED_ABSENT);
	/* a number is never taken from the next line */
	assert_int_equal(keyed_text_parse("a:\n7\n", two, 2, &t), 0);
	assert_int_equal(t.a, KEYED_ABSENT);
}

static void numbers_beyond_the_type_do_not_wrap(void **state)
{
	struct two t;

	(void)state;
	keyed_text_parse("a: 9223372036854775807 kB\nab: 99999999999999999999\n", two, 2, &t);
	assert_int_equal(t.a, INT64_MAX);
	assert_int_equal(t.b, KEYED_ABSENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stat_fields_are_found_by_number),
		cmocka_unit_test(a_name_with_brackets_and_blanks_moves_no_field),
		cmocka_unit_test(stat_cut_short_is_refused),
		cmocka_unit_test(stat_is_read_of_a_process_that_lives_and_of_no_other),
		cmocka_unit_test(statm_is_pages),
		cmocka_unit_test(shared_beyond_resident_is_no_negative_memory),
		cmocka_unit_test(status_is_read_by_name),
		cmocka_unit_test(a_status_without_memory_lines_is_an_exiting_process),
		cmocka_unit_test(keys_are_compared_whole),
		cmocka_unit_test(lines_without_a_number_are_passed_over),
		cmocka_unit_test(numbers_beyond_the_type_do_not_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
