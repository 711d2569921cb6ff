/* Claims about oom_before.h: a job that is killed before anybody looked at it is known to be. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/oom_before.h"
#include "profiler/collect/sampler.h"
#include "profiler/session/session.h"

static void the_count_before_is_that_of_the_same_cgroup(void **state)
{
	struct oom_before before = {.directory = "/sys/fs/cgroup/job", .kills = 3};
	struct cgroup g;

	(void)state;
	assert_int_equal(cgroup_locate(&g, "0::/job\n",
				       "1 0 0:1 / /sys/fs/cgroup rw - cgroup2 none rw\n"),
			 0);
	assert_int_equal(oom_before_kills(&before, &g, 5), 3);
	assert_int_equal(oom_before_kills(NULL, &g, 5), 5);
	strcpy(before.directory, "/sys/fs/cgroup/shell"); /* the job went elsewhere */
	assert_int_equal(oom_before_kills(&before, &g, 5), 5);
	assert_int_equal(cgroup_locate(&g, "", ""), -ENOENT);
	assert_int_equal(oom_before_kills(&before, &g, CGROUP_UNKNOWN), CGROUP_UNKNOWN);
}

static int count_kills(const struct session_event *event, void *arg)
{
	int64_t *kills = arg;

	if (!strcmp(event->kind, "oom-kill"))
		*kills += event->value;
	return 0;
}

static int64_t kills_told_by(const char *file)
{
	struct session_reader *r;
	int64_t kills = 0;
	struct error e;

	assert_int_equal(session_open(&r, file, &e), 0);
	assert_int_equal(session_each_event(r, 0, count_kills, &kills), 0);
	session_reader_close(r);
	return kills;
}

/* A child that is dead, and not waited for: all that is left of a job that was killed at once. */
static pid_t dead_child(void)
{
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

static void a_kill_before_the_first_look_is_told(void **state)
{
	const char *file = crafted_path("oom.loopmem");
	struct oom_before before;
	struct crafted_job c;
	struct pools pools = {0};
	struct edges edges = {.job = &c.job, .pools = &pools};
	struct sampler sampler;
	pid_t pid;

	(void)state;
	oom_before_take(&before);
	if (before.kills == CGROUP_UNKNOWN)
		skip();    /* no memory cgroup that tells it */
	before.kills -= 2; /* as if two had been killed since */
	crafted_job_start(&c, file);
	assert_int_equal(sampler_init(&sampler, &edges, 0), 0);
	pid = dead_child();
	assert_non_null(job_add(&c.job, pid, NULL));
	sampler_find_limits(&sampler, &before);
	sampler_last_round(&sampler);
	assert_int_equal(sampler_oom_kills(&sampler), 2);
	sampler_release(&sampler);
	crafted_job_end(&c);
	assert_int_equal(kills_told_by(file), 2);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_count_before_is_that_of_the_same_cgroup),
		cmocka_unit_test(a_kill_before_the_first_look_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
