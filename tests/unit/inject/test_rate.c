/*
 * The rate adapts, and estimates stay unbiased over its changes: a program whose CPU time is made up here.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "inject/rate.h"
#include "inject/sample.h"
#include "inject/thread.h"

enum {
	SEEDS = 200,
	COST_NS = 10000, /* of a sample */
	MOST_SAMPLES = 1 << 16,
};

/* -- CPU time -------------------------------------------------------------------------------- */

static uint64_t cpu_ns, clock_reads;

/* In the place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	clock_reads++;
	now->tv_sec = (time_t)(cpu_ns / 1000000000);
	now->tv_nsec = (long)(cpu_ns % 1000000000);
	return 0;
}

/* -- a program that is sampled --------------------------------------------------------------- */

struct estimate {
	double allocated, live,
		live_by_next; /* the last: by the mean of the gap behind the block, which is wrong */
};

static struct program {
	struct thread thread;
	struct estimate estimate, truth;
	uint32_t samples;
	uint32_t owed[MOST_SAMPLES]; /* by blocks that stay */
	uint32_t owed_count;
} program;

static void start(uint64_t seed)
{
	program = (struct program){.thread.random = seed * UINT64_C(0xd6e8feb86659fd93)};
	cpu_ns = 1000000000;
	rate_set(NULL);
	rate_forked();
	rate_draw(&program.thread, INT64_MAX);
}

static uint32_t pay(void)
{
	uint64_t begun_ns = rate_clock();

	cpu_ns += COST_NS;
	return rate_owe(begun_ns);
}

/* The block is met by a gap that was drawn with that mean. */
static void take(uint64_t bytes, bool stays, uint64_t mean)
{
	double stands_for = (double)bytes * sample_weight(bytes, mean);
	uint32_t owed = pay();

	program.samples++;
	program.estimate.allocated += stands_for;
	if (!stays) {
		rate_charge(owed);
		return;
	}
	program.estimate.live += stands_for;
	program.estimate.live_by_next +=
		(double)bytes * sample_weight(bytes, rate_mean(program.thread.level));
	assert_true(program.owed_count < MOST_SAMPLES);
	program.owed[program.owed_count++] = owed;
}

/* As heap.c goes. An allocation takes a nanosecond a byte. */
static void allocate(uint64_t blocks, uint64_t bytes, bool stays)
{
	for (uint64_t i = 0; i < blocks; i++) {
		uint64_t mean;

		cpu_ns += bytes;
		program.thread.countdown -= (int64_t)bytes;
		if (program.thread.countdown >= 0)
			continue;
		mean = rate_met(&program.thread);
		if (rate_saves())
			rate_holds((uint64_t)program.truth.live + (stays ? i * bytes : 0));
		rate_draw(&program.thread, INT64_MAX);
		if (mean)
			take(bytes, stays, mean);
	}
	program.truth.allocated += (double)(blocks * bytes);
	program.truth.live += stays ? (double)(blocks * bytes) : 0;
}

/* CPU time that samples cost from here on, as a part of the whole. */
static double share_of_churn(uint64_t blocks, uint64_t bytes)
{
	uint64_t begun_ns = cpu_ns;
	uint32_t before = program.samples;

	allocate(blocks, bytes, false);
	return (program.samples - before) * (double)COST_NS / (double)(cpu_ns - begun_ns);
}

static void free_all(void)
{
	while (program.owed_count)
		rate_charge(program.owed[--program.owed_count]);
	program.estimate.live = program.estimate.live_by_next = program.truth.live = 0;
}

/* The level that a gap has which is drawn now. */
static uint8_t level(void)
{
	rate_draw(&program.thread, INT64_MAX);
	return program.thread.level;
}

/* A cache that grows in waves between which a lot comes and goes: each wave begins at a coarse level and ends at the
 * finest. */
static void grow_in_waves(void)
{
	for (int wave = 0; wave < 10; wave++) {
		allocate(12000, 27648, false);
		allocate(3000, 1000, true);
		cpu_ns += 300000000;
		allocate(3000, 1000, true);
		allocate(4, 3000000, true);
	}
}

/* -- claims ---------------------------------------------------------------------------------- */

struct spread {
	double sum, squares;
};

static void add(struct spread *spread, double error)
{
	spread->sum += error;
	spread->squares += error * error;
}

/* Of the mean, in its standard errors. */
static double bias(const struct spread *spread)
{
	double mean = spread->sum / SEEDS;

	return fabs(mean) / sqrt((spread->squares / SEEDS - mean * mean) / SEEDS);
}

static void estimates_are_unbiased_over_changes_of_the_rate(void **state)
{
	struct spread allocated = {0}, live = {0}, wrong = {0};

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		start(seed);
		grow_in_waves();
		add(&allocated, program.estimate.allocated - program.truth.allocated);
		add(&live, program.estimate.live - program.truth.live);
		add(&wrong, program.estimate.live_by_next - program.truth.live);
	}
	/* Wrong once in 16,000. That another mean would be noticed shows that the workload crosses changes. */
	assert_true(bias(&allocated) < 4);
	assert_true(bias(&live) < 4);
}

static void what_stays_is_met_at_the_finest_rate(void **state)
{
	(void)state;
	start(1);
	allocate(60000, 1000, true);
	assert_true(program.samples > 60000000 / RATE_FINEST_BYTES * 8 / 10);
	assert_int_equal(level(), 0);
}

/* docs/sampling.md: 60 MB in small objects, in a program that does nothing else. */
static void sixty_mb_are_within_a_tenth_in_98_of_100_runs(void **state)
{
	int within = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		start(seed);
		allocate(60000, 1000, true);
		within += fabs(program.estimate.live / program.truth.live - 1) <= 0.1;
	}
	assert_true(within >= SEEDS * 98 / 100);
}

static void what_comes_and_goes_costs_no_more_than_its_share(void **state)
{
	double share;

	(void)state;
	start(1);
	allocate(100000, 27648, false);
	assert_true(level() > 0);
	share = share_of_churn(400000, 27648); /* 11 s */
	assert_true(share > 0.7 / 800 && share < 1.3 / 800);
}

/* A cache that fills from what is decoded and thrown away, twenty times as much. */
static void churn_of_a_program_that_grows_is_met_more_finely(void **state)
{
	uint64_t begun_ns;
	uint32_t before;

	(void)state;
	start(1);
	allocate(400000, 27648, false);
	begun_ns = cpu_ns;
	before = program.samples;
	for (int i = 0; i < 200; i++) {
		allocate(1000, 27648, false);
		allocate(50, 27648, true);
	}
	assert_true((program.samples - before) * (double)COST_NS >
		    0.7 / 200 * (double)(cpu_ns - begun_ns));
	allocate(100000, 27648, false); /* as before */
	assert_true(share_of_churn(200000, 27648) < 1.3 / 800);
}

/* Heights that differ little from time to time are no growth. */
static void a_loop_that_holds_more_and_less_does_not_grow(void **state)
{
	(void)state;
	start(1);
	rate_holds(500 << 20);
	allocate(100000, 27648, false);
	for (int i = 0; i < 100; i++)
		rate_holds((500 + (uint64_t)(i * 7919 % 8)) << 20);
	assert_true(share_of_churn(200000, 27648) < 1.3 / 800);
}

/* Five gigabytes a second, more than the coarsest level can save on: what is missing has an end, and so has the coarse time
 * behind it. */
static void what_cannot_be_paid_is_let_go(void **state)
{
	(void)state;
	start(1);
	for (int i = 0; i < 100000; i++) {
		rate_charge(1000000);
		level();
	}
	assert_int_equal(level(), RATE_LEVELS - 1);
	cpu_ns += UINT64_C(8000000000);
	assert_int_equal(level(), 0);
}

static void the_finest_rate_comes_back_when_the_churn_ends(void **state)
{
	(void)state;
	start(1);
	allocate(100000, 27648, false);
	assert_true(level() > 0);
	cpu_ns += 2000000000; /* of other work */
	assert_int_equal(level(), 0);
}

/* Samples that are alive are paid when their blocks are freed. */
static void what_stayed_is_paid_in_the_end(void **state)
{
	(void)state;
	start(1);
	allocate(40000, 1000, true);
	assert_int_equal(level(), 0);
	free_all();
	assert_true(level() > 0);
}

static void memory_without_end_is_not_followed_for_nothing(void **state)
{
	(void)state;
	start(1);
	allocate(2000000, 1000, true);
	assert_true(level() > 0);
}

static void a_fork_begins_with_a_budget_of_its_own(void **state)
{
	(void)state;
	start(1);
	allocate(100000, 27648, false);
	assert_true(level() > 0);
	rate_forked();
	assert_int_equal(level(), 0);
}

static void gaps_do_not_outlast_the_next_look(void **state)
{
	(void)state;
	start(1);
	allocate(100000, 27648, false);
	for (int i = 0; i < 1000; i++) {
		rate_draw(&program.thread, INT64_MAX);
		assert_true(program.thread.countdown <= RATE_LOOK_BYTES);
	}
}

static void the_clock_is_not_read_where_the_level_is_known(void **state)
{
	(void)state;
	start(1);
	clock_reads = 0;
	for (int i = 0; i < 1000; i++)
		assert_int_equal(level(), 0);
	assert_int_equal(clock_reads, 0);
}

/* What was earned while it was not read is no more than what can be kept. */
static void a_long_calm_buys_no_long_storm(void **state)
{
	(void)state;
	start(1);
	cpu_ns += UINT64_C(3600000000000);
	assert_int_equal(level(), 0);
	program.samples = 0;
	allocate(20000, 27648, false); /* half a second */
	assert_true(program.samples * (double)COST_NS < 2 * 8000000 + 0.006 * 20000 * 27648);
	assert_true(level() > 0);
}

/* The last, since it cannot be taken back. */
static void a_mean_that_was_asked_for_does_not_change(void **state)
{
	static const char *const nonsense[] = {
		"", "0", "-1", "12k", "1e6", " 5", "99999999999999999999999999"};

	(void)state;
	start(1);
	rate_set("4096");
	for (size_t i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++)
		rate_set(nonsense[i]);
	rate_set(NULL);
	allocate(1000000, 27648, false);
	assert_int_equal(level(), 0);
	assert_int_equal(rate_mean(0), 4096);
	assert_int_equal(rate_certain_bytes(), 1024);
	assert_int_equal(rate_clock(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_are_unbiased_over_changes_of_the_rate),
		cmocka_unit_test(what_stays_is_met_at_the_finest_rate),
		cmocka_unit_test(sixty_mb_are_within_a_tenth_in_98_of_100_runs),
		cmocka_unit_test(what_comes_and_goes_costs_no_more_than_its_share),
		cmocka_unit_test(churn_of_a_program_that_grows_is_met_more_finely),
		cmocka_unit_test(a_loop_that_holds_more_and_less_does_not_grow),
		cmocka_unit_test(what_cannot_be_paid_is_let_go),
		cmocka_unit_test(the_finest_rate_comes_back_when_the_churn_ends),
		cmocka_unit_test(what_stayed_is_paid_in_the_end),
		cmocka_unit_test(memory_without_end_is_not_followed_for_nothing),
		cmocka_unit_test(a_fork_begins_with_a_budget_of_its_own),
		cmocka_unit_test(gaps_do_not_outlast_the_next_look),
		cmocka_unit_test(the_clock_is_not_read_where_the_level_is_known),
		cmocka_unit_test(a_long_calm_buys_no_long_storm),
		cmocka_unit_test(a_mean_that_was_asked_for_does_not_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
