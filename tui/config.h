/*
 * config.h: what a person set up, in $XDG_CONFIG_HOME/loopmem/top.conf: lines of `key value`. A file that cannot be read is
 * no error: the defaults hold. Options on the command line win.
 */
#ifndef TUI_CONFIG_H
#define TUI_CONFIG_H

#include <stddef.h>

#include "profiler/error.h"
#include "tui/tui.h"

/* One thing that can be set up, in its text form. */
struct setting {
	const char *key, *text;     /* text: as F2 names it */
	const char *const *choices; /* ended by NULL */
};

enum { SETTING_GLYPHS, SETTING_COLOUR, SETTING_DELAY, SETTING_MOUSE, SETTING_SCREEN, SETTINGS };

extern const struct setting settings[SETTINGS];

/* Index of the present choice, and choosing; `options` keeps pointers into the table. */
int config_get(const struct tui_options *options, int setting);
void config_set(struct tui_options *options, int setting, int choice);

/* Fills in what the command line left at its default. */
void config_read(struct tui_options *options);

/* Writes the file anew. `path` is told where it is. */
int config_write(const struct tui_options *options, char *path, size_t size, struct error *e);

#endif
