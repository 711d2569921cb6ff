/* See crafted.h. */
#include "crafted.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/collect/clock.h"

const char *crafted_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];
	const char *directory = getenv("TEST_TMP");

	snprintf(path, sizeof(paths[0]), "%s/%s", directory ? directory : "/tmp", name);
	return path;
}

const char *crafted_directory(const char *name)
{
	const char *path = crafted_path(name);
	char command[600];

	snprintf(command, sizeof(command), "rm -rf '%s' && mkdir '%s'", path, path);
	assert_int_equal(system(command), 0);
	return path;
}

void crafted_job_start(struct crafted_job *c, const char *file)
{
	struct error e;

	*c = (struct crafted_job){.recorder.clock_ns = clock_monotonic_ns()};
	if (session_create(&c->recorder.session, file, 1, &e))
		fail_msg("%s", e.text);
	job_init(&c->job, &c->recorder, -1);
}

void crafted_job_end(struct crafted_job *c)
{
	struct error e;

	job_release(&c->job);
	assert_int_equal(session_close(c->recorder.session, &e), 0);
	recorder_release(&c->recorder);
}

void crafted_file(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

struct loopmem_segment *crafted_segment(void)
{
	static struct loopmem_segment segment;

	memset(&segment, 0, sizeof(segment));
	segment.magic = LOOPMEM_SEGMENT_MAGIC;
	segment.version = LOOPMEM_SEGMENT_VERSION;
	segment.size_bytes = sizeof(segment);
	segment.pid = getpid();
	segment.birth_ns = 1;
	segment.threads_used = LOOPMEM_THREADS;
	segment.contexts_used = LOOPMEM_CONTEXTS;
	strcpy(segment.cmdline, "python train.py");
	strcpy(segment.allocator, "glibc");
	return &segment;
}

struct loopmem_segment *crafted_map(const char *path, const struct loopmem_segment *segment)
{
	void *map;
	int fd;

	crafted_file(path, segment, sizeof(*segment));
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	map = mmap(NULL, sizeof(*segment), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(map, MAP_FAILED);
	close(fd);
	return map;
}

void crafted_unmap(struct loopmem_segment *segment)
{
	munmap(segment, sizeof(*segment));
}

void crafted_event(struct loopmem_segment *segment, enum loopmem_event_kind kind, uint32_t pool_id,
		   int64_t value)
{
	uint64_t seq = ++segment->event_seq;
	struct loopmem_event *event = &segment->events[(seq - 1) % LOOPMEM_EVENTS];
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	*event = (struct loopmem_event){
		.seq = seq,
		.time_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec,
		.kind = kind,
		.pool_id = pool_id,
		.value = value,
	};
}
