/* Claims about process-died: who died, who was meant to end. */
#include "script.h"

#include <signal.h>

enum { FIRST = 2, SECOND = 3 }; /* workers of pool 1, of 100 MiB each */

/* A train pool of two workers from 1 s on, asked until 9 s. FIRST ends at 5 s, by what end() says. */
static void begin(struct script *s, const char *name)
{
	script_begin(s, name);
	s->processes[OWNER].python = "3.11.7";
	session_put_process(s->w, &s->processes[OWNER]);
	script_pool(s, 1, "train", 0, 1)->workers = 2;
	script_birth(s, 1, 1, "torch 2.13.0");
	script_process(s, FIRST, 1, 0, 1, 5);
	script_process(s, SECOND, 1, 1, 1, 9);
	script_event(s, 2, "pool-first", 1);
	for (double t = 0; t < 10; t += 0.5) {
		script_walk(s, t, OWNER, 50, 0);
		if (t >= 1 && t < 5)
			script_walk(s, t, FIRST, 100, 0);
		if (t >= 1 && t < 9)
			script_walk(s, t, SECOND, 100, 0);
	}
}

static void sent(struct script *s, double t, int64_t sender, int64_t pid, int64_t signal)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(t),
							.kind = "kill",
							.process = sender,
							.pool = SESSION_NULL,
							.value = pid,
							.value2 = signal});
}

static void interrupted(struct script *s, double t)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(t),
							.kind = "interrupt",
							.process = SESSION_NULL,
							.pool = SESSION_NULL,
							.value = SIGINT,
							.value2 = SESSION_NULL});
}

static struct model *end(struct script *s, int64_t code, int64_t signal)
{
	script_end_process(s, FIRST, 5, code, signal);
	return script_finish(s, 10);
}

static const char *ended_by(const struct model_finding *f)
{
	for (size_t i = 0; i < f->evidence_count; i++)
		if (!strcmp(f->evidence[i].key, "ended_by"))
			return f->evidence[i].text;
	return NULL;
}

static void expect(struct model *m, const char *how, enum model_severity severity)
{
	const struct model_finding *f = script_finding(m, "process-died");

	assert_non_null(f);
	assert_string_equal(ended_by(f), how);
	assert_int_equal(f->severity, severity);
	model_close(m);
}

static void expect_silence(struct model *m)
{
	assert_null(script_finding(m, "process-died"));
	model_close(m);
}

/* ---- who died ----------------------------------------------------------------------------------------------- */

static void a_worker_that_dies_of_a_fault_is_told_with_what_was_there(void **state)
{
	struct script s;
	const struct model_finding *f;
	struct model *m;

	(void)state;
	begin(&s, "fault");
	s.exit_code = 1;
	m = end(&s, 0, SIGSEGV);
	f = script_finding(m, "process-died");
	assert_non_null(f);
	assert_ptr_equal(f, &m->findings[0]);
	assert_int_equal(f->severity, MODEL_ERROR);
	assert_string_equal(f->title, "A worker died of SIGSEGV");
	assert_string_equal(f->brief, "worker 0 of train #1 e0, process 1002 died of SIGSEGV");
	assert_string_equal(f->text,
			    "It was worker 0 of train #1 e0, process 1002. The command then "
			    "failed with exit 1.");
	assert_non_null(strstr(f->advice, "DataLoader(worker_init_fn=...)"));
	assert_int_equal(f->moments[0], script_ns(5));
	assert_int_equal(f->pools[0], 0);
	assert_true(script_evidence(f, "pid") == 1002 && script_evidence(f, "processes") == 1);
	assert_mib(script_evidence(f, "private_bytes"), 100);
	assert_mib(script_evidence(f, "pool_private_bytes"), 200);
	assert_mib(script_evidence(f, "job_bytes"), 250);
	model_close(m);
}

static void where_the_run_goes_on_it_is_a_warning_and_goes_before_others(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "goes-on");
	script_event(&s, 5.5, "pool-exhausted", 1); /* 100 MiB are held idle for 3.5 s */
	m = end(&s, 0, SIGBUS);
	assert_non_null(script_finding(m, "idle-pool-retained"));
	assert_string_equal(m->findings[0].id, "process-died");
	assert_non_null(strstr(m->findings[0].advice, "/dev/shm"));
	expect(m, "SIGBUS", MODEL_WARNING);
}

static void the_first_is_told_and_the_others_are_counted(void **state)
{
	struct script s;
	const struct model_finding *f;
	struct model *m;

	(void)state;
	begin(&s, "several");
	script_end_process(&s, SECOND, 6, 0, SIGABRT);
	m = end(&s, 0, SIGSEGV);
	f = script_finding(m, "process-died");
	assert_string_equal(ended_by(f), "SIGSEGV");
	assert_true(script_evidence(f, "processes") == 2);
	assert_non_null(strstr(f->text, "1 more died besides"));
	model_close(m);
}

static void a_signal_that_nobody_in_the_job_sent_is_a_death(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "outside");
	sent(&s, 4.99, OWNER, 1003, SIGTERM); /* to another */
	sent(&s, 4.99, OWNER, 1002, SIGQUIT); /* another signal */
	sent(&s, 5.2, OWNER, 1002, SIGTERM);  /* too late */
	sent(&s, 4.99, FIRST, 1002, SIGTERM); /* its own */
	expect(end(&s, 0, SIGTERM), "SIGTERM", MODEL_WARNING);
	begin(&s, "killed");
	expect(end(&s, 0, SIGKILL), "SIGKILL", MODEL_WARNING);
}

static void a_worker_that_fails_is_a_death(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "status");
	expect(end(&s, 3, 0), "exit 3", MODEL_WARNING);
}

/* Without a status all that is known is that the shim saw no exit. */
static void what_is_not_known_is_called_unknown(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "unknown");
	expect(end(&s, SESSION_NULL, 0), "unknown", MODEL_WARNING);
	begin(&s, "unknown-without-shim");
	s.processes[FIRST].instrumented = 0;
	expect_silence(end(&s, SESSION_NULL, 0));
}

static void the_command_itself_dies_of_a_fault_or_of_sigkill(void **state)
{
	static const int64_t signals[] = {SIGSEGV, SIGKILL, SIGTERM, SIGINT};
	struct script s;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		begin(&s, "command");
		s.exit_signal = signals[i];
		script_end_process(&s, FIRST, 5, 0, 0);
		if (i < 2)
			expect(script_finish(&s, 10), i ? "SIGKILL" : "SIGSEGV", MODEL_ERROR);
		else
			expect_silence(script_finish(&s, 10));
	}
}

/* ---- who was meant to end ----------------------------------------------------------------------------------- */

static void what_its_owner_ended_is_no_death(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "terminated");
	sent(&s, 4.99, OWNER, 1002, SIGTERM);
	expect_silence(end(&s, 0, SIGTERM));
	begin(&s, "group");
	sent(&s, 4.9, OWNER, SESSION_NULL, SIGKILL);
	expect_silence(end(&s, 0, SIGKILL));
	begin(&s, "aborted");
	sent(&s, 4.9, OWNER, 1002, SIGABRT);
	expect_silence(end(&s, 0, SIGABRT));
}

static void workers_that_were_told_to_leave_may_end_as_they_like(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "closing");
	script_event(&s, 4.9, "pool-closing", 1);
	expect_silence(end(&s, 1, 0));
	begin(&s, "closing-term");
	script_event(&s, 4.9, "pool-closing", 1);
	expect_silence(end(&s, 0, SIGTERM));
	begin(&s, "closing-fault");
	script_event(&s, 4.9, "pool-closing", 1);
	expect(end(&s, 0, SIGSEGV), "SIGSEGV", MODEL_NOTICE);
}

static void an_interrupted_run_has_no_deaths_but_faults(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "interrupted");
	interrupted(&s, 4);
	expect_silence(end(&s, 1, 0));
	begin(&s, "interrupted-kill");
	interrupted(&s, 4);
	expect_silence(end(&s, 0, SIGKILL));
	begin(&s, "interrupted-later");
	interrupted(&s, 7);
	expect(end(&s, 1, 0), "exit 1", MODEL_WARNING);
	begin(&s, "interrupted-fault");
	interrupted(&s, 4);
	expect(end(&s, 0, SIGSEGV), "SIGSEGV", MODEL_WARNING);
	begin(&s, "ctrl-c");
	s.exit_signal = SIGINT;
	expect_silence(end(&s, 1, 0));
	begin(&s, "int");
	expect_silence(end(&s, 0, SIGINT));
}

static void who_outlives_its_owner_ends_as_it_likes(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "orphan");
	s.exit_code = 1;
	script_end_process(&s, FIRST, 5, 0, 0);
	script_end_process(&s, SECOND, 10.01, 0, SIGKILL);
	expect_silence(script_finish(&s, 10));
	begin(&s, "together"); /* one signal for all of them */
	s.exit_signal = SIGTERM;
	script_end_process(&s, FIRST, 5, 0, 0);
	script_end_process(&s, SECOND, 9.9, 0, SIGTERM);
	expect_silence(script_finish(&s, 10));
}

static void what_the_oom_killer_ended_is_its_victim(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	begin(&s, "oom");
	session_put_int(s.w, "oom_killed", 1);
	m = end(&s, 0, SIGKILL);
	assert_non_null(script_finding(m, "oom-victim"));
	expect_silence(m);
}

static void of_other_programs_only_faults_are_told(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "child");
	script_end_process(&s, FIRST, 5, 0, 0);
	script_process(&s, 4, 0, 0, 2, 3);
	script_end_process(&s, 4, 3, 1, 0);
	script_process(&s, 5, 0, 0, 2, 3);
	script_end_process(&s, 5, 3, 0, SIGTERM);
	expect_silence(script_finish(&s, 10));
	begin(&s, "child-fault");
	script_end_process(&s, FIRST, 5, 0, 0);
	script_process(&s, 4, 0, 0, 2, 3);
	script_end_process(&s, 4, 3, 0, SIGSEGV);
	s.exit_code = 1;
	expect(script_finish(&s, 10), "SIGSEGV", MODEL_NOTICE);
}

/* A Process says something by its status; a Pool's worker, which was to serve on, does not. */
static void a_status_of_a_group_counts_where_it_replaces_its_workers(void **state)
{
	struct script s;

	(void)state;
	for (int workers = 0; workers <= 2; workers += 2) {
		begin(&s, workers ? "pool" : "processes");
		s.pools[1].grouped = 1;
		s.pools[1].workers = workers;
		script_put_pools(&s);
		if (workers)
			expect(end(&s, 1, 0), "exit 1", MODEL_WARNING);
		else
			expect_silence(end(&s, 1, 0));
	}
}

static void an_owner_without_the_shim_does_not_tell_whom_it_ends(void **state)
{
	struct script s;

	(void)state;
	begin(&s, "attached");
	s.processes[OWNER].instrumented = 0;
	session_put_process(s.w, &s.processes[OWNER]);
	expect_silence(end(&s, 0, SIGTERM));
	begin(&s, "attached-fault");
	s.processes[OWNER].instrumented = 0;
	session_put_process(s.w, &s.processes[OWNER]);
	expect(end(&s, 0, SIGSEGV), "SIGSEGV", MODEL_WARNING);
}

/* Two ranks with a loader each, below the command; rank 1 fails first, and rank 0 after it. */
static struct model *ranks(struct script *s, const char *name, int64_t exit_code)
{
	script_begin(s, name);
	for (int64_t rank = 0; rank < 2; rank++) {
		script_process(s, 2 + rank, 0, 0, 1, 9);
		s->processes[2 + rank].rank = rank;
		script_end_process(s, 2 + rank, 9 - rank, 1, 0);
		script_pool(s, 1 + rank, "train", 0, 2)->owner = 2 + rank;
	}
	script_put_pools(s);
	for (double t = 0; t < 10; t += 0.5)
		script_walk(s, t, OWNER, 50, 0);
	s->exit_code = exit_code;
	return script_finish(s, 10);
}

static void the_first_rank_that_fails_is_told_where_the_run_fails(void **state)
{
	struct script s;
	const struct model_finding *f;
	struct model *m = ranks(&s, "ranks", 1);

	(void)state;
	f = script_finding(m, "process-died");
	assert_non_null(f);
	assert_string_equal(f->title, "A training process failed with exit 1");
	assert_non_null(strstr(f->text, "rank 1, process 1003"));
	assert_non_null(strstr(f->advice, "other ranks"));
	assert_true(script_evidence(f, "processes") == 1);
	model_close(m);
	expect_silence(ranks(&s, "ranks-well", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_worker_that_dies_of_a_fault_is_told_with_what_was_there),
		cmocka_unit_test(where_the_run_goes_on_it_is_a_warning_and_goes_before_others),
		cmocka_unit_test(the_first_is_told_and_the_others_are_counted),
		cmocka_unit_test(a_signal_that_nobody_in_the_job_sent_is_a_death),
		cmocka_unit_test(a_worker_that_fails_is_a_death),
		cmocka_unit_test(what_is_not_known_is_called_unknown),
		cmocka_unit_test(the_command_itself_dies_of_a_fault_or_of_sigkill),
		cmocka_unit_test(what_its_owner_ended_is_no_death),
		cmocka_unit_test(workers_that_were_told_to_leave_may_end_as_they_like),
		cmocka_unit_test(an_interrupted_run_has_no_deaths_but_faults),
		cmocka_unit_test(who_outlives_its_owner_ends_as_it_likes),
		cmocka_unit_test(what_the_oom_killer_ended_is_its_victim),
		cmocka_unit_test(of_other_programs_only_faults_are_told),
		cmocka_unit_test(a_status_of_a_group_counts_where_it_replaces_its_workers),
		cmocka_unit_test(an_owner_without_the_shim_does_not_tell_whom_it_ends),
		cmocka_unit_test(the_first_rank_that_fails_is_told_where_the_run_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
