/*
 * Claims about the model on whole sessions: the reference run gives the figures that the
 * documentation shows, to the digit shown, and thinning changes none that people read.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profiler/model/model.h"

#define GIB 1073741824.0

static struct model *make_and_open(const char *arguments)
{
	const char *build = getenv("LOOPMEM_BUILD"), *tmp = getenv("TEST_TMP");
	char command[1200], path[400];
	struct model *m;
	struct error e;

	snprintf(path, sizeof(path), "%s/run.loopmem", tmp ? tmp : "/tmp");
	snprintf(command, sizeof(command), "%s/tests/fixtures/reference_session %s %s",
		 build ? build : "build", arguments, path);
	assert_int_equal(system(command), 0);
	if (model_open(&m, path, &e))
		fail_msg("%s", e.text);
	assert_null(m->damage);
	return m;
}

/* What a table prints of it. */
static void shows(int64_t bytes, const char *gib)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", (double)bytes / GIB);
	assert_string_equal(text, gib);
}

static void shows_time(int64_t t_ns, const char *moment)
{
	char text[32];
	long long s = t_ns / 1000000000;

	snprintf(text, sizeof(text), "%lld:%02lld", s / 60, s % 60);
	assert_string_equal(text, moment);
}

static void the_peak_is_the_documented_one(void **state)
{
	struct model *m = make_and_open("");
	const struct model_totals *t = &m->totals;

	(void)state;
	shows(t->peak_bytes, "26.4");
	shows_time(t->peak_at_ns, "12:33");
	shows(t->idle_max_bytes, "16.4");
	shows_time(t->idle_max_at_ns, "17:41");
	shows(t->idle_average_bytes, "6.0");
	shows_time(t->idle_ns, "18:26");
	shows(t->peak_without_idle_bytes, "18.1");
	shows(t->limit_bytes, "28.0");
	shows_time(t->duration_ns, "18:51");
	assert_int_equal(m->pool_count, 7);
	assert_int_equal(t->pools_alive_max, 3);
	model_close(m);
}

struct expected {
	const char *name, *memory, *private, *heap, *unshared, *shm, *idle, *held, *average;
	int64_t batches, start_ms, stall_ms;
};

static void every_pool_has_the_documented_columns(void **state)
{
	static const struct expected pools[] = {
		{"sanity #1", "3.3", "2.5", "0.9", "1.2", "0.6", "3.1", "5:07", "0.8", 2, 3000, 0},
		{"train #2 e0", "10.5", "9.8", "5.8", "3.4", "0.5", "9.8", "1:04", "0.6", 924, 4000,
		 11200},
		{"validate #3 e0", "6.6", "6.2", "4.1", "1.7", "0.3", "6.2", "5:08", "1.7", 112,
		 4000, 4400},
		{"train #4 e1", "10.7", "10.0", "5.9", "3.5", "0.5", "10.0", "1:04", "0.6", 924,
		 5000, 9800},
		{"validate #5 e1", "6.6", "6.2", "4.1", "1.7", "0.3", "6.2", "5:10", "1.7", 112,
		 4000, 4100},
		{"train #6 e2", "10.8", "10.2", "6.0", "3.6", "0.5", "10.2", "1:03", "0.6", 924,
		 5000, 10100},
		{"validate #7 e2", "6.6", "6.2", "4.1", "1.7", "0.3", "6.2", "0:01", "0.0", 112,
		 4000, 4200},
	};
	struct model *m = make_and_open("");

	(void)state;
	for (size_t i = 0; i < 7; i++) {
		const struct model_pool *pool = &m->pools[i];
		const struct expected *x = &pools[i];

		assert_string_equal(pool->name, x->name);
		assert_int_equal(pool->member_count, 8);
		shows(pool->memory_max, x->memory);
		shows(pool->private_max, x->private);
		shows(pool->live_heap_max, x->heap);
		shows(pool->unshared_max, x->unshared);
		shows(pool->shm_max, x->shm);
		shows(pool->idle_max_bytes, x->idle);
		shows_time(pool->idle_ns, x->held);
		shows((int64_t)(pool->idle_byte_seconds / 1131), x->average);
		assert_int_equal(pool->batches, x->batches);
		assert_int_equal(pool->expected_batches, x->batches);
		assert_int_equal(pool->start_ns, x->start_ms * 1000000);
		assert_int_equal(pool->stall_ns, x->stall_ms * 1000000);
	}
	model_close(m);
}

static void the_peak_is_made_of_the_documented_parts(void **state)
{
	static const char *const memory[7] = {"0.0", "0.0", "0.0", "10.2", "6.3", "2.9", "0.0"};
	static const enum model_state states[7] = {
		MODEL_ENDED,     MODEL_ENDED,    MODEL_ENDED, MODEL_EXHAUSTED,
		MODEL_EXHAUSTED, MODEL_STARTING, MODEL_LATER,
	};
	struct model *m = make_and_open("");
	struct model_moment at;

	(void)state;
	assert_int_equal(model_at(m, m->totals.peak_at_ns, &at), 0);
	shows(at.round.owner_bytes, "7.0");
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(at.pools[i].state, states[i]);
		shows(at.pools[i].memory, memory[i]);
	}
	shows(at.composition.live_heap, "14.9");
	shows(at.composition.unshared, "7.1");
	shows(at.composition.allocator, "1.1");
	shows(at.composition.files, "1.2");
	shows(at.composition.other, "1.6");
	shows(at.round.cgroup_bytes, "26.9");
	shows(at.round.rss_sum_bytes, "61.8");
	model_moment_release(&at);
	model_close(m);
}

static void a_run_cut_at_a_moment_is_still_running(void **state)
{
	struct model *m = make_and_open("--until 718");
	struct model_moment at;

	(void)state;
	assert_int_equal(m->complete, 0);
	assert_int_equal(m->end, MODEL_RUNNING);
	shows(m->totals.peak_bytes, "26.0");
	shows_time(m->totals.peak_at_ns, "6:25");
	assert_int_equal(model_at(m, INT64_MAX, &at), 0);
	shows(at.round.total_bytes, "23.0");
	shows(at.round.held_idle_bytes, "10.0");
	assert_int_equal(at.pools[3].state, MODEL_EXHAUSTED);
	assert_int_equal(at.pools[4].state, MODEL_DELIVERING);
	model_moment_release(&at);
	model_close(m);
}

static void within(double a, double b, double part)
{
	if (fabs(a - b) > part * fabs(a))
		fail_msg("%g and %g differ by more than %g", a, b, part);
}

/* Ten rounds a second, walked every five seconds, in spans of half a minute. */
static void thinning_changes_no_figure_that_people_read(void **state)
{
	struct model *whole = make_and_open("--processes 18 --hours 0.4");
	struct model *thinned = make_and_open("--processes 18 --hours 0.4 --thin 30");

	(void)state;
	assert_true(thinned->round_count * 20 < whole->round_count);
	assert_int_equal(thinned->totals.peak_bytes, whole->totals.peak_bytes);
	assert_int_equal(thinned->totals.peak_at_ns, whole->totals.peak_at_ns);
	within((double)whole->totals.idle_max_bytes, (double)thinned->totals.idle_max_bytes, 0.001);
	within(whole->totals.idle_byte_seconds, thinned->totals.idle_byte_seconds, 0.01);
	within((double)whole->totals.peak_without_idle_bytes,
	       (double)thinned->totals.peak_without_idle_bytes, 0.001);
	for (size_t i = 0; i < whole->pool_count; i++) {
		within((double)whole->pools[i].private_max, (double)thinned->pools[i].private_max,
		       0.01);
		within((double)whole->pools[i].memory_max, (double)thinned->pools[i].memory_max,
		       0.01);
		assert_int_equal(thinned->pools[i].idle_ns, whole->pools[i].idle_ns);
	}
	model_close(whole);
	model_close(thinned);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peak_is_the_documented_one),
		cmocka_unit_test(every_pool_has_the_documented_columns),
		cmocka_unit_test(the_peak_is_made_of_the_documented_parts),
		cmocka_unit_test(a_run_cut_at_a_moment_is_still_running),
		cmocka_unit_test(thinning_changes_no_figure_that_people_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
