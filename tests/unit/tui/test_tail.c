/* Claims about tui/tail.h: the end of a program's output reads as it would on its own terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tui/tail.h"

static struct tail tail;

static const char *cleaned(const char *raw)
{
	static char out[TAIL_LINE_SIZE];

	tail_clean(out, raw, strlen(raw));
	return out;
}

static void write_and_read(const char *text, int lines)
{
	char file[512];
	FILE *out;

	snprintf(file, sizeof(file), "%s/tail.log", getenv("TEST_TMP"));
	out = fopen(file, "w");
	assert_non_null(out);
	fputs(text, out);
	fclose(out);
	tail_read(&tail, file, lines);
}

static void the_newest_lines_come_last(void **state)
{
	(void)state;
	write_and_read("one\ntwo\nthree\nfour\n", 2);
	assert_int_equal(tail.count, 2);
	assert_string_equal(tail.lines[0], "three");
	assert_string_equal(tail.lines[1], "four");
}

static void a_line_that_is_still_being_written_counts(void **state)
{
	(void)state;
	write_and_read("one\nhalf", 5);
	assert_int_equal(tail.count, 2);
	assert_string_equal(tail.lines[1], "half");
}

static void empty_lines_are_kept(void **state)
{
	(void)state;
	write_and_read("one\n\n\ntwo\n", 4);
	assert_int_equal(tail.count, 4);
	assert_string_equal(tail.lines[1], "");
}

static void a_progress_bar_shows_its_last_state(void **state)
{
	(void)state;
	assert_string_equal(cleaned("epoch 1  10%\repoch 1  20%\repoch 1  30%"), "epoch 1  30%");
	assert_string_equal(cleaned("done\r"), "done");
	assert_string_equal(cleaned("abc\b\bX"), "aX");
}

static void escape_sequences_are_left_out(void **state)
{
	(void)state;
	assert_string_equal(cleaned("\033[1;31mred\033[0m text"), "red text");
	assert_string_equal(cleaned("\033]0;title\aafter"), "after");
	assert_string_equal(cleaned("\033]0;title\033\\after"), "after");
	assert_string_equal(cleaned("cut \033["), "cut ");
	assert_string_equal(cleaned("cut \033"), "cut ");
	assert_string_equal(cleaned("\033]never ended"), "");
}

static void long_lines_and_files_are_bounded(void **state)
{
	char *text = malloc(200001);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', 200000);
	text[200000] = '\0';
	write_and_read(text, 3);
	assert_int_equal(tail.count, 1);
	assert_int_equal(strlen(tail.lines[0]), TAIL_LINE_SIZE - 1);
	for (int i = 0; i < 200000; i += 2)
		text[i] = '\n';
	write_and_read(text, 100);
	assert_int_equal(tail.count, TAIL_LINES_MAX);
	free(text);
}

static void what_cannot_be_read_has_no_lines(void **state)
{
	(void)state;
	tail_read(&tail, "/nonexistent/file", 5);
	assert_int_equal(tail.count, 0);
	tail_read(&tail, "/dev/zero", 5);
	assert_int_equal(tail.count, 0);
	write_and_read("", 5);
	assert_int_equal(tail.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_lines_come_last),
		cmocka_unit_test(a_line_that_is_still_being_written_counts),
		cmocka_unit_test(empty_lines_are_kept),
		cmocka_unit_test(a_progress_bar_shows_its_last_state),
		cmocka_unit_test(escape_sequences_are_left_out),
		cmocka_unit_test(long_lines_and_files_are_bounded),
		cmocka_unit_test(what_cannot_be_read_has_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
