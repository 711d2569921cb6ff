/* Claims about the outputs of a check (profiler/gate/output.h, text.h): hostile text, caps, and what each form promises. */
#include "tests/unit/gate/made_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/output.h"
#include "profiler/gate/text.h"

#define HOSTILE \
	"::add-mask::x\n::error::y ##[error]z ]]> <b>&\"' a|b `c` @all 100% \xFF \x1B[31m, )"
#define BAD "\xEF\xBF\xBD"

static struct made_model made[2];
static struct made_check check;
static char *output;

static int fill(void **state)
{
	(void)state;
	made_model_fill(&made[0], "a.loopmem");
	made_model_fill(&made[1], "b.loopmem");
	return 0;
}

static int forget(void **state)
{
	(void)state;
	made_check_release(&check);
	free(output);
	output = NULL;
	return 0;
}

static void make_hostile(void)
{
	for (int i = 0; i < MADE_POOLS; i++)
		made[0].pools[i].label = made[0].pools[i].name = HOSTILE;
	made[0].model.file = made[0].model.command = made[0].model.host = HOSTILE;
	made[0].finding.title = HOSTILE;
	made[0].model.exit_code = 1; /* a notice with the file's name */
}

static FILE *capture(void)
{
	static size_t size;

	free(output);
	output = NULL;
	return open_memstream(&output, &size);
}

static const struct text_options everything = {.verbose = 1, .explain = 1};

static void print_text(void)
{
	FILE *out = capture();

	text_result(out, &check.result, &everything);
	fclose(out);
}

static void print(void (*function)(FILE *, const struct result *))
{
	FILE *out = capture();

	function(out, &check.result);
	fclose(out);
}

static size_t occurrences(const char *text)
{
	size_t count = 0;

	for (const char *at = output; (at = strstr(at, text)) != NULL; at += strlen(text))
		count++;
	return count;
}

/* A line of a log that GitHub's runner would obey. */
static int gives_orders(const char *allowed)
{
	if (strstr(output, "##["))
		return 1;
	for (const char *line = output; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		line += strspn(line, " \t");
		if (!strncmp(line, "::", 2) &&
		    !(allowed && !strncmp(line, allowed, strlen(allowed))))
			return 1;
		if (!*line)
			break;
	}
	return 0;
}

static const char *const all_rules = "pool(*).private_bytes_max <= 1 B because \"::x ##[y]\"\n"
				     "warn phase(*).stall_s <= 1 s\n"
				     "worker(test).unshared_bytes_max <= 1 B\n"
				     "deny finding idle-pool-retained\n";

static void text_of_a_hostile_run_gives_no_orders(void **state)
{
	(void)state;
	make_hostile();
	made_check_judge(&check, all_rules, made, 1);
	print_text();
	assert_false(gives_orders(NULL));
	assert_null(strchr(output, '\x1B'));
	assert_null(strchr(output, '\xFF'));
	assert_non_null(strstr(output, "add-mask"));
}

static void complaints_show_foreign_lines_without_obeying_them(void **state)
{
	static struct budget budget;
	FILE *out;

	(void)state;
	budget_add_max(&budget, "::error::x ##[y]=1", 1);
	out = capture();
	text_complaints(out, &budget);
	fclose(out);
	budget_release(&budget);
	assert_false(gives_orders(NULL));
	assert_non_null(strstr(output, "loopmem: --max:1:1: "));
}

static void a_mistake_is_marked_under_its_place(void **state)
{
	static struct budget budget;
	FILE *out;

	(void)state;
	budget_add_max(&budget, "total.peak_pss_bytes=2.5G", 1);
	out = capture();
	text_complaints(out, &budget);
	fclose(out);
	budget_release(&budget);
	assert_string_equal(
		output,
		"loopmem: --max:1:22: \"2.5G\" has no clear unit: write \"2.5 GiB\" (2684354560 bytes) "
		"or \"2.5 GB\" (2500000000 bytes)\n"
		"  total.peak_pss_bytes=2.5G\n"
		"                       ^~~~\n");
}

static void the_verdict_comes_first_then_what_fails_then_cause_and_fix(void **state)
{
	(void)state;
	made_check_judge(&check,
			 "pool(train).private_bytes_max <= 200 MiB\nloss.dropped_events <= 0\n"
			 "deny finding idle-pool-retained(train)\n",
			 made, 1);
	print_text();
	assert_ptr_equal(strstr(output,
				"loopmem check: OVER  2 of 3 rules  (head 1 run; 9 processes)\n"),
			 output);
	assert_non_null(strstr(
		output,
		"  over         pool(train,label=train_loader).private_bytes_max  300 MiB > 200 MiB, "
		"+100 MiB"));
	assert_non_null(strstr(output, "train #3 e1\n"));
	assert_non_null(strstr(
		output,
		"  Cause  idle-pool-retained: Workers that handed out their last batch stay alive:\n"
		"         600 MiB of train workers alive during validation\n"));
	assert_non_null(strstr(
		output, "  Fix    loopmem run --release-idle-workers -- python train.py      peak "
			"3.0 GiB then\n"));
	assert_non_null(strstr(output, "  See    loopmem report a.loopmem\n"));
	assert_true(strstr(output, "Cause") < strstr(output, "within"));
	assert_int_equal(occurrences("Cause"), 1);
}

static void what_passes_is_one_line(void **state)
{
	static const struct text_options plain;
	FILE *out;

	(void)state;
	made_check_judge(&check, "pool(*).private_bytes_max <= 1 GiB\nloss.dropped_events <= 0\n",
			 made, 1);
	out = capture();
	text_result(out, &check.result, &plain);
	fclose(out);
	assert_string_equal(
		output,
		"loopmem check: WITHIN  3 of 3 rules judged: peak 4.0 GiB, held idle 1.0 GiB  "
		"(head 1 run; 9 processes)\n");
}

static void a_near_miss_is_shown(void **state)
{
	static const struct text_options plain;
	FILE *out;

	(void)state;
	made_check_judge(&check, "pool(train).private_bytes_max <= 310 MiB\n", made, 1);
	out = capture();
	text_result(out, &check.result, &plain);
	fclose(out);
	assert_non_null(strstr(output, "300 MiB of 310 MiB, 96% used"));
}

/* ---- JUnit -------------------------------------------------------------------------------------------------------- */

static unsigned number_of(const char *attribute)
{
	const char *at = strstr(output, attribute);

	assert_non_null(at);
	return (unsigned)atoi(at + strlen(attribute));
}

static void print_junit(FILE *out, const struct result *result)
{
	assert_int_equal(junit_result(out, result), 0);
}

static void junit_keeps_the_rules_of_its_readers(void **state)
{
	(void)state;
	make_hostile();
	made_check_judge(&check, all_rules, made, 1);
	print(print_junit);
	assert_int_equal(number_of("<testsuites name=\"loopmem\" tests=\""),
			 occurrences("<testcase "));
	assert_int_equal(number_of("\" failures=\""), occurrences("<failure "));
	assert_int_equal(number_of("\" errors=\""), occurrences("<error "));
	assert_int_equal(number_of(" skipped=\""), occurrences("<skipped "));
	assert_int_equal(occurrences("<failure type=\"over\""), 2);
	assert_int_equal(occurrences("<failure type=\"unmatched\""), 1);
	assert_int_equal(occurrences("<failure type=\"denied\""), 1);
	assert_int_equal(occurrences("]]>"), 0);
	assert_int_equal(occurrences("\x1B"), 0);
	assert_int_equal(occurrences("\xFF"), 0);
	assert_int_equal(occurrences("<b>"), 0);
	assert_non_null(strstr(output, "<system-out>warning: over: phase("));
	/* names hold no figure */
	assert_null(strstr(output, "name=\"pool(train,label=train_loader).private_bytes_max 300"));
}

static void an_unreadable_session_is_one_error(void **state)
{
	struct error e;
	FILE *out = capture();

	(void)state;
	error_set(&e, ERROR_UNREADABLE, "cannot read <a>&%s", "\x01\xFF");
	junit_error(out, &e);
	fclose(out);
	assert_int_equal(occurrences("<error "), 1);
	assert_non_null(strstr(output, "message=\"cannot read &lt;a&gt;&amp;" BAD "\""));
}

/* ---- GitHub ------------------------------------------------------------------------------------------------------ */

static void annotations_escape_and_are_the_only_orders(void **state)
{
	(void)state;
	make_hostile();
	made_check_judge(&check, all_rules, made, 1);
	print(github_annotations);
	for (const char *line = output; *line; line = strchr(line, '\n') + 1)
		assert_true(!strncmp(line, "::error ", 8) || !strncmp(line, "::warning ", 10) ||
			    !strncmp(line, "::notice ", 9));
	assert_int_equal(occurrences("::error "), 4);
	assert_int_equal(occurrences("::warning "), 2);
	assert_non_null(strstr(
		output,
		"title=loopmem%3A pool(train%2Clabel=\"%3A%3Aadd-mask%3A%3Ax%0A%3A%3Aerror"));
	assert_non_null(strstr(output, "100%25"));
}

static void at_most_nine_of_a_kind_and_the_rest_is_counted(void **state)
{
	char lines[4096] = "";

	(void)state;
	for (int i = 0; i < 30; i++)
		sprintf(lines + strlen(lines), "pool(train,label=l%d).private_bytes_max <= 1 B\n",
			i);
	made_check_judge(&check, lines, made, 1);
	print(github_annotations);
	assert_int_equal(occurrences("::error "), 10);
	assert_non_null(strstr(
		output, "::error title=loopmem%3A and 21 more::see the summary of this step\n"));
}

static void outputs_are_one_line_each(void **state)
{
	(void)state;
	made_check_judge(&check, all_rules, made, 1);
	print(github_outputs);
	assert_string_equal(
		output,
		"verdict=over\nexit_code=1\npeak_pss_bytes=4294967296\n"
		"idle_retained_bytes_max=1073741824\nover=4\nregressed=0\ncommit_baseline=\n");
}

static void print_summary(FILE *out, const struct result *result)
{
	github_summary(out, result, 0);
}

static void the_summary_shows_foreign_names_as_they_are(void **state)
{
	(void)state;
	make_hostile();
	made_check_judge(&check, all_rules, made, 1);
	print(print_summary);
	assert_ptr_equal(strstr(output, "### loopmem check: over, 4 of 6 rules\n"), output);
	assert_true(occurrences("&lt;b&gt;") > 0); /* running text; in code spans it may stand */
	assert_null(strchr(output, '\xFF'));
	assert_null(strchr(output, '\x1B'));
	/* every row of a table has its five cells */
	for (const char *line = output; (line = strstr(line, "\n| ")) != NULL; line++) {
		size_t bars = 0;

		for (const char *c = line + 1; *c && *c != '\n'; c++)
			bars += *c == '|' && c[-1] != '\\';
		assert_int_equal(bars, 6);
	}
}

static void a_brief_summary_is_short(void **state)
{
	FILE *out;

	(void)state;
	made_check_judge(&check, all_rules, made, 1);
	out = capture();
	github_summary(out, &check.result, 1);
	fclose(out);
	assert_true(strlen(output) < 1024);
	assert_non_null(strstr(output, "4 of 6 rules"));
}

static void print_json(FILE *out, const struct result *result)
{
	assert_int_equal(json_result(out, result), 0);
}

static void json_tells_every_row(void **state)
{
	json_t *root;

	(void)state;
	make_hostile();
	made_check_judge(&check, all_rules, made, 1);
	print(print_json);
	root = json_loads(output, 0, NULL);
	assert_non_null(root);
	assert_int_equal(json_array_size(json_object_get(root, "rules")), check.result.rows.count);
	assert_int_equal(json_integer_value(json_object_get(root, "exit_code")), 1);
	assert_string_equal(json_string_value(json_object_get(root, "verdict")), "over");
	json_decref(root);
}

static void print_quality(FILE *out, const struct result *result)
{
	assert_int_equal(code_quality(out, result), 0);
}

/* A finding whose source is here, in the tree of the project. */
static void code_quality_needs_a_line_that_is_here(void **state)
{
	(void)state;
	made[0].pools[TRAIN0].origin = made[0].pools[TRAIN1].origin = "/dev/null:3";
	made_check_judge(&check, all_rules, made, 1);
	print(print_quality);
	assert_string_equal(output, "[]\n");
	made_check_release(&check);
	made[0].pools[TRAIN0].origin = made[0].pools[TRAIN1].origin = "./Makefile:3";
	made_check_judge(&check, all_rules, made, 1);
	print(print_quality);
	assert_int_equal(occurrences("\"fingerprint\""), 1);
	assert_non_null(strstr(output, "\"path\": \"Makefile\""));
	assert_non_null(strstr(output, "\"severity\": \"minor\""));
	assert_non_null(strstr(output, "\"begin\": 3"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fill, forget)
		TEST(text_of_a_hostile_run_gives_no_orders),
		TEST(complaints_show_foreign_lines_without_obeying_them),
		TEST(a_mistake_is_marked_under_its_place),
		TEST(the_verdict_comes_first_then_what_fails_then_cause_and_fix),
		TEST(what_passes_is_one_line),
		TEST(a_near_miss_is_shown),
		TEST(junit_keeps_the_rules_of_its_readers),
		TEST(an_unreadable_session_is_one_error),
		TEST(annotations_escape_and_are_the_only_orders),
		TEST(at_most_nine_of_a_kind_and_the_rest_is_counted),
		TEST(outputs_are_one_line_each),
		TEST(the_summary_shows_foreign_names_as_they_are),
		TEST(a_brief_summary_is_short),
		TEST(json_tells_every_row),
		TEST(code_quality_needs_a_line_that_is_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
