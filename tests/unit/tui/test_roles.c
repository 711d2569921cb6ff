/* Claims about the palettes (tui/roles.def): colour is never the only thing that tells two meanings apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tui/roles.h"

static void mono_uses_no_colour(void **state)
{
	(void)state;
	for (int role = 0; role < ROLES; role++)
		assert_int_equal(role_ink(PALETTE_MONO, role, OVER_NONE).colour, INK_PLAIN);
}

static void small_palettes_stay_within_their_colours(void **state)
{
	(void)state;
	for (int role = 0; role < ROLES; role++) {
		assert_in_range(role_ink(PALETTE_8, role, 0).colour + 1, 0, 8);
		assert_in_range(role_ink(PALETTE_16, role, 0).colour + 1, 0, 16);
		assert_in_range(role_ink(PALETTE_256, role, 0).colour + 1, 0, 256);
	}
}

static void no_text_is_blue_in_8_and_16_colours(void **state)
{
	(void)state;
	for (int role = 0; role < ROLES; role++) {
		if (role == ROLE_TRAIN_FILL)
			continue;
		assert_int_not_equal(role_ink(PALETTE_8, role, 0).colour, 4);
		assert_int_not_equal(role_ink(PALETTE_16, role, 0).colour, 4);
		assert_int_not_equal(role_ink(PALETTE_16, role, 0).colour, 12);
	}
}

static void green_is_not_used(void **state)
{
	(void)state;
	for (int role = 0; role < ROLES; role++) {
		assert_int_not_equal(role_ink(PALETTE_8, role, 0).colour, 2);
		assert_int_not_equal(role_ink(PALETTE_16, role, 0).colour, 2);
		assert_int_not_equal(role_ink(PALETTE_16, role, 0).colour, 10);
	}
}

static void train_and_validate_never_share_a_fill(void **state)
{
	(void)state;
	for (int palette = PALETTE_256; palette < PALETTE_MONO; palette++)
		assert_int_not_equal(role_ink(palette, ROLE_TRAIN_FILL, 0).colour,
				     role_ink(palette, ROLE_VALIDATE_FILL, 0).colour);
}

static void severities_differ_without_colour(void **state)
{
	(void)state;
	assert_int_not_equal(role_ink(PALETTE_MONO, ROLE_ERROR, 0).attributes,
			     role_ink(PALETTE_MONO, ROLE_WARNING, 0).attributes);
	assert_int_not_equal(role_ink(PALETTE_MONO, ROLE_WARNING, 0).attributes,
			     role_ink(PALETTE_MONO, ROLE_NOTICE, 0).attributes);
}

static void every_overlay_shows_on_every_role(void **state)
{
	(void)state;
	for (int palette = 0; palette < PALETTES; palette++)
		for (int role = 0; role < ROLES; role++) {
			unsigned char plain = role_ink(palette, role, 0).attributes;

			assert_int_not_equal(role_ink(palette, role, OVER_SELECTED).attributes,
					     plain);
			assert_int_not_equal(role_ink(palette, role, OVER_SORTED).attributes,
					     plain);
		}
	for (int role = ROLE_OTHER; role <= ROLE_OWNER_FILL; role++) /* held idle is a stage's */
		assert_true(role_ink(PALETTE_MONO, role, OVER_IDLE).attributes & INK_BOLD);
}

static void a_stage_has_a_word_role_and_a_fill_role(void **state)
{
	(void)state;
	assert_int_equal(role_of_stage(MODEL_STAGE_VALIDATE), ROLE_VALIDATE);
	assert_int_equal(role_of_stage_fill(MODEL_STAGE_TRAIN), ROLE_TRAIN_FILL);
	assert_int_equal(role_of_stage((enum model_stage)99), ROLE_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mono_uses_no_colour),
		cmocka_unit_test(small_palettes_stay_within_their_colours),
		cmocka_unit_test(no_text_is_blue_in_8_and_16_colours),
		cmocka_unit_test(green_is_not_used),
		cmocka_unit_test(train_and_validate_never_share_a_fill),
		cmocka_unit_test(severities_differ_without_colour),
		cmocka_unit_test(every_overlay_shows_on_every_role),
		cmocka_unit_test(a_stage_has_a_word_role_and_a_fill_role),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
