/* Files and small sessions for the session's tests. */
#include "scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

const char *scratch_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];
	const char *directory = getenv("TEST_TMP");

	snprintf(path, sizeof(paths[0]), "%s/%s", directory ? directory : "/tmp", name);
	return path;
}

void scratch_write(const char *path, const void *bytes, size_t length)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

struct session_writer *scratch_create(const char *path)
{
	struct session_writer *w;
	struct error e = {0};

	if (session_create(&w, path, 1, &e))
		fail_msg("%s", e.text);
	return w;
}

void scratch_close(struct session_writer *w)
{
	struct error e = {0};

	if (session_close(w, &e))
		fail_msg("%s", e.text);
}

struct session_reader *scratch_open(const char *path)
{
	struct session_reader *r;
	struct error e = {0};

	if (session_open(&r, path, &e))
		fail_msg("%s", e.text);
	return r;
}

struct session_process scratch_process(int64_t id)
{
	return (struct session_process){
		.id = id,
		.pid = 4100 + id,
		.start_ticks = 7 + id,
		.parent = id == 1 ? SESSION_NULL : 1,
		.role = id == 1 ? "root" : "worker",
		.cmdline = "python train.py",
		.instrumented = 1,
		.born_ns = 10 * id,
		.ended_ns = SESSION_NULL,
		.exit_code = SESSION_NULL,
		.exit_signal = 9,
		.allocator = "glibc",
		.python = NULL,
		.python_state = "hooked",
		.inherited_live_bytes = 1 << 20,
		.shared_at_fork_bytes = 0,
		.rank = SESSION_NULL,
	};
}

struct session_pool scratch_pool(int64_t id)
{
	return (struct session_pool){
		.id = id,
		.owner = 1,
		.owner_pool = id + 100,
		.stage = "train",
		.epoch = 0,
		.dataset = "Coco",
		.start_method = "fork",
		.workers = 8,
		.batch_size = SESSION_NULL,
		.prefetch = 2,
		.expected_batches = 924,
		.batches = 3,
		.stall_ns = 5,
		.begin_ns = 20,
		.first_batch_ns = 30,
		.last_batch_ns = 50,
		.exhausted_ns = SESSION_NULL,
		.end_ns = SESSION_NULL,
		.alloc_bytes = INT64_MAX,
		.free_bytes = 1,
	};
}

void scratch_samples(struct session_writer *w, int rounds)
{
	struct error e = {0};

	for (int i = 0; i < rounds; i++) {
		session_put_sample(w, &(struct session_sample){.t_ns = i * INT64_C(100000000),
							       .process = 1,
							       .rss_bytes = 1000 + i,
							       .anon_bytes = 500 + i,
							       .n = 1});
		if (session_flush(w, &e))
			fail_msg("%s", e.text);
	}
}

static int count(const struct session_sample *sample, void *arg)
{
	(void)sample;
	++*(int64_t *)arg;
	return 0;
}

int64_t scratch_count_samples(struct session_reader *r, int64_t since_ns)
{
	int64_t samples = 0;

	assert_int_equal(session_each_sample(r, since_ns, count, &samples), 0);
	return samples;
}
