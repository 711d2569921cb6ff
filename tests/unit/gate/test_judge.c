/* Claims about the judge (profiler/gate/result.h): every kind of rule within, over, skipped, unmatched; and the exit code. */
#include "tests/unit/gate/made_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct made_model made[4];
static struct made_check check;

static int fill(void **state)
{
	static const char *const files[] = {"a.loopmem", "b.loopmem", "c.loopmem", "d.loopmem"};

	(void)state;
	for (size_t i = 0; i < COUNT(made); i++)
		made_model_fill(&made[i], files[i]);
	return 0;
}

static int forget(void **state)
{
	(void)state;
	made_check_release(&check);
	return 0;
}

/* What comes of one line, judged on one run. */
static const struct row *judge_line(const char *line, const char *key)
{
	made_check_release(&check);
	made_check_judge(&check, line, made, 1);
	return made_check_row(&check, key);
}

static void every_kind_of_limit_is_within_or_over(void **state)
{
	static const struct {
		const char *line, *key;
		enum verdict verdict;
		double value;
	} rows[] = {
		{"total.peak_pss_bytes <= 4 GiB", "total.peak_pss_bytes", VERDICT_WITHIN, 4 * GIB},
		{"total.peak_pss_bytes <= 4095 MiB", "total.peak_pss_bytes", VERDICT_OVER, 4 * GIB},
		{"total.peak_pss_bytes <= 50% of limit", "total.peak_pss_bytes", VERDICT_WITHIN,
		 4 * GIB},
		{"total.peak_pss_bytes <= 49.9% of limit", "total.peak_pss_bytes", VERDICT_OVER,
		 4 * GIB},
		{"total.idle_retained_seconds <= 20 s", "total.idle_retained_seconds",
		 VERDICT_WITHIN, 20},
		{"total.idle_retained_seconds <= 19 s", "total.idle_retained_seconds", VERDICT_OVER,
		 20},
		{"total.idle_retained_byte_seconds <= 19 GiB.s", "total.idle_retained_byte_seconds",
		 VERDICT_OVER, 20 * GIB},
		{"owner(*).private_bytes_max <= 1 GiB", "owner(0).private_bytes_max", VERDICT_OVER,
		 2 * GIB},
		{"pool(train).private_bytes_max <= 300 MiB",
		 "pool(train,label=train_loader).private_bytes_max", VERDICT_WITHIN, 300 * MIB},
		{"pool(train).private_bytes_max <= 299 MiB",
		 "pool(train,label=train_loader).private_bytes_max", VERDICT_OVER, 300 * MIB},
		{"pool(train,epoch=0).private_bytes_max <= 299 MiB",
		 "pool(train,label=train_loader).private_bytes_max", VERDICT_WITHIN, 100 * MIB},
		{"pool(validate).stall_s <= 2 s", "pool(validate).stall_s", VERDICT_OVER, 3},
		{"worker(train).private_bytes_max <= 150 MiB",
		 "worker(train,label=train_loader).private_bytes_max", VERDICT_WITHIN, 150 * MIB},
		{"worker(validate).live_heap_bytes_max <= 39 MiB",
		 "worker(validate).live_heap_bytes_max", VERDICT_OVER, 40 * MIB},
		{"phase(validate).peak_pss_bytes <= 4 GiB", "phase(validate).peak_pss_bytes",
		 VERDICT_WITHIN, 4 * GIB},
		{"phase(train).peak_pss_bytes <= 25% of limit", "phase(train).peak_pss_bytes",
		 VERDICT_OVER, 3 * GIB},
		{"loss.dropped_events <= 0", "loss.dropped_events", VERDICT_WITHIN, 0},
		{"overhead.cpu_seconds <= 0 s", "overhead.cpu_seconds", VERDICT_WITHIN, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = judge_line(rows[i].line, rows[i].key);

		if (row->verdict != rows[i].verdict || row->value != rows[i].value)
			fail_msg("%s: %s, %g", rows[i].line, verdict_word(row->verdict),
				 row->value);
		assert_int_equal(check.result.exit_code, row->verdict == VERDICT_OVER);
	}
}

static void a_literal_selector_that_matches_nothing_fails(void **state)
{
	static const struct {
		const char *line, *key;
		enum verdict verdict;
	} rows[] = {
		{"pool(test).private_bytes_max <= 1 GiB", "pool(test).private_bytes_max",
		 VERDICT_UNMATCHED},
		{"pool(train,label=old).private_bytes_max <= 1 GiB",
		 "pool(train,label=old).private_bytes_max", VERDICT_UNMATCHED},
		{"pool(test).private_bytes_max <= 1 GiB optional", "pool(test).private_bytes_max",
		 VERDICT_SKIPPED},
		{"pool(train,label=old*).private_bytes_max <= 1 GiB",
		 "pool(train,label=old*).private_bytes_max", VERDICT_SKIPPED},
		{"phase(test).stall_s <= 1 s", "phase(test).stall_s", VERDICT_UNMATCHED},
		{"worker(predict).private_bytes_max <= 1 B", "worker(predict).private_bytes_max",
		 VERDICT_UNMATCHED},
		{"owner(7).private_bytes_max <= 1 B", "owner(7).private_bytes_max",
		 VERDICT_UNMATCHED},
		{"site(*).live_bytes <= 1 B", "site(*).live_bytes", VERDICT_SKIPPED},
		{"site(main).live_bytes <= 1 B", "site(main).live_bytes", VERDICT_UNMATCHED},
		{"baseline pool(test).private_bytes_max +5%", "pool(test).private_bytes_max",
		 VERDICT_UNMATCHED},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row = judge_line(rows[i].line, rows[i].key);

		if (row->verdict != rows[i].verdict)
			fail_msg("%s: %s", rows[i].line, verdict_word(row->verdict));
		assert_int_equal(check.result.exit_code, row->verdict == VERDICT_UNMATCHED);
	}
	made_check_release(&check);
	made_check_judge(&check, "pool(test).stall_s <= off\npool(*).stall_s <= 9 s", made, 1);
	assert_int_equal(check.result.exit_code, 0); /* lifting what is not there is no mistake */
}

static void a_share_of_no_limit_is_skipped(void **state)
{
	(void)state;
	made[0].model.totals.limit_source = "RAM";
	assert_int_equal(
		judge_line("total.peak_pss_bytes <= 1% of limit", "total.peak_pss_bytes")->verdict,
		VERDICT_SKIPPED);
	made[0].model.totals.limit_bytes = MODEL_NONE;
	made[0].model.totals.limit_source = "";
	assert_int_equal(
		judge_line("total.peak_pss_bytes <= 1% of limit", "total.peak_pss_bytes")->verdict,
		VERDICT_SKIPPED);
	assert_int_equal(check.result.exit_code, 0);
}

static void the_last_matching_line_decides(void **state)
{
	(void)state;
	made_check_judge(&check,
			 "pool(*).private_bytes_max <= 1 MiB\n"
			 "pool(train).private_bytes_max <= 1 GiB\n"
			 "pool(validate,epoch=1).private_bytes_max <= off\n",
			 made, 1);
	assert_int_equal(check.result.rows.count, 2);
	assert_int_equal(
		made_check_row(&check, "pool(train,label=train_loader).private_bytes_max")->verdict,
		VERDICT_WITHIN);
	/* epoch 1 is lifted: the general line still judges epoch 0 */
	assert_true(made_check_row(&check, "pool(validate).private_bytes_max")->value == 200 * MIB);
	assert_int_equal(check.result.exit_code, 1);
	made_check_release(&check);
	made_check_judge(
		&check,
		"pool(train).private_bytes_max <= 1 GiB\npool(*).private_bytes_max <= 1 MiB\n",
		made, 1);
	assert_int_equal(
		made_check_row(&check, "pool(train,label=train_loader).private_bytes_max")->verdict,
		VERDICT_OVER);
}

static void a_flag_beats_a_file(void **state)
{
	struct error e;
	struct model *models[] = {&made[0].model};

	(void)state;
	made_budget(&check.budget, "total.peak_pss_bytes <= 1 GiB");
	budget_add_max(&check.budget, "total.peak_pss_bytes=5GiB", 1);
	assert_int_equal(run_make(&check.runs[0], models, 1, &e), 0);
	check.run_count = 1;
	assert_int_equal(judge(&check.result, &check.budget, check.runs, 1, &check.baseline,
			       &check.options, &e),
			 0);
	assert_int_equal(check.result.rows.count, 1);
	assert_string_equal(check.result.rows.items[0].rule->file, "--max");
	assert_int_equal(check.result.exit_code, 0);
}

static void a_size_and_a_share_hold_both(void **state)
{
	(void)state;
	made_check_judge(&check,
			 "total.peak_pss_bytes <= 1 GiB\ntotal.peak_pss_bytes <= 90% of limit\n",
			 made, 1);
	assert_int_equal(check.result.rows.count, 2);
	assert_int_equal(check.result.counts[VERDICT_OVER], 1);
	assert_int_equal(check.result.counts[VERDICT_WITHIN], 1);
}

static void a_warning_is_told_and_fails_nothing(void **state)
{
	(void)state;
	assert_int_equal(
		judge_line("warn total.peak_pss_bytes <= 1 GiB", "total.peak_pss_bytes")->verdict,
		VERDICT_OVER);
	assert_int_equal(check.result.exit_code, 0);
	assert_int_equal(check.result.failing, 0);
	assert_string_equal(result_word(&check.result), "within");
}

static void what_the_session_does_not_tell_cannot_be_checked(void **state)
{
	(void)state;
	made[0].pools[0].guessed = 1;
	assert_int_equal(judge_line("pool(train).private_bytes_max <= 1 GiB",
				    "pool(train,label=train_loader).private_bytes_max")
				 ->verdict,
			 VERDICT_UNMEASURED);
	assert_int_equal(check.result.exit_code, 3);
	assert_string_equal(result_word(&check.result), "unmeasured");
	/* the peak needs no pools */
	assert_int_equal(
		judge_line("total.peak_pss_bytes <= 4 GiB", "total.peak_pss_bytes")->verdict,
		VERDICT_WITHIN);
	made[0].pools[0].guessed = 0;
	made[0].processes[1].instrumented = 0;
	assert_int_equal(judge_line("worker(train).live_heap_bytes_max <= 1 GiB",
				    "worker(train,label=train_loader).live_heap_bytes_max")
				 ->verdict,
			 VERDICT_UNMEASURED);
	/* what is over stays over, whatever else is unknown */
	assert_int_equal(judge_line("worker(train).live_heap_bytes_max <= 1 MiB",
				    "worker(train,label=train_loader).live_heap_bytes_max")
				 ->verdict,
			 VERDICT_OVER);
	assert_int_equal(check.result.exit_code, 1);
}

static void the_median_of_several_runs_is_judged(void **state)
{
	(void)state;
	made[1].model.totals.peak_bytes = (int64_t)(9 * GIB);
	made[2].model.totals.peak_bytes = (int64_t)(5 * GIB);
	made_check_judge(&check, "total.peak_pss_bytes <= 5 GiB", made, 3);
	assert_true(made_check_row(&check, "total.peak_pss_bytes")->value == 5 * GIB);
	assert_string_equal(made_check_row(&check, "total.peak_pss_bytes")->run->models[0]->file,
			    "c.loopmem");
	assert_int_equal(check.result.exit_code, 0);
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

#define RETAINED "idle-pool-retained(train,label=train_loader)"

static void findings_are_denied_allowed_and_warned_of(void **state)
{
	static const struct {
		const char *lines, *key;
		enum verdict verdict;
		int exit_code;
	} rows[] = {
		{"deny finding idle-pool-retained", RETAINED, VERDICT_DENIED, 1},
		{"deny finding idle-pool-retained(train)", RETAINED, VERDICT_DENIED, 1},
		{"deny finding *(severity=medium)", RETAINED, VERDICT_DENIED, 1},
		{"deny finding *(severity=warning)", RETAINED, VERDICT_DENIED, 1},
		{"deny finding *(severity=error)", "*(severity=error)", VERDICT_WITHIN, 0},
		{"deny finding idle-pool-retained(validate)", "idle-pool-retained(validate)",
		 VERDICT_WITHIN, 0},
		{"warn finding idle-pool-retained", RETAINED, VERDICT_DENIED, 0},
		{"deny finding *\nwarn finding idle-*", RETAINED, VERDICT_DENIED, 0},
		{"deny finding *\nallow finding idle-*(train) until 2027-03-31 because \"x\"",
		 RETAINED, VERDICT_ALLOWED, 0},
		{"deny finding *\nallow finding idle-*(validate) until 2027-03-31 because \"x\"",
		 RETAINED, VERDICT_DENIED, 1},
		{"allow finding idle-* until 2027-03-31 because \"x\"\ndeny finding idle-*",
		 RETAINED, VERDICT_DENIED, 1},
		/* the run began on 2027-01-15 */
		{"deny finding *\nallow finding idle-* until 2027-01-14 because \"x\"", RETAINED,
		 VERDICT_DENIED, 1},
		{"deny finding *\nallow finding idle-* until 2027-01-15 because \"x\"", RETAINED,
		 VERDICT_ALLOWED, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *row;

		made_check_release(&check);
		made_check_judge(&check, rows[i].lines, made, 1);
		row = made_check_row(&check, rows[i].key);
		if (row->verdict != rows[i].verdict || check.result.exit_code != rows[i].exit_code)
			fail_msg("%s: %s, exit %d", rows[i].lines, verdict_word(row->verdict),
				 check.result.exit_code);
	}
}

static void an_ended_allowance_is_remembered_and_one_near_its_end_is_told(void **state)
{
	(void)state;
	made_check_judge(&check,
			 "deny finding *\nallow finding idle-* until 2027-01-01 because \"x\"",
			 made, 1);
	assert_string_equal(made_check_row(&check, RETAINED)->expired->until, "2027-01-01");
	assert_int_equal(check.result.notices.count, 0);
	made_check_release(&check);
	made_check_judge(&check, "allow finding idle-* until 2027-01-28 because \"x\"", made, 1);
	assert_int_equal(check.result.notices.count, 1);
	assert_string_equal(check.result.notices.items[0],
			    "idle-* is allowed until 2027-01-28 only: x");
	made_check_release(&check);
	made_check_judge(&check, "allow finding idle-* until 2027-01-30 because \"x\"", made, 1);
	assert_int_equal(check.result.notices.count, 0);
}

static void a_finding_counts_when_most_runs_have_it(void **state)
{
	(void)state;
	made[1].model.finding_count = made[2].model.finding_count = 0;
	made_check_judge(&check, "deny finding idle-pool-retained", made, 3);
	assert_int_equal(made_check_row(&check, RETAINED)->verdict, VERDICT_WITHIN);
	assert_string_equal(made_check_row(&check, RETAINED)->reason, "in 1 of 3 runs");
	made[2].model.finding_count = 1;
	made_check_release(&check);
	made_check_judge(&check, "deny finding idle-pool-retained", made, 3);
	assert_int_equal(made_check_row(&check, RETAINED)->verdict, VERDICT_DENIED);
}

/* ---- the run's end -------------------------------------------------------------------------------------------------- */

static void a_failed_program_and_lost_data_are_told(void **state)
{
	(void)state;
	made[0].model.exit_code = 3;
	made[1].model.end = MODEL_KILLED;
	made[1].model.exit_signal = 9;
	made[1].model.dropped = 12;
	made_check_judge(&check, "total.peak_pss_bytes <= 5 GiB", made, 2);
	assert_int_equal(check.result.notices.count, 3);
	assert_non_null(
		strstr(check.result.notices.items[0], "a.loopmem: the program failed with exit 3"));
	assert_non_null(strstr(check.result.notices.items[1], "killed by SIGKILL"));
	assert_non_null(strstr(check.result.notices.items[2], "12 events"));
}

/* ---- ranks ------------------------------------------------------------------------------------------------------------ */

static void make_rank(struct made_model *m, const char *job, int64_t rank, int64_t start_s)
{
	m->model.job = job;
	m->processes[0].rank = rank;
	m->model.started_unix_ns = (1800000000 + start_s) * SECOND;
}

static void sessions_of_one_job_at_one_time_are_ranks_others_are_repeats(void **state)
{
	struct model *models[] = {&made[0].model, &made[1].model, &made[2].model, &made[3].model};
	size_t ends[4], jobs;
	struct error e;

	(void)state;
	make_rank(&made[0], "17", 0, 0);
	make_rank(&made[1], "18", 0, 0);
	make_rank(&made[2], "17", 1, 5);
	make_rank(&made[3], "17", 0, 500); /* the same job again, later */
	assert_int_equal(runs_group(models, 4, ends, &jobs, &e), 0);
	assert_int_equal(jobs, 3);
	assert_int_equal(ends[0], 2);
	assert_ptr_equal(models[1], &made[2].model);
	assert_ptr_equal(models[2], &made[1].model);
	make_rank(&made[3], "17", 1, 6);
	assert_int_equal(runs_group(models, 4, ends, &jobs, &e), ERROR_USAGE);
	assert_non_null(strstr(e.text, "are both rank 1 of job 17"));
	made[2].model.job = made[3].model.job = ""; /* no scheduler: repeats */
	assert_int_equal(runs_group(models, 4, ends, &jobs, &e), 0);
	assert_int_equal(jobs, 4);
}

static void set_rounds(struct made_model *m, const double gib[], size_t count)
{
	m->model.round_count = count;
	for (size_t i = 0; i < count; i++)
		m->rounds[i] = (struct model_round){.t_ns = (int64_t)i * 10 * SECOND,
						    .total_bytes = (int64_t)(gib[i] * GIB),
						    .held_idle_bytes = (int64_t)(gib[i] * GIB / 2)};
}

static void totals_of_ranks_are_sums_at_one_instant(void **state)
{
	struct model *models[] = {&made[0].model, &made[1].model};
	struct model_totals t;

	(void)state;
	/* peaks of 5 and 6 GiB, 10 s apart: never 11 at once */
	set_rounds(&made[0], (const double[]){1, 5, 1, 1}, 4);
	set_rounds(&made[1], (const double[]){1, 1, 6, 1}, 4);
	assert_int_equal(job_totals(&t, models, 2), 0);
	assert_true(t.peak_bytes == (int64_t)(7 * GIB));
	assert_int_equal(t.peak_at_ns, 20 * SECOND);
	assert_true(t.idle_max_bytes == (int64_t)(3.5 * GIB));
	assert_true(t.peak_without_idle_bytes == (int64_t)(3.5 * GIB));
	assert_true(t.idle_byte_seconds == 40 * GIB);
	/* begun 10 s later, the second one's peak meets the first one's end */
	made[1].model.started_unix_ns -= 10 * SECOND;
	assert_int_equal(job_totals(&t, models, 2), 0);
	assert_true(t.peak_bytes == (int64_t)(11 * GIB));
	/* a session that has ended holds nothing any more */
	made[0].model.last_ns = 15 * SECOND;
	made[1].model.started_unix_ns += 20 * SECOND;
	assert_int_equal(job_totals(&t, models, 2), 0);
	assert_true(t.peak_bytes == (int64_t)(6 * GIB));
}

static void ranks_are_subjects_of_their_own_and_a_share_is_a_hosts(void **state)
{
	struct model *models[] = {&made[0].model, &made[1].model};
	struct run *run = &check.runs[0];
	struct error e;

	(void)state;
	make_rank(&made[0], "17", 0, 0);
	make_rank(&made[1], "17", 1, 0);
	made[1].model.host = "node18";
	set_rounds(&made[0], (const double[]){4, 4}, 2);
	set_rounds(&made[1], (const double[]){7, 7}, 2);
	made[1].model.totals.peak_bytes = (int64_t)(7 * GIB);
	check.run_count = 1;
	assert_int_equal(run_make(run, models, 2, &e), 0);
	made_budget(&check.budget,
		    "total.peak_pss_bytes <= 10 GiB\ntotal.peak_pss_bytes <= 80% of limit\n"
		    "pool(train,rank=1).private_bytes_max <= 1 B\n"
		    "owner(*).private_bytes_max <= 3 GiB\n");
	assert_int_equal(judge(&check.result, &check.budget, run, 1, &check.baseline,
			       &check.options, &e),
			 0);
	assert_int_equal(made_check_row(&check, "owner(0).private_bytes_max")->verdict,
			 VERDICT_WITHIN);
	assert_int_equal(made_check_row(&check, "owner(1).private_bytes_max")->verdict,
			 VERDICT_WITHIN);
	assert_int_equal(made_check_row(&check,
					"pool(train,label=train_loader,rank=1).private_bytes_max")
				 ->verdict,
			 VERDICT_OVER);
	/* 11 GiB in all are over 10; node18 alone has 7 of 8, over 80 %: two rows of one key */
	assert_int_equal(check.result.counts[VERDICT_OVER], 3);
	assert_true(check.result.rows.items[0].value == 11 * GIB);
	assert_true(check.result.rows.items[1].value == 7 * GIB);
}

static void names_can_be_written_into_a_budget_again(void **state)
{
	(void)state;
	made[0].pools[TRAIN0].label = made[0].pools[TRAIN1].label = "hard \"neg\"atives, \xFF";
	made_check_judge(&check, "pool(train).private_bytes_max <= 1 B", made, 1);
	assert_string_equal(
		check.result.rows.items[0].key,
		"pool(train,label=\"hard \\\"neg\\\"atives, \xEF\xBF\xBD\").private_bytes_max");
	made_check_release(&check);
	made_check_judge(
		&check,
		"pool(train,label=\"hard \\\"neg\\\"atives, \xEF\xBF\xBD\").private_bytes_max <= 1 B",
		made, 1);
	assert_int_equal(check.result.rows.items[0].verdict, VERDICT_OVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fill, forget)
		TEST(every_kind_of_limit_is_within_or_over),
		TEST(a_literal_selector_that_matches_nothing_fails),
		TEST(a_share_of_no_limit_is_skipped),
		TEST(the_last_matching_line_decides),
		TEST(a_flag_beats_a_file),
		TEST(a_size_and_a_share_hold_both),
		TEST(a_warning_is_told_and_fails_nothing),
		TEST(what_the_session_does_not_tell_cannot_be_checked),
		TEST(the_median_of_several_runs_is_judged),
		TEST(findings_are_denied_allowed_and_warned_of),
		TEST(an_ended_allowance_is_remembered_and_one_near_its_end_is_told),
		TEST(a_finding_counts_when_most_runs_have_it),
		TEST(a_failed_program_and_lost_data_are_told),
		TEST(sessions_of_one_job_at_one_time_are_ranks_others_are_repeats),
		TEST(totals_of_ranks_are_sums_at_one_instant),
		TEST(ranks_are_subjects_of_their_own_and_a_share_is_a_hosts),
		TEST(names_can_be_written_into_a_budget_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
