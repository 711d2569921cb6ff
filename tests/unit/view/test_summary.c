/* Claims about what `loopmem run` prints at the end. */
#include <signal.h>

#include "tests/unit/model/script.h"

#include "printed.h"
#include "profiler/view/summary.h"

static const char *summary(const struct model *m)
{
	FILE *out = print_begin();

	assert_int_equal(summary_print(out, m, "run.loopmem"), 0);
	return printed(out);
}

static void a_program_without_loaders_is_one_line(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "plain");
	script_walk(&s, 0, OWNER, 41, 0);
	m = script_finish(&s, 1);
	assert_string_equal(
		summary(m),
		"loopmem: peak 41 MiB of 1.0 GiB RAM (4%); more: loopmem report run.loopmem\n");
	model_close(m);
}

static void notices_are_named_where_nothing_is_worse(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "noticed");
	for (int t = 0; t < 3; t++) {
		script_walk(&s, t, OWNER, 41, 0);
		script_locked(&s, t, OWNER, 33);
	}
	m = script_finish(&s, 3);
	assert_string_equal(summary(m), "loopmem: peak 41 MiB of 1.0 GiB RAM (4%); 1 notice: "
					"pinned-memory; more: loopmem report run.loopmem\n");
	model_close(m);
}

/* A train pool of 100 MiB; its worker leaves at `end`. */
static struct model *make(struct script *s, const char *name, double exhausted, double end)
{
	script_begin(s, name);
	script_pool(s, 1, "train", 0, 1);
	script_pool(s, 2, "validate", 0, exhausted);
	script_process(s, 2, 1, 0, 1, end);
	script_event(s, 2, "pool-first", 1);
	script_event(s, exhausted, "pool-exhausted", 1);
	if (end > exhausted + 1)
		script_event(s, exhausted + 0.5, "pool-first", 2);
	script_event(s, end, "pool-end", 1);
	for (double t = 0; t < 20; t += 0.5) {
		script_walk(s, t, OWNER, 40, 0);
		if (t >= 1 && t < end)
			script_walk(s, t, 2, 100, 0);
		script_system(s, t, 200, -1);
	}
	script_event(s, 19, "pool-end", 2);
	return script_finish(s, 20);
}

/* The owner of 40 MiB for 8 s, and a worker of 100 MiB from 1 s until 6 s. */
static struct model *walked(struct script *s)
{
	for (int t = 0; t < 8; t++) {
		script_walk(s, t, OWNER, 40, 0);
		if (t >= 1 && t < 6)
			script_walk(s, t, 2, 100, 0);
	}
	return script_finish(s, 8);
}

static void a_good_run_is_two_lines(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "good");
	script_pool(&s, 1, "train", 0, 1);
	script_process(&s, 2, 1, 0, 1, 6);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 5.9, "pool-exhausted", 1);
	script_event(&s, 6, "pool-end", 1);
	m = walked(&s);
	assert_string_equal(summary(m),
			    "loopmem: peak 140 MiB of 1.0 GiB RAM (14%) at 0:01, before train e0\n"
			    "loopmem: nothing held idle; more: loopmem report run.loopmem\n");
	model_close(m);
}

static void a_run_that_held_memory_idle_is_told_what_and_what_to_do(void **state)
{
	struct script s;
	struct model *m = make(&s, "held", 8, 18);

	(void)state;
	assert_string_equal(
		summary(m),
		"loopmem: peak 140 MiB of 200 MiB (70%) at 0:01, before train e0\n"
		"loopmem: held idle 100 MiB at most, 50 MiB on average; without it the peak is 140 MiB\n"
		"loopmem: W idle-pool-retained  100 MiB of train workers alive during validation\n"
		"loopmem: try   loopmem run --release-idle-workers -- python train.py\n"
		"loopmem: more  loopmem report run.loopmem\n");
	model_close(m);
}

static void a_released_run_tells_what_was_released(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "released");
	session_put_int(s.w, "released", 1);
	script_pool(&s, 1, "train", 0, 1);
	script_process(&s, 2, 1, 0, 1, 6);
	script_event(&s, 2, "pool-first", 1);
	script_event(&s, 5, "pool-exhausted", 1);
	script_event(&s, 6, "release", 1);
	script_event(&s, 6, "pool-end", 1);
	m = walked(&s);
	assert_string_equal(summary(m),
			    "loopmem: peak 140 MiB of 1.0 GiB RAM (14%) at 0:01, before train e0\n"
			    "loopmem: released 1 idle pool, 100 MiB at most; restarts added 0 s\n"
			    "loopmem: more  loopmem report run.loopmem\n");
	model_close(m);
}

static void kept(struct script *s, double t, int64_t pool, int64_t why)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(t),
							.kind = "release",
							.process = OWNER,
							.pool = pool,
							.value = why,
							.value2 = SESSION_NULL});
}

static void pools_that_were_left_alone_are_told_with_the_reason(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "kept");
	session_put_int(s.w, "released", 1);
	script_pool(&s, 1, "train", 0, 1);
	script_pool(&s, 2, "validate", 0, 2);
	script_pool(&s, 3, "train", 1, 3);
	for (int t = 0; t < 6; t++)
		script_walk(&s, t, OWNER, 40, 0);
	kept(&s, 2, 1, MODEL_KEPT_PERSISTENT);
	kept(&s, 3, 2, MODEL_KEPT_PERSISTENT);
	kept(&s, 4, 3, MODEL_KEPT_NEEDED);
	kept(&s, 5, 3, MODEL_KEPTS); /* of a newer version: no reason that is known */
	m = script_finish(&s, 6);
	assert_string_equal(
		summary(m),
		"loopmem: peak 40 MiB of 1.0 GiB RAM (4%) at 0:00\n"
		"loopmem: not released: train, validate (persistent_workers=True)\n"
		"loopmem: not released: train (validated within the epoch, needed after it)\n"
		"loopmem: nothing held idle; more: loopmem report run.loopmem\n");
	model_close(m);
}

static void put_system(struct script *s, double t)
{
	session_put_system(s->w, &(struct session_system){.t_ns = script_ns(t),
							  .limit_bytes = 200 * MIB,
							  .current_bytes = SESSION_NULL,
							  .anon_bytes = SESSION_NULL,
							  .shmem_bytes = SESSION_NULL,
							  .file_bytes = SESSION_NULL,
							  .kernel_bytes = SESSION_NULL,
							  .oom_kills = 4,
							  .available_bytes = SESSION_NULL,
							  .machine_shmem_bytes = SESSION_NULL,
							  .n = 1});
}

/* One kill more in the cgroup at `oom_t`; the run ends by SIGKILL at `t`. */
static void put_kill(struct script *s, double oom_t, double t)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(oom_t),
							.kind = "oom-kill",
							.process = SESSION_NULL,
							.pool = SESSION_NULL,
							.value = 1,
							.value2 = SESSION_NULL});
	session_put_int(s->w, "ended_ns", script_ns(t));
	session_put_int(s->w, "exit_signal", 9);
	script_end_process(s, OWNER, t, 0, 9);
}

/* Killed by the kernel at 12 s, with the train pool idle for 4 s. */
static void make_killed(struct script *s)
{
	script_begin(s, "killed");
	script_pool(s, 1, "train", 0, 1);
	script_pool(s, 2, "validate", 0, 8);
	script_process(s, 2, 1, 0, 1, -1);
	script_process(s, 3, 2, 0, 9, -1);
	script_event(s, 2, "pool-first", 1);
	script_event(s, 8, "pool-exhausted", 1);
	script_event(s, 9, "pool-first", 2);
	for (double t = 0; t < 12; t += 0.5) {
		script_walk(s, t, OWNER, 40, 0);
		if (t >= 1)
			script_walk(s, t, 2, 100, 0);
		if (t >= 9)
			script_walk(s, t, 3, 50, 0);
		put_system(s, t);
	}
	put_kill(s, 11.5, 12);
}

static void a_killed_run_is_told_by_its_last_moment(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	make_killed(&s);
	session_put_int(s.w, "oom_killed", 1);
	m = script_leave(&s);
	assert_string_equal(
		summary(m),
		"loopmem: killed by the kernel's OOM killer at 0:12 (SIGKILL, oom_kill +1), limit 200 MiB\n"
		"loopmem: last seen 190 MiB: train #1 100 (idle), validate #2 50, owner 40\n"
		"loopmem: 100 MiB of it was held idle: without it this moment needs 90 MiB, the peak so far is 140\n"
		"loopmem: E idle-pool-retained  train #1 exhausted 3.5 s before\n"
		"loopmem: try   loopmem run --release-idle-workers -- python train.py\n"
		"loopmem: more  loopmem report run.loopmem\n");
	model_close(m);
}

static void a_signal_that_was_no_oom_is_named(void **state)
{
	struct script s;
	struct model *m;
	const char *text;

	(void)state;
	make_killed(&s);
	m = script_leave(&s);
	text = summary(m);
	assert_ptr_equal(strstr(text, "loopmem: ended by SIGKILL at 0:12\nloopmem: peak 190 MiB"),
			 text);
	model_close(m);
}

/* Without pools there is one line, unless something died. */
static void a_command_that_died_of_a_fault_is_told_what_to_look_at(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "fault");
	for (double t = 0; t < 5; t += 0.5)
		script_walk(&s, t, OWNER, 40, 0);
	s.exit_signal = SIGSEGV;
	m = script_finish(&s, 5);
	assert_string_equal(
		summary(m),
		"loopmem: ended by SIGSEGV at 0:05\n"
		"loopmem: peak 40 MiB of 1.0 GiB RAM (4%) at 0:00\n"
		"loopmem: E process-died  process 1000 died of SIGSEGV\n"
		"loopmem: try   gdb on a core (ulimit -c unlimited) shows where it died\n"
		"loopmem: more  loopmem report run.loopmem\n");
	model_close(m);
}

static void a_run_too_short_to_be_read_says_so(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "short");
	m = script_finish(&s, 0.01);
	assert_string_equal(summary(m), "loopmem: ended before its memory was read once\n");
	model_close(m);
}

static void a_run_killed_before_it_was_read_says_that_too(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "killed at once");
	put_system(&s, 0.01);
	put_kill(&s, 0.01, 0.01);
	session_put_int(s.w, "oom_killed", 1);
	m = script_leave(&s);
	assert_string_equal(
		summary(m),
		"loopmem: killed by the kernel's OOM killer at 0:00 (SIGKILL, oom_kill +1), limit 200 MiB\n"
		"loopmem: ended before its memory was read once\n");
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_without_loaders_is_one_line),
		cmocka_unit_test(notices_are_named_where_nothing_is_worse),
		cmocka_unit_test(a_good_run_is_two_lines),
		cmocka_unit_test(a_run_that_held_memory_idle_is_told_what_and_what_to_do),
		cmocka_unit_test(a_released_run_tells_what_was_released),
		cmocka_unit_test(pools_that_were_left_alone_are_told_with_the_reason),
		cmocka_unit_test(a_killed_run_is_told_by_its_last_moment),
		cmocka_unit_test(a_signal_that_was_no_oom_is_named),
		cmocka_unit_test(a_command_that_died_of_a_fault_is_told_what_to_look_at),
		cmocka_unit_test(a_run_too_short_to_be_read_says_so),
		cmocka_unit_test(a_run_killed_before_it_was_read_says_that_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
