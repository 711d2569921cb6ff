/* Claims about the copy-on-write formula: the cases that were measured, in MiB (docs/design.md, "Figures"). */
#include "script.h"

#include "profiler/model/unshared.h"

/* A child that shared 256 at its fork. */
static double estimate(double shared, double private_dirty, double faulted, double freed,
		       double live)
{
	struct rollup_row rollup = {
		.shared_bytes = (int64_t)(shared * MIB),
		.private_dirty_bytes = (int64_t)(private_dirty * MIB),
		.minor_faults = (int64_t)(faulted * 256),
	};
	struct heap_row heap = {
		.live_bytes = (int64_t)(live * MIB),
		.inherited_free_bytes = (int64_t)(freed * MIB),
	};

	return (double)unshared_bytes(256 * MIB, &rollup, &heap) / MIB;
}

static void the_least_of_the_three_is_right_in_every_measured_case(void **state)
{
	static const struct {
		const char *name;
		double shared, private_dirty, faulted, freed, live, truth;
	} cases[] = {
		{"child writes 64", 192, 64, 64, 0, 0, 64},
		{"child unmaps 64", 193, 0, 0, 64, 0, 0},
		{"parent exits, one child left", 0, 257, 0, 0, 0, 0},
		{"parent exits, a sibling wrote 64", 192, 64, 0, 0, 0, 0},
		{"sibling exits, parent alive", 256, 0, 0, 0, 0, 0},
		{"parent writes 64, one child", 192, 64, 0, 0, 0, 0},
		{"child unmaps 64, writes 32, allocates 48", 161, 80, 80, 64, 48, 32},
		{"child allocates 34 of new objects", 256, 34.9, 34.8, 0, 34.4, 0},
		{"child reads 92 of strings and allocates 34", 164.3, 126.6, 126.6, 0, 34.4, 91.7},
		{"huge pages: one byte every 2 MiB", 256, 0, 0.5, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double found = estimate(cases[i].shared, cases[i].private_dirty, cases[i].faulted,
					cases[i].freed, cases[i].live);

		if (found < cases[i].truth - 0.6 || found > cases[i].truth + 0.6)
			fail_msg("%s: %.1f, not %.1f", cases[i].name, found, cases[i].truth);
	}
}

static void a_process_that_was_not_forked_has_none(void **state)
{
	struct rollup_row rollup = {.private_dirty_bytes = MIB, .minor_faults = 256};

	(void)state;
	assert_int_equal(unshared_bytes(SESSION_NULL, &rollup, NULL), 0);
}

static void without_the_shim_the_least_of_the_three_stands(void **state)
{
	struct rollup_row rollup = {
		.shared_bytes = 0, .private_dirty_bytes = 80 * MIB, .minor_faults = 80 * 256};

	(void)state;
	assert_mib(unshared_bytes(95 * MIB, &rollup, NULL), 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_least_of_the_three_is_right_in_every_measured_case),
		cmocka_unit_test(a_process_that_was_not_forked_has_none),
		cmocka_unit_test(without_the_shim_the_least_of_the_three_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
