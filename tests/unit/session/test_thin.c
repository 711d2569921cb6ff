/* Claims about session_thin, on a made-up run: four processes that come and go, rollups out of
 * step, edges, shared memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scratch.h"

enum { PROCESSES = 5, ROUNDS = 3000, ROLLUP_EVERY = 9, SHM_EVERY = 10, EDGES = 12 };
#define ROUND_NS  INT64_C(100000000)
#define SECOND_NS INT64_C(1000000000)
#define MIB       INT64_C(1048576)

/* A total as the model makes it, computed here from what the reader gives. */
struct seen {
	int64_t anon[ROUNDS][PROCESSES]; /* -1 = no sample */
	int64_t pss[ROUNDS][PROCESSES];  /* -1 = no rollup */
	int64_t unmapped[ROUNDS];        /* -1 = not looked */
	int64_t n[ROUNDS];               /* rounds it stands for; 0 = none */
	int64_t edge[ROUNDS];
	int64_t samples, rollups, details, systems, system_n, rounds_n;
};

static int64_t noise(int64_t seed)
{
	uint64_t x = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);

	x ^= x >> 29;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	return (int64_t)(x >> 40);
}

/* Process p lives in rounds [600 p, 600 p + 1500); the first one always. */
static int alive(int p, int round)
{
	return p == 0 || (round >= 500 * p && round < 500 * p + 1200);
}

static int64_t anon_of(int p, int round)
{
	return 100 * MIB + noise(round * PROCESSES + p) % (40 * MIB);
}

static int is_edge(int round)
{
	return round % (ROUNDS / EDGES) == 37;
}

static void put_round(struct session_writer *w, int round)
{
	int64_t t_ns = round * ROUND_NS;

	for (int p = 0; p < PROCESSES; p++) {
		if (!alive(p, round))
			continue;
		session_put_sample(w, &(struct session_sample){t_ns, p, 2 * anon_of(p, round),
							       anon_of(p, round), 1});
		if (is_edge(round) || (round + p) % ROLLUP_EVERY == 0)
			session_put_rollup(
				w, &(struct session_rollup){.t_ns = t_ns,
							    .process = p,
							    .pss_bytes = anon_of(p, round) +
									 noise(-round) % (9 * MIB),
							    .edge = is_edge(round)});
		if (round % SHM_EVERY == 0)
			session_put_detail(
				w, &(struct session_detail){.t_ns = t_ns, .process = p, .fds = 7});
	}
	if (round % SHM_EVERY == 3)
		session_put_shm(w, &(struct session_shm){.t_ns = t_ns,
							 .class_name = "parked",
							 .unmapped_bytes =
								 noise(7 * round) % (60 * MIB)});
	session_put_system(w,
			   &(struct session_system){.t_ns = t_ns, .current_bytes = round, .n = 1});
}

static struct session_writer *make_run(const char *path)
{
	struct session_writer *w = scratch_create(path);

	for (int round = 0; round < ROUNDS; round++)
		put_round(w, round);
	/* An edge between two rounds, with nothing sampled because of it. */
	session_put_event(w, &(struct session_event){.t_ns = 1234 * ROUND_NS + 5,
						     .kind = "pool-exhausted"});
	return w;
}

static int see_sample(const struct session_sample *s, void *arg)
{
	struct seen *seen = arg;
	int64_t round = s->t_ns / ROUND_NS;

	seen->samples++;
	seen->anon[round][s->process] = s->anon_bytes;
	if (s->n && seen->n[round])
		assert_int_equal(seen->n[round], s->n);
	if (s->n > seen->n[round])
		seen->n[round] = s->n;
	return 0;
}

static int see_rollup(const struct session_rollup *r, void *arg)
{
	struct seen *seen = arg;

	seen->rollups++;
	seen->pss[r->t_ns / ROUND_NS][r->process] = r->pss_bytes;
	seen->edge[r->t_ns / ROUND_NS] |= r->edge;
	return 0;
}

static int see_shm(const struct session_shm *s, void *arg)
{
	((struct seen *)arg)->unmapped[s->t_ns / ROUND_NS] = s->unmapped_bytes;
	return 0;
}

static int see_detail(const struct session_detail *d, void *arg)
{
	(void)d;
	((struct seen *)arg)->details++;
	return 0;
}

static int see_system(const struct session_system *s, void *arg)
{
	struct seen *seen = arg;

	seen->systems++;
	seen->system_n += s->n;
	return 0;
}

static struct seen *look(const char *path)
{
	struct seen *seen = malloc(sizeof(*seen));
	struct session_reader *r = scratch_open(path);

	assert_non_null(seen);
	memset(seen, 0xff, sizeof(*seen));
	memset(seen->n, 0, sizeof(*seen) - offsetof(struct seen, n));
	session_each_sample(r, -1, see_sample, seen);
	session_each_rollup(r, -1, see_rollup, seen);
	session_each_shm(r, -1, see_shm, seen);
	session_each_detail(r, -1, see_detail, seen);
	session_each_system(r, -1, see_system, seen);
	assert_null(session_damage(r));
	session_reader_close(r);
	for (int round = 0; round < ROUNDS; round++)
		seen->rounds_n += seen->n[round];
	return seen;
}

/* Bytes of process p at a round: its last rollup, and growth since. */
static int64_t proportional(const struct seen *seen, int p, int round)
{
	for (int back = round; back >= 0; back--)
		if (seen->pss[back][p] != -1)
			return seen->pss[back][p] + seen->anon[round][p] - seen->anon[back][p];
	return seen->anon[round][p];
}

static int64_t total(const struct seen *seen, int round)
{
	int64_t sum = 0;

	for (int p = 0; p < PROCESSES; p++)
		if (seen->anon[round][p] != -1)
			sum += proportional(seen, p, round);
	for (int back = round; back >= 0; back--)
		if (seen->unmapped[back] != -1)
			return sum + seen->unmapped[back];
	return sum;
}

static int peak_round(const struct seen *seen, int first, int end)
{
	int peak = -1;

	for (int round = first; round < end; round++)
		if (seen->n[round] && (peak < 0 || total(seen, round) > total(seen, peak)))
			peak = round;
	return peak;
}

static int rounds_left(const struct seen *seen, int first, int end)
{
	int left = 0;

	for (int round = first; round < end; round++)
		left += seen->n[round] > 0;
	return left;
}

struct run {
	const char *path;
	struct session_writer *w;
	struct seen *before, *after;
};

static struct run thinned_run(const char *name, int64_t before_ns, int64_t span_ns)
{
	struct run run = {.path = scratch_path(name)};
	struct error e;

	run.w = make_run(run.path);
	assert_int_equal(session_flush(run.w, &e), 0);
	run.before = look(run.path);
	assert_int_equal(session_thin(run.w, before_ns, span_ns, &e), 0);
	run.after = look(run.path);
	return run;
}

static void end_run(struct run *run)
{
	scratch_close(run->w);
	free(run->before);
	free(run->after);
}

static void what_stays_has_the_total_it_had(void **state)
{
	struct run run = thinned_run("same.loopmem", ROUNDS * ROUND_NS, 10 * SECOND_NS);

	(void)state;
	for (int round = 0; round < ROUNDS; round++)
		if (run.after->n[round])
			assert_int_equal(total(run.after, round), total(run.before, round));
	end_run(&run);
}

static void the_largest_round_of_every_span_stays(void **state)
{
	struct run run = thinned_run("peak.loopmem", ROUNDS * ROUND_NS, 10 * SECOND_NS);

	(void)state;
	for (int first = 0; first < ROUNDS; first += 100) {
		int peak = peak_round(run.before, first, first + 100);

		assert_true(run.after->n[peak] > 0);
		assert_int_equal(peak_round(run.after, first, first + 100), peak);
	}
	end_run(&run);
}

static void rounds_with_an_edge_stay_whole(void **state)
{
	struct run run = thinned_run("edge.loopmem", ROUNDS * ROUND_NS, 60 * SECOND_NS);

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		if (!is_edge(round) && round != 1235)
			continue;
		assert_true(run.after->n[round] > 0);
		for (int p = 0; p < PROCESSES; p++) {
			assert_int_equal(run.after->anon[round][p], run.before->anon[round][p]);
			if (is_edge(round))
				assert_int_equal(run.after->pss[round][p],
						 run.before->pss[round][p]);
		}
	}
	end_run(&run);
}

static void most_rows_go(void **state)
{
	struct run run = thinned_run("less.loopmem", ROUNDS * ROUND_NS, 60 * SECOND_NS);

	(void)state;
	/* five spans: their largest rounds, twelve edges and one more, the last round */
	assert_in_range(rounds_left(run.after, 0, ROUNDS), 5, 5 + EDGES + 1 + 1);
	assert_true(run.after->samples * 20 < run.before->samples);
	assert_true(run.after->rollups * 4 < run.before->rollups);
	assert_true(run.after->details * 4 < run.before->details);
	assert_true(run.after->systems * 20 < run.before->systems);
	end_run(&run);
}

static void newer_rows_are_not_touched(void **state)
{
	struct run run = thinned_run("newer.loopmem", 1000 * ROUND_NS, 10 * SECOND_NS);

	(void)state;
	assert_true(rounds_left(run.after, 0, 1000) < 100);
	for (int round = 1000; round < ROUNDS; round++) {
		assert_int_equal(run.after->n[round], 1);
		assert_memory_equal(run.after->anon[round], run.before->anon[round],
				    sizeof(run.after->anon[round]));
		assert_memory_equal(run.after->pss[round], run.before->pss[round],
				    sizeof(run.after->pss[round]));
	}
	end_run(&run);
}

static void kept_rounds_say_how_many_they_stand_for(void **state)
{
	struct run run = thinned_run("n.loopmem", ROUNDS * ROUND_NS, 10 * SECOND_NS);

	(void)state;
	assert_int_equal(run.after->rounds_n, ROUNDS);
	assert_int_equal(run.after->system_n, ROUNDS);
	end_run(&run);
}

static void thinning_again_and_coarser_keeps_the_peak(void **state)
{
	struct run run = thinned_run("again.loopmem", 2000 * ROUND_NS, 5 * SECOND_NS);
	int peak = peak_round(run.before, 0, ROUNDS);
	struct error e;

	(void)state;
	assert_int_equal(session_thin(run.w, 2500 * ROUND_NS, 5 * SECOND_NS, &e), 0);
	assert_int_equal(session_thin(run.w, ROUNDS * ROUND_NS, 100 * SECOND_NS, &e), 0);
	free(run.after);
	run.after = look(run.path);
	assert_int_equal(run.after->rounds_n, ROUNDS);
	assert_int_equal(peak_round(run.after, 0, ROUNDS), peak);
	assert_int_equal(total(run.after, peak), total(run.before, peak));
	assert_in_range(rounds_left(run.after, 0, ROUNDS), 3, 3 + EDGES + 1 + 1);
	end_run(&run);
}

/* As the collector does it: long spans for what is old, short ones for what is less old, ever on.
 */
static void two_lengths_of_span_go_on_side_by_side(void **state)
{
	struct run run = thinned_run("both.loopmem", 0, SECOND_NS);
	struct error e;

	(void)state;
	for (int64_t now = 500; now <= ROUNDS; now += 100) {
		assert_int_equal(session_thin(run.w, (now - 400) * ROUND_NS,
					      8 * SECOND_NS + ROUND_NS, &e),
				 0);
		assert_int_equal(session_thin(run.w, (now - 50) * ROUND_NS, SECOND_NS, &e), 0);
	}
	free(run.after);
	run.after = look(run.path);
	assert_int_equal(run.after->rounds_n, ROUNDS);
	for (int round = 0; round < ROUNDS; round++)
		if (run.after->n[round])
			assert_int_equal(total(run.after, round), total(run.before, round));
	assert_int_equal(peak_round(run.after, 0, ROUNDS), peak_round(run.before, 0, ROUNDS));
	/* 32 long spans and 35 short ones, each with an edge or a last round of a chunk beside its
	 * largest */
	assert_in_range(rounds_left(run.after, 0, ROUNDS - 50), 32 + 35, 2 * (32 + 35) + EDGES);
	end_run(&run);
}

static void the_size_shrinks_and_the_session_says_how_far(void **state)
{
	const char *path = scratch_path("size.loopmem");
	struct session_writer *w = make_run(path);
	struct session_reader *r;
	struct error e;
	int64_t full;

	(void)state;
	assert_int_equal(session_flush(w, &e), 0);
	full = session_size_bytes(w);
	assert_int_equal(session_thin(w, 2995 * ROUND_NS, 60 * SECOND_NS, &e), 0);
	assert_true(session_size_bytes(w) * 2 < full);
	scratch_close(w);
	r = scratch_open(path);
	assert_int_equal(session_int(r, "thinned_before_ns"), 240 * SECOND_NS);
	assert_int_equal(session_int(r, "thinned_span_ns"), 60 * SECOND_NS);
	session_reader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stays_has_the_total_it_had),
		cmocka_unit_test(the_largest_round_of_every_span_stays),
		cmocka_unit_test(rounds_with_an_edge_stay_whole),
		cmocka_unit_test(most_rows_go),
		cmocka_unit_test(newer_rows_are_not_touched),
		cmocka_unit_test(kept_rounds_say_how_many_they_stand_for),
		cmocka_unit_test(thinning_again_and_coarser_keeps_the_peak),
		cmocka_unit_test(two_lengths_of_span_go_on_side_by_side),
		cmocka_unit_test(the_size_shrinks_and_the_session_says_how_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
