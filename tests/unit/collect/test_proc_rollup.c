/* Claims about profiler/collect/proc_rollup.h. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/collect/proc_rollup.h"

static const char text_6_18[] =
	"564441ffd000-7ffdb711f000 ---p 00000000 00:00 0                          [rollup]\n"
	"Rss:                1740 kB\nPss:                 322 kB\nPss_Dirty:           116 kB\n"
	"Pss_Anon:            110 kB\nPss_File:            206 kB\nPss_Shmem:             6 kB\n"
	"Shared_Clean:       1588 kB\nShared_Dirty:         12 kB\nPrivate_Clean:        36 kB\n"
	"Private_Dirty:       104 kB\nReferenced:         1740 kB\nAnonymous:           116 kB\n"
	"AnonHugePages:      2048 kB\nSwap:                  1 kB\nSwapPss:               2 kB\n";

static void every_field_is_read(void **state)
{
	struct proc_rollup r;

	(void)state;
	assert_int_equal(proc_rollup_parse(text_6_18, &r), 0);
	assert_int_equal(r.rss, 1740 * 1024);
	assert_int_equal(r.pss, 322 * 1024);
	assert_int_equal(r.pss_anon, 110 * 1024);
	assert_int_equal(r.pss_file, 206 * 1024);
	assert_int_equal(r.pss_shmem, 6 * 1024);
	assert_int_equal(r.shared_clean, 1588 * 1024);
	assert_int_equal(r.shared_dirty, 12 * 1024);
	assert_int_equal(r.private_clean, 36 * 1024);
	assert_int_equal(r.private_dirty, 104 * 1024);
	assert_int_equal(r.anonymous, 116 * 1024);
	assert_int_equal(r.anon_huge, 2048 * 1024);
	assert_int_equal(r.swap, 1024);
	assert_int_equal(r.swap_pss, 2048);
	assert_int_equal(proc_rollup_shared(&r), 1600 * 1024);
}

/* Linux 4.14 has no split of Pss. */
static void what_an_old_kernel_does_not_say_is_absent(void **state)
{
	struct proc_rollup r;

	(void)state;
	assert_int_equal(
		proc_rollup_parse(
			"00400000-7fff0000 ---p 00000000 00:00 0 [rollup]\nRss: 8 kB\nPss: 4 kB\n",
			&r),
		0);
	assert_int_equal(r.pss, 4096);
	assert_int_equal(r.pss_anon, KEYED_ABSENT);
	assert_int_equal(proc_rollup_shared(&r), KEYED_ABSENT);
	assert_int_equal(proc_rollup_parse("", &r), -EINVAL);
}

/* 200 MiB were inherited; what the walk says of them when it comes late. */
static void what_was_shared_at_the_fork_is_told_by_a_late_walk(void **state)
{
	const int64_t mib = 1 << 20, pages = mib / 4096;
	struct proc_rollup r = {
		.shared_dirty = 184 * mib, .private_dirty = 16 * mib, .anonymous = 200 * mib};

	(void)state; /* 16 copied */
	assert_int_equal(proc_rollup_shared_at_fork(&r, 16 * pages, 200 * mib), 200 * mib);
	r.private_dirty += 8 * mib; /* and 8 new ones */
	r.anonymous += 8 * mib;
	assert_int_equal(proc_rollup_shared_at_fork(&r, 24 * pages, 200 * mib), 200 * mib);
	r = (struct proc_rollup){
		.shared_dirty = 200 * mib, .private_dirty = 50 * mib, .anonymous = 250 * mib};
	assert_int_equal(proc_rollup_shared_at_fork(&r, 50 * pages, 200 * mib),
			 200 * mib); /* all new */
	r = (struct proc_rollup){.private_dirty = 200 * mib, .anonymous = 200 * mib};
	assert_int_equal(proc_rollup_shared_at_fork(&r, 3, 200 * mib),
			 3 * 4096); /* its parent went: no copies */
	r.private_dirty = KEYED_ABSENT;
	assert_int_equal(proc_rollup_shared_at_fork(&r, 3, 200 * mib), 0);
}

static void a_walk_sees_what_a_process_has(void **state)
{
	struct proc_rollup before, after;
	int64_t wall_ns;
	size_t bytes = 16 << 20;
	char *memory;

	(void)state;
	assert_int_equal(proc_rollup_read(getpid(), &before, &wall_ns), 0);
	memory = malloc(bytes);
	assert_non_null(memory);
	memset(memory, 1, bytes);
	assert_int_equal(proc_rollup_read(getpid(), &after, &wall_ns), 0);
	assert_true(wall_ns > 0);
	/* up to eight times as much under a sanitizer, which shadows it */
	assert_in_range(after.private_dirty - before.private_dirty, bytes, 8 * bytes);
	free(memory);
}

static void a_zombie_has_nothing_to_walk(void **state)
{
	struct proc_rollup r;
	int64_t wall_ns;
	pid_t pid = fork();

	(void)state;
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	assert_int_equal(proc_rollup_read(pid, &r, &wall_ns), -ESRCH);
	waitpid(pid, NULL, 0);
	assert_int_equal(proc_rollup_read(pid, &r, &wall_ns), -ESRCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_is_read),
		cmocka_unit_test(what_an_old_kernel_does_not_say_is_absent),
		cmocka_unit_test(what_was_shared_at_the_fork_is_told_by_a_late_walk),
		cmocka_unit_test(a_walk_sees_what_a_process_has),
		cmocka_unit_test(a_zombie_has_nothing_to_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
