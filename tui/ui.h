/*
 * ui.h: the state of the dashboard, and what its parts call of each other. Everything a screen shows follows from this
 * struct and the model; drawing changes nothing but caches and the layout that the mouse needs. It needs no terminal:
 * the loop (run.c), --dump and the tests drive the same functions.
 */
#ifndef TUI_UI_H
#define TUI_UI_H

#include "profiler/model/model.h"
#include "tui/cells.h"
#include "tui/config.h"
#include "tui/keys.h"
#include "tui/running.h"
#include "tui/sheet.h"
#include "tui/stack.h"
#include "tui/timeline.h"
#include "tui/tui.h"

enum screen_id {
	SCREEN_OVERVIEW,
	SCREEN_POOLS,
	SCREEN_PROCESSES,
	SCREEN_SITES,
	SCREEN_FINDINGS,
	SCREEN_EVENTS,
	SCREEN_TABS, /* the ones above have a tab */
	SCREEN_HELP = SCREEN_TABS,
	SCREEN_SETUP,
	SCREEN_CHOOSER,
	SCREENS
};

/* What the last line asks for. */
enum prompt_kind { PROMPT_NONE, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_GO_TO };

/* What a place on the screen is, for the mouse. */
enum hit_kind { HIT_NONE, HIT_CHART, HIT_ROW, HIT_HEADING, HIT_TAB, HIT_KEY };

struct hit {
	enum hit_kind kind;
	int y, x, height, width;
	int value; /* row index, column position, screen, key code */
};

enum { HITS_MAX = 256, WORD_SIZE = 64, BACK_MAX = 8 };

struct ui {
	struct tui_options options;
	enum glyphs glyphs, own_glyphs; /* in use; the best this terminal has */
	int width;                      /* of the screen */
	int64_t clock_ns;               /* monotonic; set by who drives */

	/* the session */
	struct model *model; /* NULL while one is being chosen */
	int live;            /* samples keep coming */
	int ended_here;      /* it ended while it was watched, and nobody moved in time since */
	int64_t news_ns;     /* clock of the last new sample */
	char trouble[256];   /* why no more can be read; "" */
	uint64_t file_id[2]; /* device and inode when it was opened */
	struct running_list running;

	/* time */
	struct timeline time;
	struct model_moment now;        /* at the cursor */
	struct model_moment at_a, at_b; /* while time.difference */
	int moments_valid;

	/* what is shown */
	enum screen_id screen;
	enum screen_id back[BACK_MAX];
	int back_count;
	struct sheet_view views[SCREENS];
	char filter[WORD_SIZE], search[WORD_SIZE];
	int hidden_rows;           /* by the filter, on this screen */
	struct stack_choice chart; /* its owner is that of the tables too */
	int hide_header;
	int colours;   /* the terminal has some */
	int pool_open; /* Pools: the selected pool is opened */
	int flat;      /* Processes: a list instead of the tree */
	int sheet_room,
		all_fit; /* Processes: lines for the sheet when it was last drawn; it fitted whole */
	int64_t opened; /* Processes: pools whose workers are all listed, a bit each (the last 63) */
	int switched[SCREENS];    /* `f` */
	int64_t sites_pid;        /* Sites: of one process; 0 = all */
	int sites_all;            /* Sites: those under a hundredth too */
	int site_open;            /* Sites: the stack of the selected one has the screen */
	int clock_times;          /* Events: time of day */
	int64_t events_cursor_ns; /* the cursor that the selected event was chosen for */
	int setup_row, setup_changed;
	struct stack stack;

	/* talk */
	enum prompt_kind prompt;
	char prompt_text[WORD_SIZE];
	char message[192];
	int64_t message_until_ns;
	int slow; /* frames take long: the rate was lowered */
	double delay_s;

	/* what the loop is asked to do */
	int quit, redraw, suspend, mouse_changed;
	int ended_by; /* a signal's number */
	char copy[512];
	char save_as[64];

	/* the last frame, for the mouse */
	struct hit hits[HITS_MAX];
	int hit_count;
	int drag_from; /* chart column where the button went down, -1 */
};

/* ---- ui.c: life, session, moments ------------------------------------------------------------------------ */

/* Opens options->file. Without one: the only running session, or the chooser. */
int ui_init(struct ui *ui, const struct tui_options *options, struct error *e);
void ui_release(struct ui *ui);

/* Opens another session in place of the present one; the old one stays when it fails. */
int ui_open(struct ui *ui, const char *file, struct error *e);

/* Reads what is new, and lets replay go on. `elapsed_ns` since the last call. 1 = something to draw. */
int ui_tick(struct ui *ui, int64_t elapsed_ns);

/* Draws the whole screen. */
void ui_draw(struct ui *ui, struct cells *cells);

/* Says `text` in the last line for 2 s. */
void ui_say(struct ui *ui, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The moments are out of date. ui_moments reads them when they are; 0 when there is nothing to show. */
void ui_moved(struct ui *ui);
int ui_moments(struct ui *ui);

/* How the present screen's sheet is looked at. */
struct sheet_view *ui_view(struct ui *ui);

/* Notes what a place on the screen stands for; more than HITS_MAX are forgotten. */
void ui_hit(struct ui *ui, struct hit hit);

/* ---- keys ------------------------------------------------------------------------------------------------- */

/* input.c: one key, of the question in the last line or of keys.def. */
void ui_key(struct ui *ui, int code);
/* act_screens.c: remembers the way back. */
void ui_go_to_screen(struct ui *ui, enum screen_id screen);
/* act_rows.c: selects the next (1) or previous (-1) row that holds ui->search. */
void ui_search(struct ui *ui, int direction);

/* ---- mouse.c ---------------------------------------------------------------------------------------------- */

struct input;
void ui_mouse(struct ui *ui, const struct input *input);

/* ---- screens: one file each --------------------------------------------------------------------------------- */

struct screen {
	const char *name; /* on the tab */
	/* Draws lines y to y + height. */
	void (*draw)(struct ui *ui, struct cells *cells, int y, int height);
	/* The rows, unsorted and unfiltered; NULL when the screen has no sheet. */
	void (*build)(struct ui *ui, struct sheet *sheet);
	/* NULL where the key has no meaning. */
	void (*go_in)(struct ui *ui);
	int (*go_out)(struct ui *ui);                        /* 1 = something was closed */
	void (*flip)(struct ui *ui);                         /* f */
	void (*open)(struct ui *ui, int key);                /* e E + - on a tree */
	void (*copy)(struct ui *ui, char *out, size_t size); /* y */
	int (*step)(struct ui *ui, int direction);           /* ] [ */
};

extern const struct screen screen_overview, screen_pools, screen_processes, screen_sites,
	screen_findings, screen_events, screen_help, screen_setup, screen_chooser;
const struct screen *ui_screen(enum screen_id id); /* screens.c */

/* The sheet of the present screen, filtered and sorted. 0 when it has none. Release it. */
int ui_sheet(struct ui *ui, struct sheet *sheet);

/* Draws a sheet and says what was left out; returns the line after it. */
int ui_draw_sheet(struct ui *ui, struct cells *cells, struct sheet *sheet, int y, int height);

/* ---- pieces of screens -------------------------------------------------------------------------------------- */

/* Everything above the screen's own part but the title; returns the first free line. */
int header_draw(struct ui *ui, struct cells *cells);
/* The first line, drawn last: it tells what the screen left out. */
void title_draw(const struct ui *ui, struct cells *cells);
/* Its left part alone, up to column `end`. */
void title_left(const struct ui *ui, struct cells *cells, int end);
/* The answers from line y on, in three lines or in one; returns the line after them. */
int answers_draw(const struct ui *ui, struct cells *cells, int y, int in_full);
void bar_draw(struct ui *ui, struct cells *cells);

struct chart_place {
	int y, rows;    /* of the chart itself */
	int band, axis; /* lines of phases and times follow */
};
void ui_draw_chart(struct ui *ui, struct cells *cells, const struct chart_place *place);
void ui_draw_legend(const struct ui *ui, struct pen *pen);
void ui_draw_band(const struct ui *ui, struct cells *cells, int y, int x,
		  const struct chart_span *span);
/* `unit`: of the table above it, which the line at the end names. */
void gantt_draw(struct ui *ui, struct cells *cells, int y, int height, enum format_unit unit);

/* The sheet of differences between the two moments (pools and owners, or processes). */
void difference_build(struct ui *ui, struct sheet *sheet, int processes);

/* A paragraph, wrapped; returns the line after it, at most `end`. */
int paragraph_draw(struct cells *cells, int y, int end, int indent, const char *text);

/* ---- words --------------------------------------------------------------------------------------------------- */

/* "validate e1", "between e1 e2", "starting"; long: "between validate e1 and train e2". */
void phrase_phase(const struct model *m, int64_t t_ns, int in_full, char *out, size_t size);
/* A pool where there is little room: "train #4", "val #5". */
void phrase_pool(const struct model_pool *pool, char *out, size_t size);
/* The command as far as it fits: all of it, or program and script. */
void phrase_command(const struct model *m, int width, char *out, size_t size);
void phrase_file(const struct model *m, char *out, size_t size);

#endif
