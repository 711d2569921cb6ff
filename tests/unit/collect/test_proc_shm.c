/* Claims about profiler/collect/proc_shm.h. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "crafted.h"
#include "profiler/collect/proc_file.h"
#include "profiler/collect/proc_shm.h"

static void names_of_shared_memory(void **state)
{
	pid_t creator;

	(void)state;
	assert_true(proc_shm_name("/memfd:loopmem-fit-batch (deleted)", &creator));
	assert_int_equal(creator, 0);
	assert_true(proc_shm_name("/dev/shm/torch_4711_3210_7 (deleted)", &creator));
	assert_int_equal(creator, 4711);
	assert_true(proc_shm_name("/dev/shm/psm_1a2b", &creator));
	assert_int_equal(creator, 0);
}

static void other_names_are_none(void **state)
{
	pid_t creator;

	(void)state;
	assert_false(proc_shm_name("/dev/shm/sem.mp-abc", &creator));
	assert_false(proc_shm_name("socket:[123]", &creator));
	assert_false(proc_shm_name("/tmp/dev/shm/x", &creator));
	assert_false(proc_shm_name("anon_inode:[eventpoll]", &creator));
}

struct found {
	int count;
	struct proc_shm last;
};

static void take(const struct proc_shm *object, void *arg)
{
	struct found *found = arg;

	found->count++;
	found->last = *object;
}

static void mappings_are_read_with_device_and_inode(void **state)
{
	struct found found = {0};

	(void)state;
	proc_shm_each_mapped(
		"55d0c0000000-55d0c0021000 rw-p 00000000 00:00 0                          [heap]\n"
		"7f10a0000000-7f10a0a00000 rw-s 00000000 00:17 3456                       /dev/shm/torch_88_1_0 (deleted)\n"
		"7f10b0000000-7f10b0001000 rw-s 00000000 00:17 99                         /dev/shm/sem.x\n"
		"7f10c0000000-7f10c0001000 r--p 00000000 08:01 5                          /usr/lib/libm.so\n",
		take, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.last.device, makedev(0, 0x17));
	assert_int_equal(found.last.inode, 3456);
	assert_int_equal(found.last.creator_pid, 88);
	assert_true(found.last.mapped);
}

static void a_sparse_memfd_counts_its_blocks_and_is_found_mapped(void **state)
{
	struct found held = {0}, mapped = {0};
	struct proc_text maps = {0};
	int fd = memfd_create("test-batch", MFD_CLOEXEC);
	struct stat st;
	char *memory;

	(void)state;
	assert_int_equal(ftruncate(fd, 64 << 20), 0);
	memory = mmap(NULL, 64 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	memset(memory, 1, 1 << 20);
	assert_int_equal(fstat(fd, &st), 0);
	assert_true(proc_shm_each_held(getpid(), take, &held) > 3);
	assert_int_equal(held.count, 1);
	assert_int_equal(held.last.bytes, 1 << 20);
	assert_int_equal(held.last.inode, st.st_ino);
	assert_int_equal(held.last.device, st.st_dev);
	assert_int_equal(proc_text_read(&maps, getpid(), "maps", 16 << 20), 0);
	proc_shm_each_mapped(maps.data, take, &mapped);
	assert_int_equal(mapped.count, 1);
	assert_int_equal(mapped.last.inode, held.last.inode);
	assert_int_equal(mapped.last.device, held.last.device);
	munmap(memory, 64 << 20);
	close(fd);
	proc_text_release(&maps);
}

static void batches_kept_by_name_are_found_in_their_directory(void **state)
{
	const char *directory = crafted_directory("shm");
	struct found found = {0};
	char path[600];

	(void)state;
	strcpy(path, directory);
	strcat(path, "/torch_17_2_0");
	crafted_file(path, "x", 1);
	strcpy(path, directory);
	strcat(path, "/sem.mp-1");
	crafted_file(path, "x", 1);
	assert_int_equal(proc_shm_each_named(directory, take, &found), 1);
	assert_int_equal(found.last.creator_pid, 17);
	assert_true(found.last.bytes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_shared_memory),
		cmocka_unit_test(other_names_are_none),
		cmocka_unit_test(mappings_are_read_with_device_and_inode),
		cmocka_unit_test(a_sparse_memfd_counts_its_blocks_and_is_found_mapped),
		cmocka_unit_test(batches_kept_by_name_are_found_in_their_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
