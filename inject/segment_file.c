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
static bool is_size_allowed(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       limit.rlim_cur >= sizeof(struct loopmem_segment);
}

struct loopmem_segment *segment_file_create(const char *directory, int32_t pid, uint64_t birth_ns)
{
	char path[PATH_MAX];
	struct text text = text_into(path, sizeof(path));
	struct loopmem_segment *segment = MAP_FAILED;
	int fd;

	text_put(&text, directory);
	text_put_char(&text, '/');
	text_put_number(&text, (uint64_t)pid, 10);
	text_put_char(&text, '-');
	text_put_number(&text, birth_ns, 16);
	text_put(&text, LOOPMEM_SEGMENT_SUFFIX);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	if (is_size_allowed() && REAL(posix_fallocate)(fd, 0, sizeof(*segment)) == 0)
		segment = REAL(mmap)(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
				     0);
	if (segment == MAP_FAILED && REAL(ftruncate)(fd, 0) < 0)
		unlink(path);
	close(fd);
	return segment == MAP_FAILED ? NULL : segment;
}
