/* Claims about findings on how loaders start, stay and end, and on limits; each with its near misses. */
#include "script.h"

#include <signal.h>
#include <stdio.h>

/* ---- slow-shutdown ------------------------------------------------------------------------------------------ */

/* A pool of 100 MiB that is exhausted at 5 s, told to end at `told` s (< 0 = not told) and has ended at 12 s. */
static struct model *leaving(struct script *s, const char *name, double told, int64_t signal)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1);
	script_process(s, 2, 1, 0, 1, -1);
	script_event(s, 1.5, "pool-first", 1);
	script_event(s, 5, "pool-exhausted", 1);
	if (told >= 0)
		script_event(s, told, "pool-closing", 1);
	script_event(s, 12, "pool-end", 1);
	script_end_process(s, 2, 11.9, 0, signal);
	for (double t = 0; t < 20; t += 0.5) {
		script_walk(s, t, OWNER, 50, 0);
		if (t >= 1 && t < 11.9)
			script_walk(s, t, 2, 100, 0);
	}
	return script_finish(s, 20);
}

static void a_pool_that_takes_seconds_to_end_is_found(void **state)
{
	struct script s;
	struct model *m = leaving(&s, "slow", 9, 0);
	const struct model_finding *f = script_finding(m, "slow-shutdown");

	(void)state;
	assert_non_null(f);
	assert_float_equal(script_evidence(f, "shutdown_seconds_max"), 3, 0.001);
	assert_mib(script_evidence(f, "private_bytes"), 100);
	assert_true(script_evidence(f, "workers_ended_by_signal") == 0);
	assert_int_equal(f->severity, MODEL_WARNING); /* 3 of 20 s */
	assert_non_null(strstr(f->text, "worker 0 of train #1 e0"));
	model_close(m);
}

static void a_worker_that_had_to_be_killed_is_counted(void **state)
{
	struct script s;
	struct model *m = leaving(&s, "forced", 9, SIGTERM);

	(void)state;
	assert_true(script_evidence(script_finding(m, "slow-shutdown"),
				    "workers_ended_by_signal") == 1);
	model_close(m);
}

static void time_in_which_nobody_told_them_to_end_is_not_theirs(void **state)
{
	struct script s;
	struct model *m = leaving(&s, "late", 11.8, 0);

	(void)state;
	assert_null(script_finding(m, "slow-shutdown"));
	assert_non_null(script_finding(m, "idle-pool-retained"));
	model_close(m);
	m = leaving(&s, "untold", -1, 0);
	assert_null(script_finding(m, "slow-shutdown"));
	model_close(m);
}

/* ---- limit-mismatch ----------------------------------------------------------------------------------------- */

/* RAM is 1024 MiB. */
static struct model *limited(struct script *s, const char *name, double limit, double peak,
			     int killed)
{
	script_begin(s, name);
	session_put_text(s->w, "limit_source", "cgroup");
	if (killed)
		session_put_int(s->w, "oom_killed", 1);
	for (double t = 0; t < 5; t += 0.5) {
		script_system(s, t, limit, -1);
		script_walk(s, t, OWNER, peak, 0);
	}
	return script_finish(s, 5);
}

static void a_limit_far_below_the_ram_is_told_where_it_was_met(void **state)
{
	struct script s;
	struct model *m = limited(&s, "met", 200, 195, 0);
	const struct model_finding *f = script_finding(m, "limit-mismatch");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_mib(script_evidence(f, "limit_bytes"), 200);
	assert_mib(script_evidence(f, "ram_bytes"), 1024);
	model_close(m);
	m = limited(&s, "killed-there", 200, 150, 1);
	f = script_finding(m, "limit-mismatch");
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	model_close(m);
}

static void a_limit_alone_is_no_mismatch(void **state)
{
	struct script s;
	struct model *m = limited(&s, "room", 200, 185, 0);

	(void)state;
	assert_null(script_finding(m, "limit-mismatch"));
	model_close(m);
	m = limited(&s, "near-ram", 900, 890, 0);
	assert_null(script_finding(m, "limit-mismatch"));
	model_close(m);
	m = limited(&s, "no-limit", -1, 1020, 0);
	assert_null(script_finding(m, "limit-mismatch"));
	model_close(m);
}

/* ---- persistent-trade-off ----------------------------------------------------------------------------------- */

/* A pool of 100 MiB whose start takes 0.5 s, used from 1 to 3 s, and when `reused` again from 8 to 10 s. */
static struct model *kept(struct script *s, const char *name, int persistent, int reused)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1)->persistent = persistent;
	script_process(s, 2, 1, 0, 1, 11);
	script_event(s, 1.5, "pool-first", 1);
	script_event(s, 3, "pool-exhausted", 1);
	if (reused) {
		script_event(s, 8, "pool-reuse", 1);
		script_event(s, 8.1, "pool-first", 1);
		script_event(s, 10, "pool-exhausted", 1);
	}
	script_event(s, 10.5, "pool-end", 1);
	for (double t = 0; t < 12; t += 0.5) {
		script_walk(s, t, OWNER, 50, 0);
		if (t >= 1 && t < 10.5)
			script_walk(s, t, 2, 100, 0);
	}
	return script_finish(s, 12);
}

static void bytes_held_and_restarts_saved_stand_side_by_side(void **state)
{
	struct script s;
	struct model *m = kept(&s, "trade", 1, 1);
	const struct model_finding *f = script_finding(m, "persistent-trade-off");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_mib(script_evidence(f, "held_bytes_max"), 100);
	assert_float_equal(script_evidence(f, "held_seconds"), 5, 0.6);
	assert_true(script_evidence(f, "restarts_saved") == 1);
	assert_float_equal(script_evidence(f, "restart_seconds_saved"), 0.5, 0.001);
	/* while it works its memory is needed */
	assert_mib(script_evidence(f, "peak_without_bytes"), 150);
	model_close(m);
}

static void what_is_not_used_again_saves_nothing(void **state)
{
	struct script s;
	struct model *m = kept(&s, "once", 1, 0);

	(void)state;
	assert_null(script_finding(m, "persistent-trade-off"));
	assert_non_null(script_finding(m, "idle-pool-retained"));
	model_close(m);
	m = kept(&s, "no-persistence", 0, 0);
	assert_null(script_finding(m, "persistent-trade-off"));
	model_close(m);
}

/* ---- spawn-copies ------------------------------------------------------------------------------------------- */

/* A stack of Python functions, outermost first, "function@file"; its id is that of its last frame. */
static int64_t put_stack(struct script *s, const char *const *calls, int64_t first_id)
{
	int64_t id = first_id;

	for (int i = 0; calls[i]; i++, id++) {
		char function[64];
		const char *at = strchr(calls[i], '@');

		snprintf(function, sizeof(function), "%.*s", (int)(at - calls[i]), calls[i]);
		session_put_frame(s->w, &(struct session_frame){id, SESSION_NULL, SESSION_NULL, 0});
		session_put_symbol(s->w, &(struct session_symbol){id, 0, function, at + 1, 1});
		session_put_stack(s->w, &(struct session_stack){id, i ? id - 1 : SESSION_NULL, id});
	}
	return id - 1;
}

static struct model *spawned(struct script *s, const char *name, const char *method,
			     const char *const *calls, double mib)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1)->start_method = method;
	s->pools[1].workers = 2;
	s->pools[1].dataset = "Coco";
	script_put_pools(s);
	for (int64_t i = 0; i < 2; i++) {
		script_process(s, 2 + i, 1, i, 1, 9);
		session_put_site(s->w,
				 &(struct session_site){.id = 1 + i,
							.process = 2 + i,
							.owner_pool = SESSION_NULL,
							.stack = put_stack(s, calls, 10 + 10 * i)});
		session_put_site_sample(
			s->w, &(struct session_site_sample){
				      script_ns(2), 1 + i, (int64_t)(mib * (double)MIB), 1000,
				      (int64_t)(mib * (double)MIB), 1000, SESSION_NULL});
	}
	script_event(s, 2, "pool-first", 1);
	script_event(s, 8.8, "pool-exhausted", 1);
	script_event(s, 9, "pool-end", 1);
	for (double t = 0; t < 10; t += 0.5) {
		script_walk(s, t, OWNER, 50, 0);
		for (int i = 0; i < 2 && t >= 1 && t < 9; i++)
			script_walk(s, t, 2 + i, 100, 0);
	}
	return script_finish(s, 10);
}

#define SPAWN "/usr/lib/python3.11/multiprocessing/spawn.py"

static const char *const unpickling[] = {"<module>@<string>", "spawn_main@" SPAWN, "_main@" SPAWN,
					 "__setstate__@coco.py", NULL};

static void what_every_spawned_worker_unpickled_is_found(void **state)
{
	static const char *const methods[] = {"spawn", "forkserver"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct script s;
		struct model *m = spawned(&s, methods[i], methods[i], unpickling, 60);
		const struct model_finding *f = script_finding(m, "spawn-copies");

		assert_non_null(f);
		assert_mib(f->bytes, 120);
		assert_mib(script_evidence(f, "copied_bytes_worker_max"), 60);
		assert_true(script_evidence(f, "workers") == 2);
		assert_non_null(strstr(f->text, "Coco"));
		model_close(m);
	}
}

/* Of 250 MiB in all. */
static void a_small_copy_in_a_small_run_is_a_notice(void **state)
{
	struct script s;
	struct model *m = spawned(&s, "small", "spawn", unpickling, 16);
	const struct model_finding *f = script_finding(m, "spawn-copies");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	model_close(m);
	m = spawned(&s, "full", "spawn", unpickling, 33);
	assert_int_equal(script_finding(m, "spawn-copies")->severity, MODEL_WARNING);
	model_close(m);
}

static void other_memory_of_spawned_workers_is_no_copy(void **state)
{
	static const char *const importing[] = {"spawn_main@" SPAWN, "_main@" SPAWN,
						"_find_and_load@<frozen importlib._bootstrap>",
						"<module>@torch/__init__.py", NULL};
	static const char *const preparing[] = {"spawn_main@" SPAWN, "_main@" SPAWN,
						"prepare@" SPAWN, "<module>@train.py", NULL};
	static const char *const working[] = {
		"spawn_main@" SPAWN, "_main@" SPAWN,
		"_bootstrap@/usr/lib/python3.11/multiprocessing/process.py", "__getitem__@coco.py",
		NULL};
	static const char *const namesake[] = {"_main@train.py", "load@train.py", NULL};
	static const char *const *const others[] = {importing, preparing, working, namesake};

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct script s;
		struct model *m = spawned(&s, "other", "spawn", others[i], 60);

		assert_null(script_finding(m, "spawn-copies"));
		model_close(m);
	}
}

static void little_or_forked_is_no_copy(void **state)
{
	struct script s;
	struct model *m = spawned(&s, "little", "spawn", unpickling, 7);

	(void)state;
	assert_null(script_finding(m, "spawn-copies"));
	model_close(m);
	m = spawned(&s, "forked", "fork", unpickling, 60);
	assert_null(script_finding(m, "spawn-copies"));
	model_close(m);
}

/* ---- /dev/shm ----------------------------------------------------------------------------------------------- */

static struct model *sharing(struct script *s, const char *name, double size, double used,
			     double own, int64_t signal)
{
	script_begin(s, name);
	session_put_int(s->w, "shm_size_bytes", (int64_t)(size * (double)MIB));
	session_put_int(s->w, "shm_used_max_bytes", (int64_t)(used * (double)MIB));
	session_put_int(s->w, "shm_used_max_ns", script_ns(3));
	script_pool(s, 1, "train", 0, 1);
	script_process(s, 2, 1, 0, 1, 9);
	script_event(s, 1.5, "pool-first", 1);
	script_event(s, 9, "pool-end", 1);
	if (signal)
		script_end_process(s, 2, 8, SESSION_NULL, signal);
	for (double t = 0; t < 10; t += 0.5) {
		script_walk(s, t, OWNER, 50, 0);
		if (t >= 1 && t < 8)
			script_walk(s, t, 2, 20, 0);
	}
	script_parked(s, 3, 2, own);
	return script_finish(s, 10);
}

static void a_nearly_full_dev_shm_is_found(void **state)
{
	struct script s;
	struct model *m = sharing(&s, "full", 64, 55, 50, 0);
	const struct model_finding *f = script_finding(m, "shm-pressure");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_mib(script_evidence(f, "shm_own_bytes_max"), 50);
	model_close(m);
	m = sharing(&s, "fuller", 64, 63, 50, 0);
	assert_int_equal(script_finding(m, "shm-pressure")->severity, MODEL_WARNING);
	model_close(m);
	m = sharing(&s, "bus", 64, 55, 50, SIGBUS);
	f = script_finding(m, "shm-pressure");
	assert_int_equal(f->severity, MODEL_WARNING);
	assert_true(script_evidence(f, "bus_errors") == 1);
	model_close(m);
}

static void room_in_dev_shm_and_what_others_fill_is_no_pressure(void **state)
{
	struct script s;
	struct model *m = sharing(&s, "room-left", 64, 50, 50, 0);

	(void)state;
	assert_null(script_finding(m, "shm-pressure"));
	model_close(m);
	m = sharing(&s, "by-others", 64, 60, 10, 0);
	assert_null(script_finding(m, "shm-pressure"));
	model_close(m);
}

static void leave(struct script *s, const char *kind, int64_t pid, double mib)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(9.9),
							.kind = kind,
							.process = SESSION_NULL,
							.pool = SESSION_NULL,
							.value = (int64_t)(mib * (double)MIB),
							.value2 = pid,
							.text = "/dev/shm/torch_1002_7_0"});
}

static struct model *leaving_files(struct script *s, const char *name, int64_t pid, double mib)
{
	script_begin(s, name);
	script_process(s, 2, 0, 0, 1, 5);
	for (double t = 0; t < 10; t += 0.5)
		script_walk(s, t, OWNER, 50, 0);
	leave(s, "stale-shm", pid, mib);
	return script_finish(s, 10);
}

static void files_of_dead_processes_of_the_job_are_named(void **state)
{
	struct script s;
	struct model *m = leaving_files(&s, "left", 1002, 8);
	const struct model_finding *f = script_finding(m, "stale-shm");

	(void)state;
	assert_non_null(f);
	assert_mib(f->bytes, 8);
	assert_string_equal(f->advice, "rm /dev/shm/torch_1002_*");
	model_close(m);
}

static void files_of_strangers_and_crumbs_are_not(void **state)
{
	struct script s;
	struct model *m = leaving_files(&s, "strangers", 777, 8);

	(void)state;
	assert_null(script_finding(m, "stale-shm"));
	model_close(m);
	m = leaving_files(&s, "crumbs", 1002, 0.5);
	assert_null(script_finding(m, "stale-shm"));
	model_close(m);
}

/* In a /dev/shm of 1000 MiB two processes of earlier runs left `mib` each. */
static struct model *leaving_earlier(struct script *s, const char *name, double mib)
{
	script_begin(s, name);
	session_put_int(s->w, "shm_size_bytes", 1000 * MIB);
	for (double t = 0; t < 10; t += 0.5)
		script_walk(s, t, OWNER, 50, 0);
	leave(s, "earlier-shm", 501, mib);
	leave(s, "earlier-shm", 502, mib);
	return script_finish(s, 10);
}

static void what_earlier_runs_left_is_told_when_it_matters(void **state)
{
	struct script s;
	struct model *m = leaving_earlier(&s, "earlier", 6);
	const struct model_finding *f = script_finding(m, "stale-shm");

	(void)state;
	assert_non_null(f);
	assert_int_equal(f->severity, MODEL_NOTICE);
	assert_mib(script_evidence(f, "earlier_bytes"), 12);
	assert_string_equal(f->advice, "rm /dev/shm/torch_{501,502}_*");
	model_close(m);
	m = leaving_earlier(&s, "earlier-little", 4);
	assert_null(script_finding(m, "stale-shm"));
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_that_takes_seconds_to_end_is_found),
		cmocka_unit_test(a_worker_that_had_to_be_killed_is_counted),
		cmocka_unit_test(time_in_which_nobody_told_them_to_end_is_not_theirs),
		cmocka_unit_test(a_limit_far_below_the_ram_is_told_where_it_was_met),
		cmocka_unit_test(a_limit_alone_is_no_mismatch),
		cmocka_unit_test(bytes_held_and_restarts_saved_stand_side_by_side),
		cmocka_unit_test(what_is_not_used_again_saves_nothing),
		cmocka_unit_test(what_every_spawned_worker_unpickled_is_found),
		cmocka_unit_test(other_memory_of_spawned_workers_is_no_copy),
		cmocka_unit_test(a_small_copy_in_a_small_run_is_a_notice),
		cmocka_unit_test(little_or_forked_is_no_copy),
		cmocka_unit_test(a_nearly_full_dev_shm_is_found),
		cmocka_unit_test(room_in_dev_shm_and_what_others_fill_is_no_pressure),
		cmocka_unit_test(files_of_dead_processes_of_the_job_are_named),
		cmocka_unit_test(files_of_strangers_and_crumbs_are_not),
		cmocka_unit_test(what_earlier_runs_left_is_told_when_it_matters),
	};

	return cmocka_run_group_tests_name("findings about loaders", tests, NULL, NULL);
}
