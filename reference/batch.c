/* Memory of batches: anonymous mappings and memfds. */
#include "reference/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map(struct batch *batch, size_t bytes, int flags, int descriptor)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);

	if (memory == MAP_FAILED)
		return -1;
	batch->items = memory;
	batch->bytes = bytes;
	return 0;
}

int batch_allocate(struct batch *batch, size_t bytes)
{
	return map(batch, bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

int batch_share(struct batch *batch, size_t bytes)
{
	int descriptor = memfd_create("loopmem-fit-batch", MFD_CLOEXEC);
	int error;

	if (descriptor < 0)
		return -1;
	/* an error here instead of SIGBUS at the first write when shared memory is short */
	error = posix_fallocate(descriptor, 0, (off_t)bytes);
	if (!error && map(batch, bytes, MAP_SHARED, descriptor) == 0)
		return descriptor;
	error = error ? error : errno;
	close(descriptor);
	errno = error;
	return -1;
}

int batch_map(struct batch *batch, int descriptor)
{
	struct stat object;

	if (fstat(descriptor, &object))
		return -1;
	if (map(batch, (size_t)object.st_size, MAP_SHARED, descriptor))
		return -1;
	return madvise(batch->items, batch->bytes, MADV_DONTFORK);
}

void batch_release(struct batch *batch)
{
	if (batch->items)
		munmap(batch->items, batch->bytes);
	*batch = (struct batch){0};
}
