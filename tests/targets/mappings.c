/*
 * mappings: maps, moves and unmaps known amounts of every kind, and sizes shared memory objects. What
 * the segment must say afterwards is in tests/integration/shim_regions.py.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MIB = 1 << 20, READ_WRITE = PROT_READ | PROT_WRITE };

static char *must(void *map)
{
	if (map == MAP_FAILED) {
		perror("mappings");
		exit(1);
	}
	return map;
}

static void check(int ok)
{
	if (!ok) {
		perror("mappings");
		exit(1);
	}
}

static char *anonymous(size_t bytes)
{
	return must(mmap(NULL, bytes, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

/* anon: +8 +4 -1 -1 -2, then 3 moved to 6, then 2 replaced by 2 shared; 3 discarded */
static void use_anonymous(void)
{
	char *a = anonymous(8 * MIB), *b = anonymous(4 * MIB - 100), *c;

	check(munmap(a + 3 * MIB, MIB) == 0);               /* a hole in the middle */
	check(munmap(a + 7 * MIB, MIB) == 0);               /* the end */
	check(munmap(b, 2 * MIB) == 0);                     /* the beginning */
	check(munmap(b + 1, MIB) == -1 && errno == EINVAL); /* refused: nothing changes */
	c = must(mremap(a, 3 * MIB, 6 * MIB, MREMAP_MAYMOVE));
	check(mremap(c, 6 * MIB, (size_t)1 << 46, MREMAP_MAYMOVE) == MAP_FAILED);
	check(madvise(c, 3 * MIB, MADV_DONTNEED) == 0);
	check(madvise(c, 3 * MIB, MADV_WILLNEED) == 0);
	must(mmap(c, 2 * MIB, READ_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
}

/* shared: 5 MiB by memfd and 3 MiB by shm_open mapped, 5 + 3 + 1 MiB sized */
static void use_shared(void)
{
	char name[64];
	int memfd = memfd_create("loopmem-test", MFD_CLOEXEC), shm;

	snprintf(name, sizeof(name), "/loopmem-test-%d", getpid());
	shm = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	check(memfd >= 0 && shm >= 0 && shm_unlink(name) == 0);
	check(ftruncate(memfd, 5 * MIB) == 0 && posix_fallocate(shm, 0, 3 * MIB) == 0);
	check(ftruncate(memfd, MIB) == 0 && ftruncate64(memfd, 2 * MIB) == 0); /* less, then more */
	check(ftruncate(memfd, -1) == -1);
	must(mmap64(NULL, 5 * MIB, READ_WRITE, MAP_SHARED, memfd, 0));
	must(mmap(NULL, 3 * MIB, READ_WRITE, MAP_SHARED, shm, 0));
}

/* file: 1 MiB shared and 1 MiB private of a file; its sizing is not counted */
static void use_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	check(fd >= 0 && ftruncate(fd, MIB) == 0 && fallocate(fd, 0, 0, MIB) == 0);
	must(mmap(NULL, MIB, READ_WRITE, MAP_SHARED, fd, 0));
	must(mmap(NULL, MIB, READ_WRITE, MAP_PRIVATE, fd, 0));
}

/* What was not seen being mapped is not counted when it goes. */
static void use_unseen(void)
{
	void *unseen = (void *)syscall(SYS_mmap, NULL, MIB, READ_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				       -1, 0);

	check(unseen != MAP_FAILED && munmap(unseen, MIB) == 0);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	use_anonymous();
	use_shared();
	use_file(argv[1]);
	use_unseen();
	return 0;
}
