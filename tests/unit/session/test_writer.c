/* Claims about the session's writer, seen through the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

static int copy_process(const struct session_process *row, void *arg)
{
	struct session_process *to = arg, wanted = scratch_process(row->id);

	assert_string_equal(row->role, wanted.role);
	assert_string_equal(row->cmdline, wanted.cmdline);
	assert_string_equal(row->allocator, wanted.allocator);
	assert_string_equal(row->python_state, wanted.python_state);
	assert_null(row->python);
	assert_null(row->python_reason);
	to[row->id] = *row;
	return 0;
}

static void process_rows_come_back_as_they_were_put(void **state)
{
	const char *path = scratch_path("process.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_process first = scratch_process(1), second = scratch_process(2),
			       back[3] = {0};
	struct session_reader *r;

	(void)state;
	session_put_process(w, &second);
	session_put_process(w, &first);
	scratch_close(w);
	r = scratch_open(path);
	assert_int_equal(session_each_process(r, copy_process, back), 0);
	session_reader_close(r);
	assert_int_equal(back[1].parent, SESSION_NULL);
	assert_int_equal(back[2].parent, 1);
	assert_int_equal(back[2].pid, second.pid);
	assert_int_equal(back[2].start_ticks, second.start_ticks);
	assert_int_equal(back[2].ended_ns, SESSION_NULL);
	assert_int_equal(back[2].exit_signal, 9);
	assert_int_equal(back[2].shared_at_fork_bytes, 0);
}

static int copy_pool(const struct session_pool *row, void *arg)
{
	struct session_pool *to = arg;

	*to = *row;
	assert_string_equal(row->stage, "train");
	assert_string_equal(row->dataset, "Coco");
	assert_null(row->label);
	to->owner_pool++; /* counts the calls too */
	return 0;
}

static void a_row_of_the_same_key_replaces_the_old(void **state)
{
	const char *path = scratch_path("pool.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_pool pool = scratch_pool(1), back = {0};
	struct session_reader *r;

	(void)state;
	session_put_pool(w, &pool);
	pool.exhausted_ns = 77;
	pool.batches = 924;
	session_put_pool(w, &pool);
	scratch_close(w);
	r = scratch_open(path);
	assert_int_equal(session_each_pool(r, copy_pool, &back), 0);
	session_reader_close(r);
	assert_int_equal(back.owner_pool, 102);
	assert_int_equal(back.exhausted_ns, 77);
	assert_int_equal(back.batches, 924);
	assert_int_equal(back.alloc_bytes, INT64_MAX);
	assert_int_equal(back.batch_size, SESSION_NULL);
}

static int check_event(const struct session_event *row, void *arg)
{
	int64_t *last = arg;

	assert_int_equal(row->id, *last + 1);
	assert_int_equal(row->t_ns, 1000 - row->id);
	assert_string_equal(row->kind, "pool-begin");
	*last = row->id;
	return 0;
}

static void events_keep_the_order_in_which_they_were_put(void **state)
{
	const char *path = scratch_path("event.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r;
	int64_t last = 0;

	(void)state;
	for (int i = 1; i <= 5; i++)
		session_put_event(w, &(struct session_event){
					     .id = 1, .t_ns = 1000 - i, .kind = "pool-begin"});
	scratch_close(w);
	r = scratch_open(path);
	assert_int_equal(session_each_event(r, 0, check_event, &last), 0);
	assert_int_equal(last, 5);
	last = 3;
	assert_int_equal(session_each_event(r, 3, check_event, &last), 0);
	assert_int_equal(last, 5);
	session_reader_close(r);
}

static int check_note(const struct session_note *row, void *arg)
{
	assert_string_equal(row->text, "a pool was dropped");
	assert_string_equal(row->level, "warning");
	assert_int_equal(row->first_ns, 10);
	*(int64_t *)arg = row->count;
	return 0;
}

static void notes_of_one_text_add_up(void **state)
{
	const char *path = scratch_path("note.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r;
	int64_t count = 0;

	(void)state;
	session_note(w, "warning", 2, 10, "a pool was dropped");
	session_note(w, "warning", 3, 20, "a pool was dropped");
	scratch_close(w);
	r = scratch_open(path);
	session_each_note(r, check_note, &count);
	session_reader_close(r);
	assert_int_equal(count, 5);
}

static void readers_see_whole_flushes_only(void **state)
{
	const char *path = scratch_path("live.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r = scratch_open(path);
	struct error e;

	(void)state;
	scratch_samples(w, 3);
	assert_int_equal(scratch_count_samples(r, -1), 3);
	session_put_sample(
		w, &(struct session_sample){.t_ns = INT64_C(1000000000), .process = 1, .n = 1});
	assert_int_equal(scratch_count_samples(r, -1), 3);
	assert_int_equal(session_flush(w, &e), 0);
	assert_int_equal(scratch_count_samples(r, -1), 4);
	assert_int_equal(scratch_count_samples(r, 100000000), 2);
	session_reader_close(r);
	scratch_close(w);
}

static void a_read_transaction_stands_still(void **state)
{
	const char *path = scratch_path("still.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r = scratch_open(path);
	struct error e;

	(void)state;
	scratch_samples(w, 2);
	assert_int_equal(session_begin_read(r, &e), 0);
	assert_int_equal(scratch_count_samples(r, -1), 2);
	scratch_samples(w, 5);
	assert_int_equal(scratch_count_samples(r, -1), 2);
	session_end_read(r);
	assert_int_equal(scratch_count_samples(r, -1), 5);
	session_reader_close(r);
	scratch_close(w);
}

static void a_closed_session_is_complete_and_stands_alone(void **state)
{
	const char *path = scratch_path("alone.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r;

	(void)state;
	scratch_samples(w, 3);
	r = scratch_open(path);
	assert_int_equal(session_int(r, "complete"), SESSION_NULL);
	session_reader_close(r);
	scratch_close(w);
	assert_int_equal(access(scratch_path("alone.loopmem-wal"), F_OK), -1);
	assert_int_equal(access(scratch_path("alone.loopmem-shm"), F_OK), -1);
	r = scratch_open(path);
	assert_int_equal(session_int(r, "complete"), 1);
	session_reader_close(r);
}

static void a_killed_writer_leaves_what_it_flushed(void **state)
{
	const char *path = scratch_path("killed.loopmem");
	struct session_reader *r;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		scratch_samples(scratch_create(path), 50);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	r = scratch_open(path);
	assert_int_equal(scratch_count_samples(r, -1), 50);
	assert_int_equal(session_int(r, "complete"), SESSION_NULL);
	assert_null(session_damage(r));
	session_reader_close(r);
}

static void only_the_user_can_read_the_file(void **state)
{
	const char *path = scratch_path("mode.loopmem");
	struct session_writer *w;
	struct stat st;

	(void)state;
	umask(0);
	w = scratch_create(path);
	scratch_samples(w, 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(scratch_path("mode.loopmem-wal"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	scratch_close(w);
}

static void meta_keys_hold_text_and_numbers(void **state)
{
	const char *path = scratch_path("meta.loopmem");
	struct session_writer *w = scratch_create(path);
	struct session_reader *r;

	(void)state;
	session_put_text(w, "host", "node16");
	session_put_text(w, "host", "node17");
	session_put_int(w, "ram_bytes", INT64_C(1) << 40);
	scratch_close(w);
	r = scratch_open(path);
	assert_string_equal(session_text(r, "host"), "node17");
	assert_int_equal(session_int(r, "ram_bytes"), INT64_C(1) << 40);
	assert_null(session_text(r, "kernel"));
	assert_int_equal(session_int(r, "kernel"), SESSION_NULL);
	session_reader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(process_rows_come_back_as_they_were_put),
		cmocka_unit_test(a_row_of_the_same_key_replaces_the_old),
		cmocka_unit_test(events_keep_the_order_in_which_they_were_put),
		cmocka_unit_test(notes_of_one_text_add_up),
		cmocka_unit_test(readers_see_whole_flushes_only),
		cmocka_unit_test(a_read_transaction_stands_still),
		cmocka_unit_test(a_closed_session_is_complete_and_stands_alone),
		cmocka_unit_test(a_killed_writer_leaves_what_it_flushed),
		cmocka_unit_test(only_the_user_can_read_the_file),
		cmocka_unit_test(meta_keys_hold_text_and_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
