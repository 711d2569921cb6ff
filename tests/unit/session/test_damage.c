/*
 * Claims about the reader on a made-up session with random damage, at 200 seeds: bytes changed
 * anywhere or in the first pages, a page of noise, two pages swapped, the end cut off. It never
 * crashes; what it could not read it tells.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

enum { SEEDS = 200, PAGE = 4096, FIRST_PAGES = 3 };
enum damage { BYTES, HEAD_BYTES, NOISE_PAGE, SWAPPED_PAGES, CUT_OFF, DAMAGES };

struct subject {
	const char *path;
	char *whole;
	off_t size;
	int64_t rows;
};

static uint64_t state_of_noise;

static uint64_t noise(void)
{
	state_of_noise ^= state_of_noise << 13;
	state_of_noise ^= state_of_noise >> 7;
	state_of_noise ^= state_of_noise << 17;
	return state_of_noise;
}

static off_t below(off_t limit)
{
	return (off_t)(noise() % (uint64_t)limit);
}

/* ---- reading everything ---- */

static size_t touched; /* so that no read of a string is left out */

static void touch(const char *text)
{
	touched += text ? strlen(text) : 0;
}

#define COUNT(name, texts)                                                    \
	static int count_##name(const struct session_##name *row, void *rows) \
	{                                                                     \
		(void)row;                                                    \
		texts;                                                        \
		++*(int64_t *)rows;                                           \
		return 0;                                                     \
	}
COUNT(process, (touch(row->role), touch(row->cmdline), touch(row->allocator), touch(row->python)))
COUNT(pool, (touch(row->stage), touch(row->label), touch(row->origin), touch(row->start_method)))
COUNT(pool_worker, (void)0)
COUNT(event, (touch(row->kind), touch(row->text)))
COUNT(sample, (void)0)
COUNT(detail, (touch(row->state), touch(row->wchan)))
COUNT(rollup, (void)0)
COUNT(heap, (void)0)
COUNT(shm, touch(row->class_name))
COUNT(system, (void)0)
COUNT(note, (touch(row->text), touch(row->level)))

static int64_t read_all(struct session_reader *r)
{
	int64_t rows = 0;

	touch(session_text(r, "command"));
	touch(session_text(r, "argv.0"));
	session_int(r, "complete");
	session_each_process(r, count_process, &rows);
	session_each_pool(r, count_pool, &rows);
	session_each_pool_worker(r, count_pool_worker, &rows);
	session_each_event(r, 0, count_event, &rows);
	session_each_sample(r, -1, count_sample, &rows);
	session_each_detail(r, -1, count_detail, &rows);
	session_each_rollup(r, -1, count_rollup, &rows);
	session_each_heap(r, -1, count_heap, &rows);
	session_each_shm(r, -1, count_shm, &rows);
	session_each_system(r, -1, count_system, &rows);
	session_each_note(r, count_note, &rows);
	return rows;
}

/* ---- damaging ---- */

static void overwrite(int fd, off_t at, size_t length)
{
	char bytes[PAGE];

	for (size_t i = 0; i < length; i++)
		bytes[i] = (char)noise();
	assert_int_equal(pwrite(fd, bytes, length, at), length);
}

static void swap_pages(const struct subject *s, int fd)
{
	off_t a = below(s->size / PAGE) * PAGE, b = below(s->size / PAGE) * PAGE;

	assert_int_equal(pwrite(fd, s->whole + a, PAGE, b), PAGE);
	assert_int_equal(pwrite(fd, s->whole + b, PAGE, a), PAGE);
}

static void do_damage(const struct subject *s, int fd, enum damage kind)
{
	off_t reach = kind == HEAD_BYTES ? FIRST_PAGES * PAGE : s->size;

	switch (kind) {
	case BYTES:
	case HEAD_BYTES:
		for (off_t i = below(64) + 1; i > 0; i--)
			overwrite(fd, below(reach), 1);
		break;
	case NOISE_PAGE:
		overwrite(fd, below(s->size / PAGE) * PAGE, PAGE);
		break;
	case SWAPPED_PAGES:
		swap_pages(s, fd);
		break;
	default:
		assert_int_equal(ftruncate(fd, below(s->size)), 0);
	}
}

static void mend(const struct subject *s, int fd)
{
	assert_int_equal(pwrite(fd, s->whole, (size_t)s->size, 0), s->size);
	assert_int_equal(ftruncate(fd, s->size), 0);
}

/* 1 when it opened and rows are missing without a word. */
static int is_silent(const struct subject *s)
{
	struct session_reader *r;
	struct error e;
	int64_t rows;
	int silent;

	if (session_open(&r, s->path, &e)) {
		assert_int_equal(e.kind, ERROR_UNREADABLE);
		assert_int_not_equal(e.text[0], '\0');
		return 0;
	}
	rows = read_all(r);
	assert_true(rows <= 2 * s->rows); /* no tree is walked round and round */
	silent = rows < s->rows && !session_damage(r);
	session_reader_close(r);
	return silent;
}

static void damage_is_survived_and_told(void **state)
{
	const struct subject *s = *state;
	int fd = open(s->path, O_RDWR), silent[DAMAGES] = {0};

	for (int seed = 1; seed <= SEEDS; seed++) {
		enum damage kind = (enum damage)(seed % DAMAGES);

		state_of_noise = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15);
		do_damage(s, fd, kind);
		silent[kind] += is_silent(s);
		mend(s, fd);
	}
	close(fd);
	/* A count of rows in a page may be changed to a lower one: nothing in the format shows
	 * that. */
	assert_in_range(silent[BYTES] + silent[HEAD_BYTES], 0, SEEDS / 50);
	assert_int_equal(silent[NOISE_PAGE], 0);
	assert_int_equal(silent[CUT_OFF], 0);
}

static void the_whole_session_reads_without_a_word(void **state)
{
	const struct subject *s = *state;
	struct session_reader *r = scratch_open(s->path);

	assert_int_equal(read_all(r), s->rows);
	assert_true(s->rows > 5000);
	assert_null(session_damage(r));
	session_reader_close(r);
}

static int make_subject(void **state)
{
	static struct subject s;
	const char *build = getenv("LOOPMEM_BUILD");
	char command[1200];
	struct session_reader *r;
	struct stat st;
	int fd;

	s.path = scratch_path("damaged.loopmem");
	snprintf(command, sizeof(command),
		 "%s/tests/fixtures/reference_session --processes 8 --hours 0.03 %s",
		 build ? build : "build", s.path);
	assert_int_equal(system(command), 0);
	assert_int_equal(stat(s.path, &st), 0);
	s.size = st.st_size;
	s.whole = malloc((size_t)s.size);
	fd = open(s.path, O_RDONLY);
	assert_int_equal(read(fd, s.whole, (size_t)s.size), s.size);
	close(fd);
	r = scratch_open(s.path);
	s.rows = read_all(r);
	session_reader_close(r);
	*state = &s;
	return 0;
}

static int release_subject(void **state)
{
	free(((struct subject *)*state)->whole);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_whole_session_reads_without_a_word),
		cmocka_unit_test(damage_is_survived_and_told),
	};

	return cmocka_run_group_tests(tests, make_subject, release_subject);
}
