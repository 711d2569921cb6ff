/* Claims about profiler/collect/cgroup.h: texts of real systems, and trees of files as both
 * versions lay them out. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/cgroup.h"

#define MIB INT64_C(1048576)

static const char mounts_v1[] =
	"31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
	"33 31 0:30 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"
	"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
static const char mounts_v2[] =
	"24 1 0:22 / /sys rw - sysfs sysfs rw\n30 24 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

static void version_1_is_found_by_its_controller(void **state)
{
	struct cgroup g;

	(void)state;
	assert_int_equal(cgroup_locate(&g, "8:pids:/x\n4:memory:/slurm/job_7/step_0\n0::/unified\n",
				       mounts_v1),
			 0);
	assert_int_equal(cgroup_version(&g), 1);
	assert_string_equal(g.name, "/slurm/job_7/step_0");
	assert_string_equal(g.directory, "/sys/fs/cgroup/memory/slurm/job_7/step_0");
}

static void version_2_is_the_line_without_controllers(void **state)
{
	struct cgroup g;

	(void)state;
	assert_int_equal(cgroup_locate(&g, "0::/user.slice/run-u5.scope\n", mounts_v2), 0);
	assert_int_equal(cgroup_version(&g), 2);
	assert_string_equal(g.directory, "/sys/fs/cgroup/user.slice/run-u5.scope");
}

/* Version 1 in a container: the mount shows a part of the tree, the name is that of the host. */
static void a_container_sees_its_part_of_the_tree(void **state)
{
	struct cgroup g;

	(void)state;
	assert_int_equal(
		cgroup_locate(
			&g, "9:memory:/docker/abc\n",
			"700 690 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"),
		0);
	assert_string_equal(g.directory, "/sys/fs/cgroup/memory");
	assert_int_equal(cgroup_locate(&g, "0::/\n", mounts_v2), 0); /* a cgroup namespace */
	assert_string_equal(g.directory, "/sys/fs/cgroup");
}

static void joined_controllers_are_told_apart(void **state)
{
	struct cgroup g;

	(void)state;
	assert_int_equal(cgroup_locate(&g, "4:hugetlb,memory:/a\n",
				       "35 31 0:32 / /cg rw - cgroup cgroup rw,hugetlb,memory\n"),
			 0);
	assert_string_equal(g.directory, "/cg/a");
	assert_int_equal(cgroup_locate(&g, "4:memory_other:/a\n", mounts_v1), -ENOENT);
}

static void no_memory_cgroup_is_none(void **state)
{
	struct cgroup_memory memory;
	struct cgroup g;

	(void)state;
	assert_int_equal(cgroup_locate(&g, "", ""), -ENOENT);
	assert_int_equal(cgroup_locate(&g, "4:memory:/a\n", "garbage\n - \n"), -ENOENT);
	assert_int_equal(cgroup_version(&g), 0);
	assert_int_equal(cgroup_read(&g, &memory), -ENOENT);
	assert_true(memory.current == CGROUP_UNKNOWN);
	assert_true(cgroup_limit(&g) == CGROUP_UNKNOWN);
}

/* ---- trees of files ---- */

static void put(const char *directory, const char *name, const char *text)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	crafted_file(path, text, strlen(text));
}

/* ROOT/job/step as a mounted tree; opens the cgroup /job/step of it. */
static void make_tree(struct cgroup *g, const char *type, const char *line)
{
	const char *root = crafted_directory("cgroup");
	char path[600], mounts[800];

	snprintf(path, sizeof(path), "%s/job", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/job/step", root);
	mkdir(path, 0755);
	snprintf(mounts, sizeof(mounts), "35 31 0:32 / %s rw - %s cgroup rw,memory\n", root, type);
	assert_int_equal(cgroup_locate(g, line, mounts), 0);
	assert_string_equal(g->directory, path);
}

static void the_tightest_limit_of_the_tree_counts(void **state)
{
	struct cgroup g;

	(void)state;
	make_tree(&g, "cgroup2", "0::/job/step\n");
	put(g.directory, "memory.max", "max\n");
	assert_true(cgroup_limit(&g) == CGROUP_UNKNOWN);
	put(g.directory, "../memory.max", "104857600\n");
	assert_int_equal(cgroup_limit(&g), 100 * MIB);
	put(g.directory, "memory.max", "52428800\n");
	assert_int_equal(cgroup_limit(&g), 50 * MIB);
	put(g.directory, "../../memory.max", "1048576\n");
	assert_int_equal(cgroup_limit(&g), MIB);
}

static void nothing_above_the_mount_point_is_looked_at(void **state)
{
	struct cgroup g;

	(void)state;
	make_tree(&g, "cgroup2", "0::/job/step\n");
	put(g.directory, "../../../memory.max", "4096\n");
	assert_true(cgroup_limit(&g) == CGROUP_UNKNOWN);
}

static void version_1_says_none_by_a_large_number(void **state)
{
	struct cgroup g;

	(void)state;
	make_tree(&g, "cgroup", "4:memory:/job/step\n");
	put(g.directory, "memory.limit_in_bytes", "9223372036854771712\n");
	assert_true(cgroup_limit(&g) == CGROUP_UNKNOWN);
	put(g.directory, "memory.limit_in_bytes", "8388608\n");
	assert_int_equal(cgroup_limit(&g), 8 * MIB);
}

static void open_files(struct cgroup *g)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/memory.stat", g->directory);
	g->stat_fd = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "%s/%s", g->directory,
		 cgroup_version(g) == 1 ? "memory.usage_in_bytes" : "memory.current");
	g->current_fd = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "%s/%s", g->directory,
		 cgroup_version(g) == 1 ? "memory.oom_control" : "memory.events");
	g->events_fd = open(path, O_RDONLY);
	snprintf(path, sizeof(path), "%s/memory.kmem.usage_in_bytes", g->directory);
	g->kernel_fd = open(path, O_RDONLY);
}

static void version_1_figures(void **state)
{
	struct cgroup_memory m;
	struct cgroup g;

	(void)state;
	make_tree(&g, "cgroup", "4:memory:/job/step\n");
	put(g.directory, "memory.usage_in_bytes", "400000\n");
	put(g.directory, "memory.stat",
	    "cache 1\nrss 2\nhierarchical_memory_limit 123456\ntotal_cache 90000\ntotal_rss 200000\ntotal_shmem 60000\n");
	put(g.directory, "memory.kmem.usage_in_bytes", "7000\n");
	put(g.directory, "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n");
	open_files(&g);
	assert_int_equal(cgroup_read(&g, &m), 0);
	assert_int_equal(m.current, 400000);
	assert_int_equal(m.anon, 200000);
	assert_int_equal(m.shmem, 60000);
	assert_int_equal(m.file, 30000);
	assert_int_equal(m.kernel, 7000);
	assert_int_equal(m.oom_kills, 3);
	/* the limit of an ancestor that is out of sight */
	assert_int_equal(cgroup_limit(&g), 123456);
	cgroup_close(&g);
}

static void version_2_figures(void **state)
{
	struct cgroup_memory m;
	struct cgroup g;

	(void)state;
	make_tree(&g, "cgroup2", "0::/job/step\n");
	put(g.directory, "memory.current", "500000\n");
	put(g.directory, "memory.stat",
	    "anon 200000\nfile 90000\nkernel_stack 100\npagetables 200\npercpu 300\nsock 400\nshmem 60000\nslab 500\n");
	put(g.directory, "memory.events",
	    "low 0\nhigh 0\nmax 9\noom 2\noom_kill 1\noom_group_kill 0\n");
	open_files(&g);
	assert_int_equal(cgroup_read(&g, &m), 0);
	assert_int_equal(m.current, 500000);
	assert_int_equal(m.file, 30000);
	assert_int_equal(m.kernel, 1500); /* before 5.18 there is no sum */
	assert_int_equal(m.oom_kills, 1);
	put(g.directory, "memory.stat", "anon 1\nfile 2\nkernel 77\nslab 5\nshmem 0\n");
	assert_int_equal(cgroup_read(&g, &m), 0);
	assert_int_equal(m.kernel, 77);
	cgroup_close(&g);
}

static int is_self(pid_t pid, void *unused)
{
	(void)unused;
	return pid == getpid();
}

static void strangers_are_counted_below_too(void **state)
{
	struct cgroup_strangers strangers;
	struct cgroup g;
	char text[64], below[PATH_MAX + 64];

	(void)state;
	make_tree(&g, "cgroup2", "0::/job/step\n");
	snprintf(text, sizeof(text), "%d\n", (int)getpid());
	put(g.directory, "cgroup.procs", text);
	assert_int_equal(cgroup_strangers(&g, is_self, NULL, &strangers), 0);
	assert_int_equal(strangers.processes, 0);
	snprintf(below, sizeof(below), "%s/below", g.directory);
	assert_int_equal(mkdir(below, 0755), 0);
	snprintf(text, sizeof(text), "%d\n0\n", (int)getppid()); /* 0: in a namespace above ours */
	put(g.directory, "below/cgroup.procs", text);
	assert_int_equal(cgroup_strangers(&g, is_self, NULL, &strangers), 0);
	assert_int_equal(strangers.processes, 2);
	assert_true(strangers.rss_bytes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(version_1_is_found_by_its_controller),
		cmocka_unit_test(version_2_is_the_line_without_controllers),
		cmocka_unit_test(a_container_sees_its_part_of_the_tree),
		cmocka_unit_test(joined_controllers_are_told_apart),
		cmocka_unit_test(no_memory_cgroup_is_none),
		cmocka_unit_test(the_tightest_limit_of_the_tree_counts),
		cmocka_unit_test(nothing_above_the_mount_point_is_looked_at),
		cmocka_unit_test(version_1_says_none_by_a_large_number),
		cmocka_unit_test(version_1_figures),
		cmocka_unit_test(version_2_figures),
		cmocka_unit_test(strangers_are_counted_below_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
