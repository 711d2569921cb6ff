/* Claims about baselines: their files, environments, and what the judge makes of them. */
#include "tests/unit/gate/made_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/gate/environment.h"

enum { RUNS = 12 };

static struct made_model made[RUNS];
static struct run runs[RUNS];
static struct model *models[RUNS];
static struct made_check check;
static char directory[] = "/tmp/test_baseline.XXXXXX";
static char file[sizeof(directory) + 16];
static struct error error;

static int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	sprintf(file, "%s/base.json", directory);
	return 0;
}

static int remove_directory(void **state)
{
	(void)state;
	return rmdir(directory);
}

static int fill(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++)
		made_model_fill(&made[i], "x.loopmem");
	return 0;
}

static int forget(void **state)
{
	(void)state;
	made_check_release(&check);
	for (size_t i = 0; i < RUNS; i++)
		run_release(&runs[i]);
	memset(runs, 0, sizeof(runs));
	unlink(file);
	return 0;
}

static void make_runs(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		models[i] = &made[i].model;
		run_release(&runs[i]);
		assert_int_equal(run_make(&runs[i], &models[i], 1, &error), 0);
	}
}

static struct baseline_written write_runs(size_t from, size_t to, const char *commit,
					  const char *lines)
{
	struct baseline_written written;
	struct budget budget = {0};

	make_runs(from, to);
	made_budget(&budget, lines);
	assert_int_equal(
		baseline_write(file, runs + from, to - from, commit, &budget, &written, &error), 0);
	budget_release(&budget);
	return written;
}

/* Judges made[0] against the file. */
static void judge_against_file(const char *lines)
{
	make_runs(0, 1);
	check.baseline.wanted = 1;
	assert_int_equal(baseline_add_file(&check.baseline, file, &runs[0], &error), 0);
	made_check_judge(&check, lines, made, 1);
}

#define PEAK "baseline total.peak_pss_bytes +5% +16 MiB"

static void what_is_written_is_read_again(void **state)
{
	(void)state;
	made[1].model.totals.peak_bytes = 123456789012345;
	assert_int_equal(write_runs(0, 2, "1a2b3c4", "").runs, 2);
	judge_against_file(PEAK);
	assert_int_equal(check.baseline.runs.count, 2);
	assert_string_equal(check.baseline.runs.items[1].commit, "1a2b3c4");
	assert_string_equal(check.baseline.runs.items[0].time, "2027-01-15T08:00:00Z");
	assert_true(baseline_value(&check.baseline.runs.items[1], "total.peak_pss_bytes") ==
		    123456789012345);
	assert_true(baseline_value(&check.baseline.runs.items[0],
				   "pool(train,label=train_loader).private_bytes_max") ==
		    300 * MIB);
	assert_true(isnan(baseline_value(&check.baseline.runs.items[0], "total.nonsense")));
	assert_true(baseline_is_file(file));
	assert_false(baseline_is_file("/nonexistent"));
}

static void the_newest_ten_runs_are_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		made[i].model.totals.peak_bytes = (int64_t)(1000 + i);
		write_runs(i, i + 1, "c", "");
	}
	judge_against_file(PEAK);
	assert_int_equal(check.baseline.runs.count, BASELINE_RUNS);
	assert_true(baseline_value(&check.baseline.runs.items[0], "total.peak_pss_bytes") == 1002);
	assert_true(baseline_value(&check.baseline.runs.items[9], "total.peak_pss_bytes") == 1011);
}

static void a_file_stays_small_and_keeps_what_is_compared(void **state)
{
	static char labels[MADE_POOLS][900];
	char line[2048];
	struct stat status;

	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		for (int k = 0; k < MADE_POOLS; k++) {
			memset(labels[k], 'a' + k, sizeof(labels[k]) - 1);
			made[i].pools[k].label = labels[k];
		}
	}
	snprintf(line, sizeof(line), "baseline pool(validate,label=%s).idle_retained_seconds +5%%",
		 labels[VALIDATE0]);
	assert_int_equal(
		write_runs(
			0, RUNS,
			"a commit with a very long name, and more, and more, and more, and yet more",
			line)
			.left_out,
		0);
	assert_int_equal(stat(file, &status), 0);
	assert_true(status.st_size <= BASELINE_MAX_BYTES);
	judge_against_file(PEAK);
	assert_int_equal(check.baseline.runs.count, BASELINE_RUNS);
	snprintf(line, sizeof(line), "pool(validate,label=%s).idle_retained_seconds",
		 labels[VALIDATE0]);
	assert_true(baseline_value(&check.baseline.runs.items[9], line) == 0);
	assert_false(isnan(baseline_value(&check.baseline.runs.items[9], "total.peak_pss_bytes")));
}

static void runs_of_another_environment_are_dropped(void **state)
{
	struct baseline_written written;

	(void)state;
	write_runs(0, 3, "old", "");
	made[3].processes[0].allocator = "jemalloc";
	written = write_runs(3, 4, "new", "");
	assert_int_equal(written.dropped, 3);
	assert_int_equal(written.runs, 1);
}

static void what_is_no_baseline_is_left_alone(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{\"kind\": \"other\"}",
		"precious notes\n",
		"{\"schema\":1,\"kind\":\"baseline\",\"runs\":3}",
		"{\"schema\":2,\"kind\":\"baseline\",\"environment\":{},\"runs\":[]}"};
	struct baseline_written written;
	struct budget budget = {0};

	(void)state;
	make_runs(0, 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct baseline b = {0};
		FILE *out = fopen(file, "w");
		char back[80] = "";

		fputs(texts[i], out);
		fclose(out);
		assert_int_equal(baseline_add_file(&b, file, &runs[0], &error), ERROR_UNREADABLE);
		assert_int_equal(b.runs.count, 0);
		baseline_release(&b);
		assert_int_equal(baseline_write(file, runs, 1, "", &budget, &written, &error),
				 ERROR_UNREADABLE);
		out = fopen(file, "r");
		fread(back, 1, sizeof(back) - 1, out);
		fclose(out);
		assert_string_equal(back, texts[i]);
	}
}

static void a_baseline_that_cannot_be_written_is_an_error(void **state)
{
	struct baseline_written written;
	struct budget budget = {0};

	(void)state;
	make_runs(0, 1);
	assert_int_equal(baseline_write("/proc/base.json", runs, 1, "", &budget, &written, &error),
			 ERROR_SYSTEM);
	assert_non_null(strstr(error.text, "cannot write the baseline /proc/base.json"));
}

/* ---- verdicts ------------------------------------------------------------------------------------------------------- */

static void the_verdict_follows_from_growth(void **state)
{
	static const struct {
		double gib;
		enum verdict verdict;
		int exit_code;
	} rows[] = {
		{4.0, VERDICT_UNCHANGED, 0},
		{4.19, VERDICT_UNCHANGED, 0},
		{4.3, VERDICT_REGRESSED, 1},
		{3.7, VERDICT_IMPROVED, 0},
	};

	(void)state;
	write_runs(1, 6, "base", "");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		made[0].model.totals.peak_bytes = (int64_t)(rows[i].gib * GIB);
		judge_against_file(PEAK);
		assert_int_equal(made_check_row(&check, "total.peak_pss_bytes")->verdict,
				 rows[i].verdict);
		assert_int_equal(check.result.exit_code, rows[i].exit_code);
		made_check_release(&check);
	}
}

static void growth_that_noise_may_explain_fails_nothing(void **state)
{
	(void)state;
	for (size_t i = 1; i < 4; i++)
		made[i].model.totals.peak_bytes = (int64_t)((3.4 + 0.3 * (double)i) * GIB);
	made[0].model.totals.peak_bytes = (int64_t)(4.4 * GIB);
	write_runs(1, 4, "base", "");
	judge_against_file(PEAK);
	assert_int_equal(made_check_row(&check, "total.peak_pss_bytes")->verdict,
			 VERDICT_INCONCLUSIVE);
	assert_int_equal(check.result.exit_code, 0);
}

static void lost_data_makes_growth_inconclusive_where_it_depends_on_it(void **state)
{
	(void)state;
	write_runs(1, 4, "base", "");
	made[0].model.dropped = 1;
	made[0].model.totals.peak_bytes *= 2;
	made[0].model.totals.idle_max_bytes *= 2;
	judge_against_file(PEAK "\nbaseline total.idle_retained_bytes_max +5%");
	assert_int_equal(made_check_row(&check, "total.peak_pss_bytes")->verdict,
			 VERDICT_REGRESSED);
	assert_int_equal(made_check_row(&check, "total.idle_retained_bytes_max")->verdict,
			 VERDICT_INCONCLUSIVE);
	assert_string_equal(made_check_row(&check, "total.idle_retained_bytes_max")->reason,
			    "data lost");
}

static void figures_of_pools_are_compared_by_their_names(void **state)
{
	(void)state;
	write_runs(1, 4, "base", "");
	made[0].pools[TRAIN1].private_max *= 2;
	judge_against_file("baseline pool(*).private_bytes_max +5%");
	assert_int_equal(
		made_check_row(&check, "pool(train,label=train_loader).private_bytes_max")->verdict,
		VERDICT_REGRESSED);
	assert_int_equal(made_check_row(&check, "pool(validate).private_bytes_max")->verdict,
			 VERDICT_UNCHANGED);
	made_check_release(&check);
	judge_against_file(
		"baseline pool(*).private_bytes_max +5%\nbaseline pool(train).private_bytes_max off");
	assert_int_equal(check.result.rows.count, 1);
	made_check_release(&check);
	judge_against_file("warn baseline pool(train).private_bytes_max +5%");
	assert_int_equal(check.result.counts[VERDICT_REGRESSED], 1);
	assert_int_equal(check.result.exit_code, 0);
}

static void without_a_baseline_nothing_fails_unless_it_is_required(void **state)
{
	(void)state;
	judge_against_file(PEAK); /* the file does not exist */
	assert_int_equal(made_check_row(&check, "total.peak_pss_bytes")->verdict,
			 VERDICT_NO_BASELINE);
	assert_non_null(strstr(check.result.rows.items[0].reason, "base.json does not exist"));
	assert_int_equal(check.result.exit_code, 0);
	made_check_release(&check);
	check.options.require_baseline = 1;
	judge_against_file(PEAK);
	assert_int_equal(check.result.exit_code, 3);
	assert_string_equal(result_word(&check.result), "no-baseline");
	made_check_release(&check);
	/* what is over still counts more */
	check.options.require_baseline = 1;
	judge_against_file(PEAK "\ntotal.peak_pss_bytes <= 1 GiB");
	assert_int_equal(check.result.exit_code, 1);
}

static void a_figure_that_the_baseline_lacks_is_not_compared(void **state)
{
	(void)state;
	write_runs(1, 4, "base", "");
	made[0].pools[TRAIN0].label = made[0].pools[TRAIN1].label = "new";
	judge_against_file("baseline pool(train).private_bytes_max +5%");
	assert_string_equal(check.result.rows.items[0].reason, "the baseline has no such figure");
}

/* ---- environments -------------------------------------------------------------------------------------------------- */

static void differing_machines_are_not_compared(void **state)
{
	(void)state;
	made[0].facts[0] = (struct model_fact){"page_bytes", "page size", "65536", MODEL_HARD};
	made[0].model.fact_count = 1;
	for (size_t i = 1; i < 4; i++) {
		made[i].facts[0] =
			(struct model_fact){"page_bytes", "page size", "4096", MODEL_HARD};
		made[i].model.fact_count = 1;
	}
	write_runs(1, 4, "base", "");
	made[0].model.totals.peak_bytes *= 2;
	judge_against_file(PEAK);
	assert_int_equal(check.result.rows.items[0].verdict, VERDICT_INCOMPARABLE);
	assert_string_equal(check.result.rows.items[0].reason,
			    "page size: 4096 in the baseline, 65536 now");
	assert_int_equal(check.result.exit_code, 0);
	made_check_release(&check);
	check.options.require_baseline = 1;
	judge_against_file(PEAK);
	assert_int_equal(check.result.exit_code, 3);
	made_check_release(&check);
	check.options.ignore_environment = 1;
	judge_against_file(PEAK);
	assert_int_equal(check.result.rows.items[0].verdict, VERDICT_REGRESSED);
	assert_string_equal(check.result.notices.items[0],
			    "page size: 4096 in the baseline, 65536 now");
}

static void pools_allocator_and_release_belong_to_the_environment(void **state)
{
	(void)state;
	write_runs(1, 4, "base", "");
	made[0].pools[TRAIN0].workers = 4;
	judge_against_file(PEAK);
	assert_string_equal(check.result.rows.items[0].reason,
			    "pool(train,label=train_loader): 2 fork in the baseline, 4 fork now");
	made_check_release(&check);
	made[0].pools[TRAIN0].workers = 2;
	made[0].model.released = 1;
	judge_against_file(PEAK);
	assert_string_equal(check.result.rows.items[0].reason,
			    "--release-idle-workers: no in the baseline, yes now");
	made_check_release(&check);
	made[0].model.released = 0;
	made[0].processes[0].allocator = "jemalloc";
	judge_against_file(PEAK);
	assert_int_equal(check.result.rows.items[0].verdict, VERDICT_INCOMPARABLE);
}

static void a_soft_difference_is_noted_and_sampling_concerns_sampled_figures(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		made[i].facts[0] = (struct model_fact){"cpus", "CPUs", i ? "2" : "4", MODEL_SOFT};
		made[i].facts[1] = (struct model_fact){"sample_bytes", "sample size", i ? "1" : "2",
						       MODEL_SAMPLING};
		made[i].model.fact_count = 2;
	}
	write_runs(1, 4, "base", "");
	judge_against_file(PEAK "\nbaseline worker(train).live_heap_bytes_max +5%");
	assert_int_equal(made_check_row(&check, "total.peak_pss_bytes")->verdict,
			 VERDICT_UNCHANGED);
	assert_int_equal(made_check_row(&check,
					"worker(train,label=train_loader).live_heap_bytes_max")
				 ->verdict,
			 VERDICT_INCOMPARABLE);
	assert_string_equal(check.result.notices.items[0], "CPUs: 2 in the baseline, 4 now");
}

static void few_baseline_runs_are_told(void **state)
{
	(void)state;
	write_runs(1, 3, "base", "");
	judge_against_file(PEAK);
	assert_string_equal(check.result.notices.items[0],
			    "noise is assumed, 2 baseline runs do not tell it: keep 3 or more");
}

static void a_session_is_a_baseline_too_and_new_findings_are_told(void **state)
{
	(void)state;
	made[1].model.finding_count = 0;
	make_runs(0, 2);
	check.baseline.wanted = 1;
	assert_int_equal(baseline_add_run(&check.baseline, &runs[1], &runs[0], &error), 0);
	made_check_judge(&check, PEAK, made, 1);
	assert_int_equal(check.result.rows.items[0].verdict, VERDICT_UNCHANGED);
	assert_int_equal(check.result.new_findings.count, 1);
	assert_string_equal(check.result.new_findings.items[0], "idle-pool-retained");
	made_check_release(&check);
	write_runs(0, 1, "", "");
	judge_against_file(PEAK);
	assert_int_equal(check.result.new_findings.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fill, forget)
		TEST(what_is_written_is_read_again),
		TEST(the_newest_ten_runs_are_kept),
		TEST(a_file_stays_small_and_keeps_what_is_compared),
		TEST(runs_of_another_environment_are_dropped),
		TEST(what_is_no_baseline_is_left_alone),
		TEST(a_baseline_that_cannot_be_written_is_an_error),
		TEST(the_verdict_follows_from_growth),
		TEST(growth_that_noise_may_explain_fails_nothing),
		TEST(lost_data_makes_growth_inconclusive_where_it_depends_on_it),
		TEST(figures_of_pools_are_compared_by_their_names),
		TEST(without_a_baseline_nothing_fails_unless_it_is_required),
		TEST(a_figure_that_the_baseline_lacks_is_not_compared),
		TEST(differing_machines_are_not_compared),
		TEST(pools_allocator_and_release_belong_to_the_environment),
		TEST(a_soft_difference_is_noted_and_sampling_concerns_sampled_figures),
		TEST(few_baseline_runs_are_told),
		TEST(a_session_is_a_baseline_too_and_new_findings_are_told),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
