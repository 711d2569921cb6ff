/* The list of screens. */
#include "tui/ui.h"

static const struct screen *const screens[SCREENS] = {
	[SCREEN_OVERVIEW] = &screen_overview,   [SCREEN_POOLS] = &screen_pools,
	[SCREEN_PROCESSES] = &screen_processes, [SCREEN_SITES] = &screen_sites,
	[SCREEN_FINDINGS] = &screen_findings,   [SCREEN_EVENTS] = &screen_events,
	[SCREEN_HELP] = &screen_help,           [SCREEN_SETUP] = &screen_setup,
	[SCREEN_CHOOSER] = &screen_chooser,
};

const struct screen *ui_screen(enum screen_id id)
{
	return screens[id];
}
