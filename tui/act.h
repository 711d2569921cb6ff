/*
 * act.h: what the keys do. The table of keys is keys.def; each action is one small function, and stands in the table of its subject, at its
 * own place, and in no other.
 */
#ifndef TUI_ACT_H
#define TUI_ACT_H

#include "tui/keys.h"

struct ui;

/* Does nothing before the first sample, and the moments have to be read again. */
enum { NEEDS_SAMPLES = 1 };

/* A function, or one with an argument; neither = not of this table. */
struct act {
	void (*run)(struct ui *ui);
	void (*run_with)(struct ui *ui, int argument);
	int argument, needs;
};

extern const struct act act_time[ACTIONS], act_rows[ACTIONS], act_screens[ACTIONS];
extern const struct act act_program[ACTIONS]; /* questions, and what the loop is asked to do */

#endif
