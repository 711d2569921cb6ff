/* site_filter.h: which call sites, and of which moment: the options that `sites` and `export` share. */
#ifndef PROFILER_CMD_SITE_FILTER_H
#define PROFILER_CMD_SITE_FILTER_H

#include <argp.h>

#include "profiler/model/model.h"

enum {
	KEY_SITE_STAGE = 0x200,
	KEY_SITE_POOL,
	KEY_SITE_WORKER,
	KEY_SITE_AT,
};

/* Rows of an option table. */
#define SITE_FILTER_OPTIONS                                                                                                \
	{"stage",                                                                                                          \
	 KEY_SITE_STAGE,                                                                                                   \
	 "train|sanity|validate|test|predict|other",                                                                       \
	 0,                                                                                                                \
	 "call sites: only of pools of that stage",                                                                        \
	 0},                                                                                                               \
		{"pool", KEY_SITE_POOL, "N", 0, "call sites: only of the pool with that number", 0},                       \
		{"worker",                                                                                                 \
		 KEY_SITE_WORKER,                                                                                          \
		 "PID",                                                                                                    \
		 0,                                                                                                        \
		 "call sites: only of the process with that pid",                                                          \
		 0},                                                                                                       \
	{                                                                                                                  \
		"at", KEY_SITE_AT, "MOMENT", 0,                                                                            \
			"call sites: live at that moment: peak (the default), end, phase:N, or seconds as 93.5 or 1:33.5", \
			0                                                                                                  \
	}

struct site_filter {
	int given;    /* one of them, at least */
	int stage;    /* 1 + enum model_stage, 0 = all */
	int64_t pool; /* its number, 0 = all */
	int64_t pid;  /* 0 = all */
	enum { SITES_AT_PEAK, SITES_AT_END, SITES_AT_PHASE, SITES_AT_TIME } at;
	int64_t phase; /* from 1, in the order of the report */
	double at_s;
};

/* Takes an option of SITE_FILTER_OPTIONS; exits when its text is wrong. ARGP_ERR_UNKNOWN = it is none of them. */
error_t site_filter_parse(int key, const char *text, const struct argp_state *state,
			  struct site_filter *filter);

/* What it means in a session. ERROR_USAGE when the session has no such pool or phase. */
int site_filter_apply(const struct site_filter *filter, const struct model *m,
		      struct model_site_filter *out, struct error *e);

/* The number of an option's text; exits when it is none from `least` to `most`. */
int64_t option_number(const struct argp_state *state, const char *option, const char *text,
		      int64_t least, int64_t most);

/* The stage of that name; exits when it is none. */
enum model_stage option_stage(const struct argp_state *state, const char *option, const char *text);

#endif
