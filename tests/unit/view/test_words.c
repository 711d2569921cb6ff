/* Claims about words: foreign text, moments in phases, commands that can be copied. */
#include "tests/unit/model/script.h"

#include "profiler/view/words.h"

static char out[WORDS_MAX];

static void foreign_text_cannot_steer_a_terminal(void **state)
{
	(void)state;
	assert_string_equal(words_safe(out, sizeof(out), "a\x1b[31mb\tc\x7f", 1), "a?[31mb?c?");
	assert_string_equal(words_safe(out, sizeof(out), "caf\xc3\xa9 \xe2\x82\xac", 1),
			    "caf\xc3\xa9 \xe2\x82\xac");
	assert_string_equal(words_safe(out, sizeof(out), "caf\xc3\xa9", 0), "caf?");
	assert_string_equal(words_safe(out, sizeof(out),
				       "\xc2\x9b"
				       "31m \xff\xc3"
				       "(",
				       1),
			    "?31m ?"
			    "?(");
	assert_string_equal(words_safe(out, 8, "0123456789", 1), "012");
	assert_int_equal(words_columns("caf\xc3\xa9"), 4);
}

static void text_is_cut_between_characters(void **state)
{
	(void)state;
	assert_int_equal(words_fit("caf\xc3\xa9 au lait", 4), 5);
	assert_int_equal(words_fit("caf\xc3\xa9 au lait", 3), 3);
	assert_int_equal(words_fit("caf\xc3\xa9", 40), 5);
	assert_int_equal(words_fit("v<\xe2\x80\xa6>", 3), 5);
	assert_int_equal(words_fit("abc", 0), 0);
	assert_int_equal(words_fit("abc", -7), 0);
}

static void notices_are_counted_and_the_first_two_named(void **state)
{
	struct model_finding findings[] = {
		{.id = "worker-growth"}, {.id = "fd-growth"}, {.id = "x"}};
	struct model m = {.findings = findings};

	(void)state;
	assert_string_equal(words_notices(out, sizeof(out), &m), "");
	m.finding_count = 1;
	assert_string_equal(words_notices(out, sizeof(out), &m), "1 notice: worker-growth");
	m.finding_count = 2;
	assert_string_equal(words_notices(out, sizeof(out), &m),
			    "2 notices: worker-growth, fd-growth");
	m.finding_count = 3;
	assert_string_equal(words_notices(out, sizeof(out), &m),
			    "3 notices: worker-growth, fd-growth, ...");
	findings[0].severity = MODEL_WARNING;
	assert_string_equal(words_notices(out, sizeof(out), &m), "");
}

static void moments_are_told_by_their_phases(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "when");
	script_walk(&s, 0, OWNER, 1, 0);
	script_phase(&s, 2, MODEL_STAGE_TRAIN, 0, NULL);
	script_phase_end(&s, 4);
	script_phase(&s, 5, MODEL_STAGE_VALIDATE, 0, NULL);
	script_phase_end(&s, 6);
	m = script_finish(&s, 9);
	assert_string_equal(words_when(out, sizeof(out), m, script_ns(1)), "before train e0");
	assert_string_equal(words_when(out, sizeof(out), m, script_ns(3)), "during train e0");
	assert_string_equal(words_when(out, sizeof(out), m, script_ns(4.5)),
			    "between train e0 and validate e0");
	assert_string_equal(words_when(out, sizeof(out), m, script_ns(7)), "after validate e0");
	model_close(m);
}

static void a_command_can_be_copied(void **state)
{
	static const char *const argv[] = {"python",      "-u",    "train.py", "--name",
					   "it's a test", "$HOME", ""};
	const struct model m = {.argv = argv, .argc = 7};

	(void)state;
	assert_string_equal(words_command(out, sizeof(out), &m),
			    "python -u train.py --name 'it'\\''s a test' '$HOME' ''");
	assert_string_equal(words_release(out, sizeof(out), &m, 60),
			    "loopmem run --release-idle-workers -- python -u train.py");
	assert_string_equal(
		words_release(out, sizeof(out), &m, 0),
		"loopmem run --release-idle-workers -- python -u train.py --name 'it'\\''s a test' '$HOME' ''");
}

static void a_long_command_is_cut_and_no_more(void **state)
{
	const char *argv[600];
	const struct model m = {.argv = argv, .argc = 600};

	(void)state;
	for (size_t i = 0; i < 600; i++)
		argv[i] = "--a'b";
	words_release(out, sizeof(out), &m, 0);
	assert_true(strlen(out) < sizeof(out));
	words_command(out, 20, &m);
	assert_true(strlen(out) < 20);
}

static void pools_are_named_by_stage_number_and_epoch_or_by_their_label(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_begin(&s, "names");
	script_pool(&s, 1, "train", 0, 1);
	script_pool(&s, 2, "other", -1, 1);
	script_pool(&s, 3, "other", 2, 1)->label = "hard negatives";
	script_put_pools(&s);
	m = script_finish(&s, 2);
	assert_string_equal(m->pools[0].name, "train #1 e0");
	assert_string_equal(m->pools[0].short_name, "train #1");
	assert_string_equal(m->pools[1].name, "loader #2");
	assert_string_equal(m->pools[2].name, "\"hard negatives\" #3 e2");
	model_close(m);
}

static void a_pool_in_a_list_says_whose_it_is_and_that_it_is_a_guess(void **state)
{
	struct model_pool pool = {.name = "train #4 e1", .rank = MODEL_NONE};

	(void)state;
	assert_string_equal(words_pool(out, sizeof(out), &pool), "train #4 e1");
	pool.rank = 3;
	assert_string_equal(words_pool(out, sizeof(out), &pool), "train #4 e1, rank 3");
	pool.guessed = 1;
	assert_string_equal(words_pool(out, sizeof(out), &pool), "train #4 e1?, rank 3");
}

static void a_process_has_one_name(void **state)
{
	struct model_process processes[] = {
		{.pid = 11, .role = MODEL_ROLE_ROOT, .rank = MODEL_NONE},
		{.pid = 12, .role = MODEL_ROLE_OWNER, .rank = 1},
		{.pid = 13, .role = MODEL_ROLE_CHILD, .rank = MODEL_NONE},
	};
	struct model m = {.processes = processes, .process_count = 3};

	(void)state;
	assert_string_equal(words_process(out, sizeof(out), &m, 0), "owner 11");
	m.pool_count = 1; /* of process 12 */
	assert_string_equal(words_process(out, sizeof(out), &m, 0), "process 11");
	assert_string_equal(words_process(out, sizeof(out), &m, 1), "owner 12, rank 1");
	assert_string_equal(words_process(out, sizeof(out), &m, 2), "process 13");
}

static void a_loader_without_workers_holds_nothing_idle(void **state)
{
	struct model_pool pool = {.workers = 2};

	(void)state;
	assert_true(words_holds_idle(&pool));
	pool.workers = 0;
	assert_false(words_holds_idle(&pool));
	pool.idle_max_bytes = 1; /* parked batches */
	assert_true(words_holds_idle(&pool));
}

static void each_reason_to_keep_a_pool_has_words_and_a_name(void **state)
{
	(void)state;
	assert_null(words_kept(MODEL_NOT_KEPT));
	assert_null(model_kept_name(MODEL_NOT_KEPT));
	for (int kept = MODEL_NOT_KEPT + 1; kept < MODEL_KEPTS; kept++) {
		assert_non_null(words_kept((enum model_kept)kept));
		assert_non_null(model_kept_name((enum model_kept)kept));
	}
}

static void an_end_is_told_by_its_status_or_the_name_of_its_signal(void **state)
{
	struct model m = {.end = MODEL_EXITED, .exit_code = 3, .exit_signal = MODEL_NONE};

	(void)state;
	assert_string_equal(words_end(out, sizeof(out), &m), "exit 3");
	assert_string_equal(words_failure(out, sizeof(out), &m),
			    ", but the command failed: exit 3");
	m.exit_code = 0;
	assert_string_equal(words_failure(out, sizeof(out), &m), "");
	m = (struct model){.end = MODEL_KILLED, .exit_code = MODEL_NONE, .exit_signal = 2};
	assert_string_equal(words_end(out, sizeof(out), &m), "killed by SIGINT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(foreign_text_cannot_steer_a_terminal),
		cmocka_unit_test(text_is_cut_between_characters),
		cmocka_unit_test(notices_are_counted_and_the_first_two_named),
		cmocka_unit_test(moments_are_told_by_their_phases),
		cmocka_unit_test(a_command_can_be_copied),
		cmocka_unit_test(a_long_command_is_cut_and_no_more),
		cmocka_unit_test(a_pool_in_a_list_says_whose_it_is_and_that_it_is_a_guess),
		cmocka_unit_test(an_end_is_told_by_its_status_or_the_name_of_its_signal),
		cmocka_unit_test(a_process_has_one_name),
		cmocka_unit_test(a_loader_without_workers_holds_nothing_idle),
		cmocka_unit_test(each_reason_to_keep_a_pool_has_words_and_a_name),
		cmocka_unit_test(pools_are_named_by_stage_number_and_epoch_or_by_their_label),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
