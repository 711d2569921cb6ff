/* Claims about advice.def and how its rows are chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profiler/model/findings.h"

/* Two pools and a group of processes, of which only the pools have loops. */
static struct model_finding advised(const char *id, const char *which, const char *first,
				    const char *second)
{
	struct model_pool pools[3] = {
		{.framework = first}, {.framework = second}, {.framework = "", .grouped = 1}};
	const struct model m = {.pools = pools, .pool_count = 3};
	struct model_finding f = {.id = id};

	finding_advise(&m, &f, which);
	return f;
}

static void each_finding_says_what_to_change_in_every_program(void **state)
{
	const char *const made_of_figures[] = {"orphan-workers", "stale-shm"};

	(void)state;
	for (size_t i = 0; i < finding_kind_count; i++) {
		struct model_finding f = advised(finding_kinds[i].id, "", "", "");
		int is_made = 0;

		for (size_t k = 0; k < 2; k++)
			is_made |= !strcmp(finding_kinds[i].id, made_of_figures[k]);
		assert_int_equal(f.advice != NULL, !is_made);
		if (f.advice)
			assert_string_equal(f.framework, "");
	}
}

static void a_framework_that_is_known_is_told_its_own_switch(void **state)
{
	static const struct {
		const char *framework, *words;
	} rows[] = {
		{"lightning", "Trainer(callbacks=[ReleaseIdleWorkers()])"},
		{"transformers", "TrainingArguments(eval_strategy="},
		{"torch", "del the loader's iterator"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct model_finding f =
			advised("idle-pool-retained", "", rows[i].framework, rows[i].framework);

		assert_non_null(strstr(f.advice, rows[i].words));
		assert_string_equal(f.framework, rows[i].framework);
	}
}

static void a_row_may_be_of_several_frameworks(void **state)
{
	(void)state;
	assert_string_equal(advised("persistent-trade-off", "", "lightning", "lightning").framework,
			    "lightning");
	assert_string_equal(advised("persistent-trade-off", "", "torch", "torch").framework,
			    "torch");
	/* a part of a name is no name */
	assert_string_equal(advised("persistent-trade-off", "", "light", "light").framework, "");
}

static void pools_of_several_frameworks_or_of_none_are_told_what_holds_for_all(void **state)
{
	const char *general = advised("idle-pool-retained", "", "", "").advice;

	(void)state;
	assert_string_equal(general, "drop the loader's iterator after its last batch");
	assert_ptr_equal(advised("idle-pool-retained", "", "lightning", "torch").advice, general);
	assert_ptr_equal(advised("idle-pool-retained", "", "lightning", "").advice, general);
	assert_ptr_equal(advised("idle-pool-retained", "", "keras", "keras").advice, general);
}

static void a_case_goes_before_a_framework(void **state)
{
	const char *persistent =
		advised("idle-pool-retained", "persistent", "keras", "keras").advice;

	(void)state;
	assert_non_null(strstr(persistent, "persistent_workers=False"));
	assert_non_null(strstr(advised("parked-batches", "sanity", "lightning", "lightning").advice,
			       "num_sanity_val_steps=0"));
	/* a case without a row for the program has the finding's */
	assert_ptr_equal(advised("parked-batches", "sanity", "torch", "torch").advice,
			 advised("parked-batches", "", "torch", "torch").advice);
}

static void only_the_pools_of_a_finding_count_where_it_names_some(void **state)
{
	struct model_pool pools[2] = {{.framework = "lightning"}, {.framework = "torch"}};
	const struct model m = {.pools = pools, .pool_count = 2};
	const int second = 1;
	struct model_finding f = {.id = "pool-overlap", .pools = &second, .pool_count = 1};

	(void)state;
	finding_advise(&m, &f, "");
	assert_string_equal(f.framework, "torch");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_finding_says_what_to_change_in_every_program),
		cmocka_unit_test(a_framework_that_is_known_is_told_its_own_switch),
		cmocka_unit_test(a_row_may_be_of_several_frameworks),
		cmocka_unit_test(
			pools_of_several_frameworks_or_of_none_are_told_what_holds_for_all),
		cmocka_unit_test(a_case_goes_before_a_framework),
		cmocka_unit_test(only_the_pools_of_a_finding_count_where_it_names_some),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
