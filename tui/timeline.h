/*
 * timeline.h: where the person is in time: the cursor, the window the chart shows, two marks, and replay. It knows no
 * screen. The cursor always stands on a sample, except before the first one.
 */
#ifndef TUI_TIMELINE_H
#define TUI_TIMELINE_H

#include "profiler/model/model.h"
#include "profiler/view/chart_scale.h"

struct timeline {
	int64_t cursor_ns;
	int following;      /* the cursor is the newest sample, whatever comes */
	int live;           /* more samples are expected */
	int playing, speed; /* replay: speed x real time */
	int64_t window_start_ns, window_end_ns; /* the part shown; end MODEL_NONE = all of it */
	int64_t a_ns, b_ns;                     /* the marks; MODEL_NONE = not set */
	int difference;                         /* tables show B minus A */
	int64_t played_ns;                      /* what replay has reached, between samples */
};

/* A running session is followed; a finished one opens at its peak, a killed or broken-off one at its last sample. */
void timeline_init(struct timeline *tl, const struct model *m, int live);

/* After model_refresh: the cursor stays where it is, or follows. */
void timeline_update(struct timeline *tl, const struct model *m, int live);

/* The span a chart of `columns` shows. While it runs, a column is a round time, so that the picture only grows at its
 * right end; afterwards the session fills the chart. */
struct chart_span timeline_span(const struct timeline *tl, const struct model *m, int columns);

/* To the sample at or before t; stops following and playing. */
void timeline_seek(struct timeline *tl, const struct model *m, int64_t t_ns);

void timeline_follow(struct timeline *tl, const struct model *m);

/* By columns of `span`: to the sample that the column shows, the one with the highest total. */
void timeline_columns(struct timeline *tl, const struct model *m, const struct chart_span *span,
		      int count);
void timeline_to_column(struct timeline *tl, const struct model *m, const struct chart_span *span,
			int column);
void timeline_samples(struct timeline *tl, const struct model *m, int count);

/* To the start of the next (1) or previous (-1) phase; 0 when there is none. */
int timeline_phase(struct timeline *tl, const struct model *m, int direction);

/* Halves (1) or doubles (-1) the window round the cursor; 0 shows all. */
void timeline_zoom(struct timeline *tl, const struct model *m, int direction);

/* Sets A, then B, then moves the nearer one. Returns 'A' or 'B'. */
char timeline_mark(struct timeline *tl);
void timeline_swap_marks(struct timeline *tl);
void timeline_forget_marks(struct timeline *tl);

/* The two moments the difference is taken of: with A alone, B is the cursor. 0 when A is not set. */
int timeline_moments(const struct timeline *tl, int64_t *a_ns, int64_t *b_ns);

/* Replay goes on by `elapsed_ns` of real time. A step that would pass the session's peak, an edge of a phase or, with
 * `stop_at_errors`, the worst moment of an error ends there; at that moment, and at the end, it stops playing. */
void timeline_play(struct timeline *tl, const struct model *m, int64_t elapsed_ns,
		   int stop_at_errors);

/* Reads what a person may write for a moment: "12:33", "1:02:03", "90" (s), "+2m", "-30s", "10m", a clock time
 * "02:14:05" when the session is shorter than that, "e1" and "val1" (a phase), "peak", "idle", "start", "end". 0, or -1. */
int timeline_parse(const struct timeline *tl, const struct model *m, const char *text,
		   int64_t *t_ns);

#endif
