/* Claims about profiler/gate/budget.h: what a budget may say, and what is answered when it says it wrongly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/gate/budget.h"

#define HEADER       "loopmem-budget 1\n"
#define MIB          (1024.0 * 1024)
#define GIB          (1024 * MIB)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct budget budget;
static struct error error;

static int forget(void **state)
{
	(void)state;
	budget_release(&budget);
	return 0;
}

static int read_bytes(const char *bytes, size_t length)
{
	char file[] = "/tmp/test_budget.XXXXXX";
	int fd = mkstemp(file), result;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
	result = budget_read_file(&budget, file, &error);
	unlink(file);
	return result;
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

/* The rule that one line makes. */
static const struct budget_rule *rule_of(const char *line)
{
	char text[512];

	budget_release(&budget);
	snprintf(text, sizeof(text), HEADER "%s\n", line);
	assert_int_equal(read_text(text), 0);
	if (budget.complaint_count)
		fail_msg("%s: %s", line, budget.complaints[0].text);
	assert_int_equal(budget.rules.count, 1);
	return budget.rules.items;
}

static void a_limit_has_a_key_and_a_bound(void **state)
{
	const struct budget_rule *rule = rule_of("total.peak_pss_bytes <= 6 GiB");

	(void)state;
	assert_int_equal(rule->kind, BUDGET_LIMIT);
	assert_int_equal(rule->action, BUDGET_FAIL);
	assert_string_equal(rule->metric->name, "peak_pss_bytes");
	assert_int_equal(rule->bound, BUDGET_ABSOLUTE);
	assert_true(rule->value == 6 * GIB);
	assert_string_equal(rule->text, "total.peak_pss_bytes");
	assert_int_equal(rule->line, 2);
	assert_false(rule->optional);
	assert_null(rule->because);
}

static void every_unit_has_one_meaning(void **state)
{
	static const struct {
		const char *line;
		double value;
	} rows[] = {
		{"total.peak_pss_bytes <= 0 B", 0},
		{"total.peak_pss_bytes <= 2.5GiB", 2.5 * GIB},
		{"total.peak_pss_bytes <= 1 TiB", 1024 * GIB},
		{"total.peak_pss_bytes <= 3 KiB", 3072},
		{"total.peak_pss_bytes <= 3 kB", 3000},
		{"total.peak_pss_bytes <= 1.5 MB", 1500000},
		{"total.peak_pss_bytes <= 2 GB", 2e9},
		{"total.peak_pss_bytes <= 2 TB", 2e12},
		{"total.peak_pss_bytes <= 0.0001 KiB", 0},
		{"total.peak_pss_bytes <= 1.9999 B", 1},
		{"total.peak_pss_bytes <= 0.1 MiB", 104857},
		{"total.peak_pss_bytes <= 0.33333333333333333333333333 GiB", 357913941},
		{"pool(*).stall_s <= 1500 ms", 1.5},
		{"pool(*).stall_s <= 20 s", 20},
		{"pool(*).stall_s <= 1.5 min", 90},
		{"pool(*).stall_s <= 2 h", 7200},
		{"total.idle_retained_byte_seconds <= 0.5 MiB.s", 0.5 * MIB},
		{"total.idle_retained_byte_seconds <= 3 GiB.s", 3 * GIB},
		{"total.idle_retained_byte_seconds <= 1 GiB.h", 3600 * GIB},
		{"loss.dropped_events <= 12", 12},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_true(rule_of(rows[i].line)->value == rows[i].value);
}

static void a_limit_may_be_a_share_off_optional_or_a_warning(void **state)
{
	const struct budget_rule *rule = rule_of("total.peak_pss_bytes <= 85.5% of limit");

	(void)state;
	assert_int_equal(rule->bound, BUDGET_OF_LIMIT);
	assert_true(rule->value == 85.5);
	assert_int_equal(rule_of("pool(test).private_bytes_max <= off")->bound, BUDGET_OFF);
	rule = rule_of(
		"warn pool(test).private_bytes_max<=1 B optional because \"a \\\"b\\\" # \\\\\" # c");
	assert_int_equal(rule->action, BUDGET_WARN);
	assert_true(rule->optional);
	assert_string_equal(rule->because, "a \"b\" # \\");
	rule = rule_of("loss.dropped_events <= 0 optional");
	assert_true(rule->optional);
}

static void selectors_take_fields_negation_and_quotes(void **state)
{
	const struct budget_rule *rule =
		rule_of("pool(!train,label=\"a, b\",epoch=1?,rank=0).private_bytes_max <= 1 B");
	const struct select_term *terms = rule->selector.terms;

	(void)state;
	assert_int_equal(rule->selector.count, 4);
	assert_int_equal(terms[0].field, SELECT_STAGE);
	assert_true(terms[0].negated);
	assert_string_equal(terms[1].glob, "a, b");
	assert_int_equal(terms[2].field, SELECT_EPOCH);
	assert_int_equal(terms[3].field, SELECT_RANK);
	assert_int_equal(rule_of("owner(0).private_bytes_max <= 1 B")->selector.terms[0].field,
			 SELECT_RANK);
	rule = rule_of("site(*build*,file=*/collate.py).live_bytes <= 1 B");
	assert_int_equal(rule->selector.terms[0].field, SELECT_FUNCTION);
	assert_int_equal(rule->selector.terms[1].field, SELECT_FILE);
}

static void a_baseline_has_a_tolerance(void **state)
{
	const struct budget_rule *rule = rule_of("baseline total.peak_pss_bytes +5% +16 MiB");

	(void)state;
	assert_int_equal(rule->kind, BUDGET_BASELINE);
	assert_true(rule->percent == 5 && rule->floor == 16 * MIB);
	rule = rule_of("warn baseline pool(train).private_bytes_max +2.5%");
	assert_int_equal(rule->action, BUDGET_WARN);
	assert_true(rule->percent == 2.5 && rule->floor == 0);
	assert_int_equal(rule_of("baseline total.peak_pss_bytes off because \"new model\"")->bound,
			 BUDGET_OFF);
}

static void a_finding_is_denied_warned_of_or_allowed_for_a_time(void **state)
{
	const struct budget_rule *rule = rule_of("deny finding idle-pool-retained");

	(void)state;
	assert_int_equal(rule->kind, BUDGET_FINDING);
	assert_string_equal(rule->finding, "idle-pool-retained");
	rule = rule_of("deny finding *(severity=high)");
	assert_int_equal(rule->selector.terms[0].field, SELECT_SEVERITY);
	assert_string_equal(rule->text, "*(severity=high)");
	assert_int_equal(rule_of("warn finding idle-pool-retained")->action, BUDGET_WARN);
	rule = rule_of(
		"allow finding idle-pool-retained(train) until 2027-03-31 because \"restart costs 40 s, #398\"");
	assert_int_equal(rule->action, BUDGET_ALLOW);
	assert_string_equal(rule->until, "2027-03-31");
	assert_string_equal(rule->because, "restart costs 40 s, #398");
	assert_true(rule->until_unix_s == 1806537600); /* 2027-04-01T00:00:00Z */
	assert_true(rule_of("allow finding idle-pool-retained until 2028-02-29 because \"x\"")
			    ->until_unix_s == 1835481600);
}

static void rules_stand_in_the_order_of_files_then_flags(void **state)
{
	(void)state;
	assert_int_equal(read_text("# why\n\n" HEADER "\n loss.dropped_events <= 0 # none\n"), 0);
	budget_add_max(&budget, "pool(train,label=a=b).private_bytes_max=2.5GiB", 1);
	assert_int_equal(budget.complaint_count, 1); /* = in a label must be in quotes */
	budget_add_max(&budget, "pool(train,label=\"a=b\").private_bytes_max=2.5GiB", 2);
	budget_add_max(&budget, "total.peak_pss_bytes=80% of limit", 3);
	budget_add_tolerance(&budget, "total.peak_pss_bytes=+3%+8MiB", 1);
	budget_add_tolerance(&budget, "total.peak_pss_bytes=off", 2);
	assert_int_equal(budget.complaint_count, 1);
	assert_int_equal(budget.rules.count, 5);
	assert_int_equal(budget.rules.items[0].line, 5);
	assert_true(budget.rules.items[0].from_file);
	assert_true(budget.rules.items[1].value == 2.5 * GIB);
	assert_string_equal(budget.rules.items[2].file, "--max");
	assert_false(budget.rules.items[2].from_file);
	assert_true(budget.rules.items[3].percent == 3 && budget.rules.items[3].floor == 8 * MIB);
	assert_int_equal(budget.rules.items[4].bound, BUDGET_OFF);
}

/* ---- mistakes ----------------------------------------------------------------------------------------------- */

static const struct {
	const char *line;
	unsigned column, width;
	const char *text;
} mistakes[] = {
	/* units */
	{"pool(train).private_bytes_max          <= 2.5G", 43, 4,
	 "\"2.5G\" has no clear unit: write \"2.5 GiB\" (2684354560 bytes) or \"2.5 GB\" (2500000000 bytes)"},
	{"total.peak_pss_bytes <= 10 mb", 25, 5,
	 "\"10 mb\" has no clear unit: write \"10 MiB\" (10485760 bytes) or \"10 MB\" (10000000 bytes)"},
	{"total.peak_pss_bytes <= 1 KB", 25, 4,
	 "\"1 KB\" has no clear unit: write \"1 KiB\" (1024 bytes) or \"1 kB\" (1000 bytes)"},
	{"total.peak_pss_bytes <= 1 gib", 25, 5, "\"1 gib\": write \"1 GiB\""},
	{"total.peak_pss_bytes <= 5 parsecs", 25, 9,
	 "no unit \"parsecs\": a size is written in B KiB MiB GiB TiB kB MB GB TB"},
	{"total.peak_pss_bytes <= 10 MBps", 25, 7,
	 "no unit \"MBps\": a size is written in B KiB MiB GiB TiB kB MB GB TB"},
	{"total.peak_pss_bytes <= 64", 25, 2, "\"64\" needs a unit: write \"64 MiB\" or \"64 B\""},
	{"total.peak_pss_bytes <= 0", 25, 1, "\"0\" needs a unit: write \"0 B\""},
	{"total.peak_pss_bytes <= 64 optional", 25, 2,
	 "\"64\" needs a unit: write \"64 MiB\" or \"64 B\""},
	{"pool(*).stall_s <= 20", 20, 2, "\"20\" needs a unit: write for example \"20 s\""},
	{"pool(*).stall_s <= 4 MiB", 20, 5,
	 "\"4 MiB\" is a size, but stall_s is a time: write for example \"20 s\""},
	{"loss.dropped_events <= 4 MiB", 24, 5,
	 "\"4 MiB\" is a size, but dropped_events is a count: write for example \"5\""},
	{"loss.dropped_events <= 4 pieces", 24, 8,
	 "dropped_events is a count: write \"4\" without a unit"},
	{"loss.dropped_events <= 0.5", 24, 3, "\"0.5\": a count is a whole number"},
	{"loss.dropped_events <= 99999999999999999999", 24, 20,
	 "\"99999999999999999999\" is too large"},
	{"total.peak_pss_bytes <= 16777216 TiB", 25, 12,
	 "\"16777216 TiB\" is too large: more than 64 bits"},
	{"total.peak_pss_bytes <= 99999999999G", 25, 12, "\"99999999999G\" is more than 16 EiB"},
	/* numbers */
	{"total.peak_pss_bytes <= -1 B", 25, 2, "a limit has no sign"},
	{"total.peak_pss_bytes <= .5 GiB", 25, 2, "a number begins with a digit: write 0.5"},
	{"total.peak_pss_bytes <= 1,5 GiB", 25, 3,
	 "\"1,5\": the decimal mark is a point with digits after it, and there is no thousands mark"},
	{"total.peak_pss_bytes <= 5. GiB", 25, 2,
	 "\"5.\": the decimal mark is a point with digits after it, and there is no thousands mark"},
	{"total.peak_pss_bytes <= 1e9 B", 25, 3, "\"1e9\": no exponent: write the number in full"},
	{"total.peak_pss_bytes <= much", 25, 4, "a number is expected here"},
	{"total.peak_pss_bytes <=", 24, 1, "a number is expected here"},
	/* shares */
	{"total.peak_pss_bytes <= 85%", 25, 3, "a share is written \"85% of limit\""},
	{"total.peak_pss_bytes <= 85% of RAM", 25, 7, "a share is written \"85% of limit\""},
	{"total.peak_pss_bytes <= 85 % of limit", 25, 2, "\"85\" is a share: write \"85%\""},
	{"pool(*).stall_s <= 85% of limit", 20, 12,
	 "the limit is one of memory, stall_s is not: write for example \"20 s\""},
	/* keys */
	{"worker(train).unshared_max <= 1 B", 15, 12,
	 "unknown metric \"unshared_max\" for worker: did you mean \"unshared_bytes_max\"?"},
	{"total.peak_rss_sum_bytes <= 1 B", 7, 18,
	 "resident bytes count shared pages once per process and are not gated: use total.peak_pss_bytes"},
	{"total.zzzz <= 1 B", 7, 4,
	 "unknown metric \"zzzz\" for total: loopmem check --list-keys has them all"},
	{"total <= 1 B", 6, 1, "a metric is missing, such as .peak_pss_bytes"},
	{"totl.peak_pss_bytes <= 1 B", 1, 4, "unknown key \"totl\": did you mean \"total\"?"},
	{"dney finding idle-pool-retained", 1, 4, "unknown key \"dney\": did you mean \"deny\"?"},
	{"<= 1 B", 1, 2, "unknown key \"<=\": loopmem check --list-keys has them all"},
	{"total(train).peak_pss_bytes <= 1 B", 6, 1, "\"total\" is one: it takes no selector"},
	{"pool.private_bytes_max <= 1 B", 1, 4, "\"pool\" needs a selector: write pool(*)"},
	{"pool(trian).private_bytes_max <= 1 B", 6, 5,
	 "unknown stage \"trian\": did you mean \"train\"?"},
	{"pool(lable=x).private_bytes_max <= 1 B", 6, 5,
	 "unknown field \"lable\": did you mean \"label\"?"},
	{"owner(stage=x).private_bytes_max <= 1 B", 7, 5, "unknown field \"stage\": only rank"},
	{"pool(train, label=x).private_bytes_max <= 1 B", 12, 1,
	 "no blanks between parentheses, but in quotes"},
	{"pool(train ).private_bytes_max <= 1 B", 11, 1,
	 "no blanks between parentheses, but in quotes"},
	{"pool().private_bytes_max <= 1 B", 6, 1,
	 "a name or a pattern is missing; * stands for any"},
	{"pool(label=a=b).private_bytes_max <= 1 B", 13, 1,
	 "\"=\" is not expected here: close with \")\""},
	{"pool(label=(a)).private_bytes_max <= 1 B", 12, 1, "\"(\" must be in quotes here"},
	{"pool(train", 5, 6, "\"(\" has no \")\""},
	{"pool(train,validate).private_bytes_max <= 1 B", 12, 8,
	 "a second stage: all terms must match, write one line for each"},
	{"total.peak_pss_bytes < 1 B", 22, 1,
	 "\"<=\" is expected after a key, such as  total.peak_pss_bytes <= 64 MiB"},
	{"total.peak_pss_bytes <= 1 B forever", 29, 7, "\"forever\" is not expected here"},
	{"total.peak_pss_bytes <= 1 B because x", 37, 1,
	 "a text in quotes is expected here: \"...\""},
	{"total.peak_pss_bytes <= 1 B because \"x", 37, 2, "the quotes are not closed"},
	{"total.peak_pss_bytes <= 1 B because \"\"", 37, 2, "the text is empty"},
	/* baselines */
	{"baseline total.peak_pss_bytes 5%", 31, 2, "growth is written \"+5%\" or \"+5% +64 MiB\""},
	{"baseline total.peak_pss_bytes +5", 32, 1, "\"5\" is a share: write \"5%\""},
	{"baseline total.peak_pss_bytes +5% +16", 36, 2,
	 "\"16\" needs a unit: write \"16 MiB\" or \"16 B\""},
	{"baseline pool(train,epoch=1).private_bytes_max +5%", 10, 37,
	 "a baseline knows no single epoch: leave the epoch out"},
	/* findings */
	{"deny idle-pool-retained", 1, 4, "\"deny\" is followed by \"finding\""},
	{"deny finding", 13, 1, "the id of a finding is missing, such as \"idle-pool-retained\""},
	{"deny finding idle-pool-retaind", 14, 17,
	 "unknown finding \"idle-pool-retaind\": did you mean \"idle-pool-retained\"?"},
	{"deny finding zzz*", 14, 4, "unknown finding \"zzz*\": loopmem help lists them"},
	{"deny finding *(severity=hihg)", 25, 4,
	 "unknown severity \"hihg\": did you mean \"high\"?"},
	{"allow finding idle-pool-retained because \"x\"", 1, 5,
	 "\"allow\" needs a last day: add  until 2027-03-31"},
	{"allow finding idle-pool-retained until 2027-03-31", 1, 5,
	 "\"allow\" needs a reason: add  because \"...\""},
	{"allow finding idle-pool-retained until 31.3.2027 because \"x\"", 40, 9,
	 "a date is written 2027-03-31"},
	{"allow finding idle-pool-retained until 2027-02-29 because \"x\"", 40, 10,
	 "2027-02-29 is not a date"},
	{"allow finding idle-pool-retained until 2027-13-01 because \"x\"", 40, 10,
	 "2027-13-01 is not a date"},
};

static void every_mistake_is_shown_with_its_place_and_the_fix(void **state)
{
	char text[512];

	(void)state;
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		const struct budget_complaint *c = budget.complaints;

		snprintf(text, sizeof(text), HEADER "%s\n", mistakes[i].line);
		assert_int_equal(read_text(text), 0);
		if (budget.complaint_count != 1 || c->column != mistakes[i].column ||
		    c->width != mistakes[i].width || strcmp(c->text, mistakes[i].text) != 0)
			fail_msg("%s: %zu complaints, %u+%u: %s", mistakes[i].line,
				 budget.complaint_count, c->column, c->width,
				 c->text ? c->text : "");
		assert_int_equal(c->line, 2);
		assert_string_equal(c->source, mistakes[i].line);
		assert_int_equal(budget.rules.count, 0);
		budget_release(&budget);
	}
}

static void all_mistakes_of_a_file_are_shown_in_order(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEADER "total.peak_pss_bytes <= 1\n"
					  "total.peak_pss_bytes <= 1 B\n"
					  "allow finding idle-pool-retained until 2027-02-30\n"),
			 0);
	assert_int_equal(budget.complaint_count, 3);
	assert_int_equal(budget.complaints[0].line, 2);
	assert_int_equal(budget.complaints[1].line, 4);
	assert_int_equal(budget.complaints[1].column, 1);
	assert_int_equal(budget.complaints[2].column, 40);
	assert_int_equal(budget.rules.count, 1);
}

static void the_first_line_names_the_form(void **state)
{
	static const struct {
		const char *file, *text;
		unsigned line;
	} rows[] = {
		{"loopmem-budget 2\nx\n",
		 "first line must be \"loopmem-budget 1\"; this file says 2, written for a newer loopmem",
		 1},
		{"total.peak_pss_bytes <= 1 B\n", "first line must be \"loopmem-budget 1\"", 1},
		{"# x\n{\"a\":\n1}", "first line must be \"loopmem-budget 1\"", 2},
		{"loopmem-budget 1 x\n", "first line must be \"loopmem-budget 1\"", 1},
		{"loopmem-budget\n", "first line must be \"loopmem-budget 1\"", 1},
		{"", "first line must be \"loopmem-budget 1\"; this file has none", 1},
		{"\n# only this\n", "first line must be \"loopmem-budget 1\"; this file has none",
		 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(read_text(rows[i].file), 0);
		assert_int_equal(budget.complaint_count, 1);
		assert_string_equal(budget.complaints[0].text, rows[i].text);
		assert_int_equal(budget.complaints[0].line, rows[i].line);
		budget_release(&budget);
	}
}

static void bytes_that_are_no_text_are_refused_with_their_place(void **state)
{
	static const char nul[] = HEADER "loss.dropped\0_events <= 0\n";

	(void)state;
	assert_int_equal(read_bytes(nul, sizeof(nul) - 1), 0);
	assert_string_equal(budget.complaints[0].text, "the line holds a NUL byte");
	assert_int_equal(budget.complaints[0].column, 13);
	budget_release(&budget);
	assert_int_equal(read_text(HEADER "pool(label=\xC3\xA9\xE9).stall_s <= 1 s\n"), 0);
	assert_string_equal(budget.complaints[0].text, "byte 0xE9 is not UTF-8");
	assert_int_equal(budget.complaints[0].column, 13);
	budget_release(&budget);
	assert_int_equal(read_text("loopmem-budget 1\r\nx\r\n"), 0);
	assert_int_equal(budget.complaint_count, 1);
	assert_string_equal(budget.complaints[0].text,
			    "a carriage return: save the file with line feeds only");
}

static void a_file_without_a_rule_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(read_text(HEADER "# nothing yet\n"), ERROR_USAGE);
	assert_non_null(strstr(error.text, "holds no rule"));
}

static void a_file_that_cannot_be_read_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(budget_read_file(&budget, "/nonexistent/b", &error), ERROR_USAGE);
	assert_string_equal(error.text,
			    "cannot read the budget /nonexistent/b: No such file or directory");
	assert_int_equal(budget_read_file(&budget, "/tmp", &error), ERROR_USAGE);
	assert_string_equal(error.text, "cannot read the budget /tmp: Is a directory");
	assert_int_equal(budget_read_file(&budget, "/dev/zero", &error), ERROR_USAGE);
	assert_non_null(strstr(error.text, strerror(EFBIG)));
}

static void many_mistakes_are_counted_and_the_first_kept(void **state)
{
	char text[8192] = HEADER;

	(void)state;
	for (int i = 0; i < 200; i++)
		strcat(text, "nonsense <= 1\n");
	assert_int_equal(read_text(text), 0);
	assert_int_equal(budget.complaint_count, 200);
	assert_int_equal(budget.complaints[BUDGET_COMPLAINTS - 1].line, BUDGET_COMPLAINTS + 1);
}

/* Every byte of a long valid budget replaced by every kind of byte: nothing but complaints may come of it. */
static void no_damage_breaks_the_reader(void **state)
{
	static const char good[] = HEADER
		"warn pool(validate,label=\"val *\",epoch=!1).idle_retained_bytes_max <= 16.5 MiB optional because \"x\"\n"
		"total.peak_pss_bytes <= 85% of limit\n"
		"baseline total.peak_pss_bytes +5% +16 MiB\n"
		"allow finding idle-pool-retained(train) until 2027-03-31 because \"y\"\n";
	static const char damage[] = "\0\n\"(),=%!*#\xFF\xC3 9Gz";
	char text[sizeof(good)];
	size_t readable = 0;

	(void)state;
	for (size_t at = 0; at < sizeof(good) - 1; at++) {
		for (size_t d = 0; d < sizeof(damage) - 1; d++) {
			memcpy(text, good, sizeof(good));
			text[at] = damage[d];
			readable += read_bytes(text, sizeof(good) - 1) == 0;
			budget_release(&budget);
		}
		readable += read_bytes(good, at) == 0;
		budget_release(&budget);
	}
	assert_true(readable > sizeof(good));
}

static void globs_match_whole_values(void **state)
{
	(void)state;
	assert_true(glob_matches("*", ""));
	assert_true(glob_matches("a*c", "abbc"));
	assert_true(glob_matches("*/collate.py", "/x/y/collate.py"));
	assert_true(glob_matches("?x", "\xC3\xA9x"));
	assert_true(glob_matches("*a*b*c", "xxaxxbxxc"));
	assert_false(glob_matches("a", "ab"));
	assert_false(glob_matches("ab", "a"));
	assert_false(glob_matches("", "a"));
	assert_false(glob_matches("?", ""));
	assert_false(glob_matches("*a*b", "xaxbx"));
	assert_false(
		glob_matches("a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
}

static void a_selector_asks_all_its_terms(void **state)
{
	const struct select_subject train = {
		.values = {[SELECT_STAGE] = "train", [SELECT_LABEL] = "big", [SELECT_EPOCH] = "3"}};
	const struct select_subject bare = {.values = {[SELECT_STAGE] = "train"}};
	static const struct {
		const char *key;
		int train, bare;
	} rows[] = {
		{"pool(train)", 1, 1},
		{"pool(!train)", 0, 0},
		{"pool(*)", 1, 1},
		{"pool(train,label=big)", 1, 0},
		{"pool(train,label=*)", 1, 1},
		{"pool(label=!big)", 0, 1},
		{"pool(train,epoch=2)", 0, 0},
		{"pool(!sanity,!validate)", 1, 1},
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct budget_rule *rule;

		snprintf(line, sizeof(line), "%s.private_bytes_max <= 1 B", rows[i].key);
		rule = rule_of(line);
		assert_int_equal(selector_matches(&rule->selector, &train), rows[i].train);
		assert_int_equal(selector_matches(&rule->selector, &bare), rows[i].bare);
	}
	assert_true(selector_is_literal(&rule_of("pool(train).stall_s <= 1 s")->selector));
	assert_false(selector_is_literal(&rule_of("pool(t*).stall_s <= 1 s")->selector));
	assert_false(selector_is_literal(&rule_of("pool(!train).stall_s <= 1 s")->selector));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_limit_has_a_key_and_a_bound, forget),
		cmocka_unit_test_teardown(every_unit_has_one_meaning, forget),
		cmocka_unit_test_teardown(a_limit_may_be_a_share_off_optional_or_a_warning, forget),
		cmocka_unit_test_teardown(selectors_take_fields_negation_and_quotes, forget),
		cmocka_unit_test_teardown(a_baseline_has_a_tolerance, forget),
		cmocka_unit_test_teardown(a_finding_is_denied_warned_of_or_allowed_for_a_time,
					  forget),
		cmocka_unit_test_teardown(rules_stand_in_the_order_of_files_then_flags, forget),
		cmocka_unit_test_teardown(every_mistake_is_shown_with_its_place_and_the_fix,
					  forget),
		cmocka_unit_test_teardown(all_mistakes_of_a_file_are_shown_in_order, forget),
		cmocka_unit_test_teardown(the_first_line_names_the_form, forget),
		cmocka_unit_test_teardown(bytes_that_are_no_text_are_refused_with_their_place,
					  forget),
		cmocka_unit_test_teardown(a_file_without_a_rule_is_an_error, forget),
		cmocka_unit_test_teardown(a_file_that_cannot_be_read_is_an_error, forget),
		cmocka_unit_test_teardown(many_mistakes_are_counted_and_the_first_kept, forget),
		cmocka_unit_test_teardown(no_damage_breaks_the_reader, forget),
		cmocka_unit_test(globs_match_whole_values),
		cmocka_unit_test_teardown(a_selector_asks_all_its_terms, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
