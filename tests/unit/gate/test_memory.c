/* One claim about the whole gate: no failing allocation turns a check that fails into one that passes. The driver's malloc fails at the
 * n-th call, for every n until none fails. */
#include "tests/unit/gate/made_model.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/gate/output.h"
#include "profiler/gate/text.h"

#ifdef __has_feature
#define HAS_FEATURE(feature) __has_feature(feature)
#else
#define HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	HAS_FEATURE(address_sanitizer) || HAS_FEATURE(thread_sanitizer)
#define OWN_MALLOC 0
#else
#define OWN_MALLOC 1

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static long until_failure = -1; /* allocations that still succeed; -1 = all */
static int failed;

static int fails(void)
{
	if (until_failure < 0 || until_failure-- > 0)
		return 0;
	until_failure = -1;
	failed = 1;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return fails() ? NULL : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
	return fails() ? NULL : __libc_realloc(block, size);
}

static struct made_model made[3];
static char budget_file[] = "/tmp/test_memory_budget.XXXXXX";
static char baseline_file[] = "/tmp/test_memory_baseline.XXXXXX";

static void write_outputs(const struct result *result)
{
	static const struct text_options options = {.verbose = 1, .explain = 1};
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		return;
	text_result(out, result, &options);
	junit_result(out, result);
	github_annotations(out, result);
	github_outputs(out, result);
	github_summary(out, result, 0);
	openmetrics_result(out, result);
	code_quality(out, result);
	json_result(out, result);
	fclose(out);
}

/* The whole way of a check. The exit code, or -1 for any error on the way. */
static int check(const char *flag)
{
	static const struct judge_options options;
	struct budget budget = {0};
	struct baseline baseline = {.wanted = 1};
	struct result result = {0};
	struct model *models[] = {&made[0].model};
	struct run run = {0};
	struct error e;
	int exit_code = -1;

	budget_add_default_baselines(&budget);
	if (budget_read_file(&budget, budget_file, &e))
		goto release;
	budget_add_max(&budget, flag, 1);
	if (budget.complaint_count || budget.out_of_memory)
		goto release;
	if (!run_make(&run, models, 1, &e) &&
	    !baseline_add_file(&baseline, baseline_file, &run, &e) &&
	    !judge(&result, &budget, &run, 1, &baseline, &options, &e)) {
		exit_code = result.exit_code;
		write_outputs(&result);
	}
release:
	result_release(&result);
	baseline_release(&baseline);
	run_release(&run);
	budget_release(&budget);
	return exit_code;
}

static void write_budget(const char *lines)
{
	FILE *out = fopen(budget_file, "w");

	fprintf(out, "loopmem-budget 1\n%s\n", lines);
	fclose(out);
}

static void write_baseline(void)
{
	struct baseline_written written;
	struct budget none = {0};
	struct run runs[2];
	struct model *models[] = {&made[1].model, &made[2].model};
	struct error e;

	unlink(baseline_file);
	for (int i = 0; i < 2; i++)
		assert_int_equal(run_make(&runs[i], &models[i], 1, &e), 0);
	assert_int_equal(baseline_write(baseline_file, runs, 2, "c", &none, &written, &e), 0);
	run_release(&runs[0]);
	run_release(&runs[1]);
}

static void no_failing_allocation_makes_a_failing_check_pass(void **state)
{
	static const char *const budgets[][2] = {
		{"pool(train,label=\"train_loader\").private_bytes_max <= 1 MiB",
		 "loss.dropped_events=0"},
		{"pool(t*).private_bytes_max <= 1 MiB optional", "loss.dropped_events=0"},
		{"loss.dropped_events <= 0", "pool(train,label=train_*).private_bytes_max=1MiB"},
		{"worker(validate).private_bytes_max <= 1 MiB optional", "loss.dropped_events=0"},
		{"deny finding idle-*(train,label=train_*)", "loss.dropped_events=0"},
		{"baseline pool(*).private_bytes_max +5%", "loss.dropped_events=0"},
	};
	long tried = 0;

	(void)state;
	for (int i = 0; i < 3; i++)
		made_model_fill(&made[i], "a.loopmem");
	for (int i = 1; i < 3; i++)
		made[i].pools[TRAIN1].private_max /= 2;
	/* jansson 2.14 frees what it never got when its own allocation fails: not ours to test */
	json_set_alloc_funcs(__libc_malloc, __libc_free);
	write_baseline();
	for (size_t b = 0; b < sizeof(budgets) / sizeof(budgets[0]); b++) {
		write_budget(budgets[b][0]);
		assert_int_equal(check(budgets[b][1]), 1);
		for (long n = 0;; n++, tried++) {
			int exit_code;

			failed = 0;
			until_failure = n;
			exit_code = check(budgets[b][1]);
			until_failure = -1;
			if (exit_code != 1 && exit_code != -1)
				fail_msg("%s: exit %d when allocation %ld fails", budgets[b][0],
					 exit_code, n);
			if (!failed)
				break;
		}
	}
	assert_true(tried > 1000);
}

static int make_files(void **state)
{
	(void)state;
	close(mkstemp(budget_file));
	close(mkstemp(baseline_file));
	return 0;
}

static int remove_files(void **state)
{
	(void)state;
	unlink(budget_file);
	unlink(baseline_file);
	return 0;
}
#endif

int main(void)
{
#if OWN_MALLOC
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_failing_allocation_makes_a_failing_check_pass),
	};

	return cmocka_run_group_tests(tests, make_files, remove_files);
#else
	puts("a sanitizer has its own malloc");
	return 77;
#endif
}
