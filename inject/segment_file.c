/*
 * segment_file.c: a new file, never one that exists and never through a link, with all of its space
 * reserved before the first byte is written: a full file system is an error here, not a SIGBUS later.
 */
#include "inject/segment_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "inject/real.h"
#include "inject/text.h"

bool segment_directory_is_private(const char *directory)
{
	struct stat stat;

	if (lstat(directory, &stat) < 0)
		return false;
	errno = EPERM;
	return S_ISDIR(stat.st_mode) && stat.st_uid == geteuid() && (stat.st_mode & 077) == 0;
}

/* Beyond the limit the kernel would send a signal that ends the program. */
static bool is_size_allowed(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

bool segment_file_reserve(int fd, uint64_t bytes)
{
	return is_size_allowed(bytes) && REAL(posix_fallocate)(fd, 0, (off_t)bytes) == 0;
}

static void put_path(char path[PATH_MAX], const char *directory, int32_t pid, uint64_t birth_ns,
		     const char *suffix)
{
	struct text text = text_into(path, PATH_MAX);

	text_put(&text, directory);
	text_put_char(&text, '/');
	text_put_number(&text, (uint64_t)pid, 10);
	text_put_char(&text, '-');
	text_put_number(&text, birth_ns, 16);
	text_put(&text, suffix);
}

int segment_file_open(const char *directory, int32_t pid, uint64_t birth_ns, const char *suffix,
		      bool anew)
{
	char path[PATH_MAX];

	put_path(path, directory, pid, birth_ns, suffix);
	return open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | (anew ? O_CREAT | O_EXCL : 0), 0600);
}

struct loopmem_segment *segment_file_create(const char *directory, int32_t pid, uint64_t birth_ns)
{
	struct loopmem_segment *segment = MAP_FAILED;
	char path[PATH_MAX];
	int fd = segment_file_open(directory, pid, birth_ns, LOOPMEM_SEGMENT_SUFFIX, true);

	if (fd < 0)
		return NULL;
	if (segment_file_reserve(fd, sizeof(*segment)))
		segment = REAL(mmap)(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				     0);
	if (segment == MAP_FAILED && REAL(ftruncate)(fd, 0) < 0) {
		put_path(path, directory, pid, birth_ns, LOOPMEM_SEGMENT_SUFFIX);
		unlink(path);
	}
	close(fd);
	return segment == MAP_FAILED ? NULL : segment;
}
