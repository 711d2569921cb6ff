/* Claims about the key table (tui/keys.def): what the help says of a key is true, and no key is said nowhere. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tui/act.h"
#include "tui/keys.h"

static void no_key_has_two_meanings(void **state)
{
	(void)state;
	for (int i = 0; i < key_entry_count; i++)
		for (int k = 0; k < i; k++)
			if (key_entries[i].kind == KEY_BINDING &&
			    key_entries[k].kind == KEY_BINDING)
				assert_int_not_equal(key_entries[i].code, key_entries[k].code);
}

/* "1-6" names 2 to 5 as well; S-Tab goes with Tab. */
static int said_otherwise(int code)
{
	return (code >= '1' && code <= '6') || code == CODE_BACK_TAB;
}

static void every_key_is_named_in_its_row(void **state)
{
	const struct key_entry *row = NULL;
	char buffer[16];

	(void)state;
	for (int i = 0; i < key_entry_count; i++) {
		const struct key_entry *entry = &key_entries[i];
		const char *name;

		if (entry->kind == KEY_ROW)
			row = entry;
		if (entry->kind != KEY_BINDING || said_otherwise(entry->code))
			continue;
		assert_non_null(row);
		name = key_text(entry->code, buffer, sizeof(buffer));
		if (entry->code == CODE_F(10)) /* in the bar, always on the screen */
			continue;
		if (!strstr(row->keys, name) && !strstr(row->text, name))
			fail_msg("%s is not in \"%s\" %s", name, row->keys, row->text);
	}
}

static void every_row_has_a_key_and_every_action_one_too(void **state)
{
	int seen[ACTIONS] = {0};

	(void)state;
	for (int i = 0; i < key_entry_count; i++) {
		if (key_entries[i].kind == KEY_ROW)
			assert_int_equal(key_entries[i + 1].kind, KEY_BINDING);
		if (key_entries[i].kind == KEY_BINDING)
			seen[key_entries[i].action] = 1;
	}
	for (int action = ACTION_NONE + 1; action < ACTIONS; action++)
		assert_true(seen[action]);
}

static void the_bar_names_keys_that_do_something(void **state)
{
	int bar = 0;

	(void)state;
	for (int i = 0; i < key_entry_count; i++)
		if (key_entries[i].kind == KEY_BAR) {
			assert_int_not_equal(key_action(key_entries[i].code), ACTION_NONE);
			bar++;
		}
	assert_int_equal(bar, 10);
}

static int stands_in(const struct act *table, int action)
{
	return table[action].run || table[action].run_with;
}

static void every_action_is_done_by_one_table(void **state)
{
	(void)state;
	for (int action = ACTION_NONE + 1; action < ACTIONS; action++)
		assert_int_equal(stands_in(act_time, action) + stands_in(act_rows, action) +
					 stands_in(act_screens, action) +
					 stands_in(act_program, action),
				 1);
}

static void unknown_keys_do_nothing(void **state)
{
	(void)state;
	assert_int_equal(key_action('w'), ACTION_NONE);
	assert_int_equal(key_action(CODE_LAST_SPECIAL + 1), ACTION_NONE);
	assert_int_equal(key_action(0), ACTION_NONE);
}

static void return_and_backspace_have_their_doubles(void **state)
{
	(void)state;
	assert_int_equal(key_action('\r'), ACTION_GO_IN);
	assert_int_equal(key_action(CODE_CONTROL('H')), ACTION_GO_OUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_key_has_two_meanings),
		cmocka_unit_test(every_key_is_named_in_its_row),
		cmocka_unit_test(every_row_has_a_key_and_every_action_one_too),
		cmocka_unit_test(the_bar_names_keys_that_do_something),
		cmocka_unit_test(every_action_is_done_by_one_table),
		cmocka_unit_test(unknown_keys_do_nothing),
		cmocka_unit_test(return_and_backspace_have_their_doubles),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
