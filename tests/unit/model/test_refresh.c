/* Claims about reading a session that is being written: what a refresh gives is what opening anew gives. */
#include "script.h"

#include <stdio.h>

#include "profiler/model/private.h"

/* Every figure of two models that a view may show. */
static void assert_same(const struct model *a, const struct model *b)
{
	assert_int_equal(a->round_count, b->round_count);
	for (size_t i = 0; i < a->round_count; i++)
		assert_memory_equal(&a->rounds[i], &b->rounds[i], sizeof(a->rounds[i]));
	assert_int_equal(a->pool_count, b->pool_count);
	for (size_t i = 0; i < a->pool_count; i++) {
		const struct model_pool *p = &a->pools[i], *q = &b->pools[i];

		assert_string_equal(p->name, q->name);
		assert_int_equal(p->span_count, q->span_count);
		assert_memory_equal(p->spans, q->spans, p->span_count * sizeof(*p->spans));
		assert_int_equal(p->memory_max, q->memory_max);
		assert_int_equal(p->idle_max_bytes, q->idle_max_bytes);
		assert_int_equal(p->idle_ns, q->idle_ns);
		assert_float_equal(p->idle_byte_seconds, q->idle_byte_seconds, 1);
	}
	assert_int_equal(a->phase_count, b->phase_count);
	for (size_t i = 0; i < a->phase_count; i++) {
		assert_int_equal(a->phases[i].start_ns, b->phases[i].start_ns);
		assert_int_equal(a->phases[i].end_ns, b->phases[i].end_ns);
		assert_int_equal(a->phases[i].peak_bytes, b->phases[i].peak_bytes);
	}
	assert_int_equal(a->totals.peak_bytes, b->totals.peak_bytes);
	assert_int_equal(a->totals.peak_at_ns, b->totals.peak_at_ns);
	assert_int_equal(a->totals.peak_without_idle_bytes, b->totals.peak_without_idle_bytes);
	assert_int_equal(a->totals.idle_max_bytes, b->totals.idle_max_bytes);
	assert_int_equal(a->totals.overlap_max_bytes, b->totals.overlap_max_bytes);
	assert_int_equal(a->finding_count, b->finding_count);
}

static void refresh_and_compare(struct model *m, struct script *s)
{
	struct model *fresh;
	struct error e;

	script_flush(s);
	assert_int_equal(model_refresh(m, &e), 1);
	assert_int_equal(model_open(&fresh, s->path, &e), 0);
	assert_same(m, fresh);
	model_close(fresh);
}

static double worker_mib(double t, int worker)
{
	return 20 + 10 * worker + 3 * t;
}

/* Rounds of the owner and of the workers that are born, from `from` up to `until`, ten a second; a walk every 1.3 s. */
static void sample(struct script *s, double from, double until)
{
	for (int i = (int)(from * 10); i < (int)(until * 10); i++) {
		double t = i / 10.0;

		for (int64_t p = OWNER; p < SCRIPT_PROCESSES; p++) {
			const struct session_process *row = &s->processes[p];

			if (!row->id || row->born_ns > script_ns(t) ||
			    (row->ended_ns != SESSION_NULL && row->ended_ns <= script_ns(t)))
				continue;
			if (i % 13 == 0 || script_ns(t) < row->born_ns + 50000000)
				script_walk(s, t, p, worker_mib(t, (int)p), 20);
			else
				script_sample(s, t, p, worker_mib(t, (int)p) + 20);
		}
	}
}

static void a_refresh_gives_what_opening_anew_gives(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "refresh");
	sample(&s, 0, 1);
	m = script_open(&s);
	assert_int_equal(m->end, MODEL_RUNNING);
	script_pool(&s, 1, "train", 0, 1);
	script_process(&s, 2, 1, 0, 1, -1);
	script_event(&s, 1, "pool-begin", 1);
	script_event(&s, 1.5, "pool-first", 1);
	sample(&s, 1, 3);
	refresh_and_compare(m, &s);
	/* parked: nothing idle; later it turns out that it was never asked again */
	script_event(&s, 3, "pool-park", 1);
	script_pool(&s, 2, "validate", 0, 3);
	script_process(&s, 3, 2, 0, 3, -1);
	script_event(&s, 3.5, "pool-first", 2);
	sample(&s, 3, 6);
	refresh_and_compare(m, &s);
	assert_int_equal(m->totals.idle_max_bytes, 0);
	script_event(&s, 6, "pool-end", 1);
	script_end_process(&s, 2, 6, 0, 0);
	sample(&s, 6, 7);
	refresh_and_compare(m, &s);
	assert_true(m->totals.idle_max_bytes > 0);
	/* a worker that becomes known as one only after it was seen for a while */
	script_process(&s, 4, 0, 0, 7, -1);
	sample(&s, 7, 9);
	refresh_and_compare(m, &s);
	session_put_pool_worker(s.w, &(struct session_pool_worker){2, 4, 1});
	sample(&s, 9, 10);
	refresh_and_compare(m, &s);
	assert_int_equal(m->pools[1].member_count, 2);
	model_close(m);
	model_close(script_finish(&s, 10));
}

static void nothing_new_is_told_as_nothing(void **state)
{
	struct script s;
	struct model *m;
	struct error e;

	(void)state;
	script_begin(&s, "nothing");
	sample(&s, 0, 4);
	m = script_open(&s);
	assert_int_equal(model_refresh(m, &e), 0);
	model_close(m);
	model_close(script_finish(&s, 10));
}

static void the_end_of_a_run_is_seen_by_a_refresh(void **state)
{
	struct script s;
	struct model *m;
	struct error e;

	(void)state;
	script_begin(&s, "end");
	sample(&s, 0, 4);
	m = script_open(&s);
	model_close(script_finish(&s, 4));
	assert_int_equal(model_refresh(m, &e), 1);
	assert_int_equal(m->end, MODEL_EXITED);
	assert_int_equal(m->complete, 1);
	model_close(m);
}

static void a_long_run_is_read_anew_when_its_file_was_thinned(void **state)
{
	struct script s;
	struct model *m;
	struct error e;
	size_t rows;

	(void)state;
	script_begin(&s, "long");
	script_process(&s, 2, 0, 0, 0, -1);
	sample(&s, 0, 5);
	m = script_open(&s);
	m->priv->reload_rows = 50;
	sample(&s, 5, 60);
	script_flush(&s);
	assert_int_equal(model_refresh(m, &e), 1);
	rows = m->priv->tables.sample_rows;
	assert_int_equal(session_thin(s.w, script_ns(50), script_ns(5), &e), 0);
	sample(&s, 60, 61);
	refresh_and_compare(m, &s);
	assert_true(m->priv->tables.sample_rows < rows / 2);
	model_close(m);
	model_close(script_finish(&s, 61));
}

/* A cheap source of numbers that are the same everywhere. */
static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

/* Pools that come and go at random; in the end every sum must hold. */
static void make_random_run(struct script *s, uint32_t seed)
{
	static const char *const stages[] = {"train", "validate", "sanity", "other"};
	static const char *const kinds[] = {"pool-first", "pool-park", "pool-deliver",
					    "pool-exhausted"};
	int64_t process = 2;
	char name[32];

	snprintf(name, sizeof(name), "random%u", (unsigned)seed);
	script_begin(s, name);
	for (int64_t id = 1; id < 8; id++) {
		double t = id + (next(&seed) % 100) / 100.0;

		script_pool(s, id, stages[next(&seed) % 4], next(&seed) % 3, t);
		for (unsigned w = 0; w < next(&seed) % 3 && process < SCRIPT_PROCESSES;
		     w++, process++)
			script_process(s, process, id, w, t,
				       next(&seed) % 4 ? t + 1 + next(&seed) % 5 : -1);
		for (unsigned k = 0; k < next(&seed) % 6; k++)
			script_event(s, t + 0.5 * (k + 1), kinds[next(&seed) % 4], id);
		if (next(&seed) % 2)
			script_event(s, t + 4, "pool-end", id);
	}
	sample(s, 0, 12);
	for (int64_t p = 2; p < process; p++)
		script_parked(s, 5, p, next(&seed) % 8);
}

static void check_sums(const struct model *m)
{
	for (size_t i = 0; i < m->round_count; i++) {
		const struct model_round *r = &m->rounds[i];
		struct model_moment at;
		int64_t processes = 0, pools = 0;

		assert_int_equal(r->owner_bytes + r->delivering_bytes + r->parked_bytes +
					 r->idle_bytes,
				 r->total_bytes);
		assert_true(r->owner_bytes >= 0 && r->idle_bytes >= 0);
		assert_true(r->held_idle_bytes <= r->idle_bytes);
		assert_true(r->held_idle_releasable_bytes <= r->held_idle_bytes);
		assert_true(r->overlap_bytes <= r->idle_bytes);
		if (i % 7)
			continue;
		assert_int_equal(model_at(m, r->t_ns, &at), 0);
		assert_int_equal(at.composition.total, r->total_bytes);
		assert_int_equal(at.composition.live_heap + at.composition.unshared +
					 at.composition.files + at.composition.shm +
					 at.composition.parked + at.composition.allocator +
					 at.composition.other,
				 at.composition.total);
		for (size_t p = 0; p < m->process_count; p++)
			processes += at.processes[p].proportional;
		assert_true(processes <= r->total_bytes);
		for (size_t p = 0; p < m->pool_count; p++)
			pools += at.pools[p].held_idle;
		assert_int_equal(pools, r->held_idle_bytes);
		model_moment_release(&at);
	}
}

static void parts_add_up_in_any_run(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 40; seed++) {
		struct script s;
		struct model *m;
		double seconds = 0;

		make_random_run(&s, seed);
		m = script_finish(&s, 12);
		check_sums(m);
		for (size_t i = 0; i < m->pool_count; i++) {
			for (size_t k = 1; k < m->pools[i].span_count; k++)
				assert_int_equal(m->pools[i].spans[k].start_ns,
						 m->pools[i].spans[k - 1].end_ns);
			assert_true(m->pools[i].idle_max_bytes <= m->totals.idle_max_bytes);
			seconds += m->pools[i].idle_byte_seconds;
		}
		assert_float_equal(seconds, m->totals.idle_byte_seconds, 1);
		assert_true(m->totals.peak_without_idle_bytes <= m->totals.peak_with_release_bytes);
		assert_true(m->totals.peak_with_release_bytes <= m->totals.peak_bytes);
		model_close(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_refresh_gives_what_opening_anew_gives),
		cmocka_unit_test(nothing_new_is_told_as_nothing),
		cmocka_unit_test(the_end_of_a_run_is_seen_by_a_refresh),
		cmocka_unit_test(a_long_run_is_read_anew_when_its_file_was_thinned),
		cmocka_unit_test(parts_add_up_in_any_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
