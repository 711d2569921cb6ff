/*
 * roles.h: what a cell means, and how each palette shows it. Drawing code names roles; only term.c turns the numbers
 * here into the terminal's language.
 */
#ifndef TUI_ROLES_H
#define TUI_ROLES_H

#include "profiler/model/model.h"

enum role {
#define ROLE(name, c256, c16, c8, mono) ROLE_##name,
#include "tui/roles.def"
#undef ROLE
	ROLES
};

/* Meanings laid over a role, as bits. They carry an attribute and no colour, in every palette. */
enum over {
	OVER_NONE = 0,
	OVER_IDLE = 1 << 0,     /* held idle: bold */
	OVER_SELECTED = 1 << 1, /* the row the person is on: reverse */
	OVER_SORTED = 1 << 2,   /* the heading the table is sorted by: underline */
};

enum palette { PALETTE_256, PALETTE_16, PALETTE_8, PALETTE_MONO, PALETTES };

enum ink_attribute { INK_BOLD = 1 << 0, INK_UNDERLINE = 1 << 1, INK_REVERSE = 1 << 2 };

#define INK_PLAIN (-1)

struct ink {
	short colour; /* of the terminal, or INK_PLAIN */
	unsigned char attributes;
};

/* How `palette` shows `role` under `over` (bits of enum over). */
struct ink role_ink(enum palette palette, enum role role, unsigned over);

/* The roles of a stage: as a word, and as a fill of the chart. */
enum role role_of_stage(enum model_stage stage);
enum role role_of_stage_fill(enum model_stage stage);
enum role role_of_severity(enum model_severity severity);

#endif
