/* The role table, from roles.def. */
#include "tui/roles.h"

#include <stddef.h>

#define PLAIN   INK_PLAIN
#define BOLD    INK_BOLD
#define REVERSE INK_REVERSE
#define INK(number, attributes)    \
	{                          \
		number, attributes \
	}
#define ROLE(name, ...) [ROLE_##name] = {__VA_ARGS__},

static const struct ink inks[ROLES][PALETTES] = {
#include "tui/roles.def"
};

_Static_assert((int)ROLE_PREDICT - (int)ROLE_OTHER == (int)MODEL_STAGE_PREDICT, "order of stages");
_Static_assert((int)ROLE_PREDICT_FILL - (int)ROLE_OTHER_FILL == (int)MODEL_STAGE_PREDICT,
	       "order of stages");

struct ink role_ink(enum palette palette, enum role role, unsigned over)
{
	struct ink ink = inks[role][palette];

	if (over & OVER_IDLE)
		ink.attributes |= INK_BOLD;
	if (over & OVER_SORTED)
		ink.attributes |= INK_UNDERLINE;
	if (over & OVER_SELECTED)
		ink.attributes ^= INK_REVERSE; /* a reversed cell in a reversed row stays visible */
	return ink;
}

enum role role_of_stage(enum model_stage stage)
{
	return (unsigned)stage < MODEL_STAGES ? (enum role)(ROLE_OTHER + stage) : ROLE_OTHER;
}

enum role role_of_stage_fill(enum model_stage stage)
{
	return (unsigned)stage < MODEL_STAGES ? (enum role)(ROLE_OTHER_FILL + stage)
					      : ROLE_OTHER_FILL;
}

enum role role_of_severity(enum model_severity severity)
{
	static const enum role roles[] = {
		[MODEL_NOTICE] = ROLE_NOTICE,
		[MODEL_WARNING] = ROLE_WARNING,
		[MODEL_ERROR] = ROLE_ERROR,
	};

	return (size_t)severity < sizeof(roles) / sizeof(roles[0]) ? roles[severity] : ROLE_TEXT;
}
