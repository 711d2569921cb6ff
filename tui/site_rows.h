/*
 * site_rows.h: the call sites at the cursor as the screen lists them, their stacks, and how each grew over the session.
 */
#ifndef TUI_SITE_ROWS_H
#define TUI_SITE_ROWS_H

#include "profiler/model/model.h"
#include "tui/ui.h"

enum { SITE_GROWTH_S = 60, SITE_MOMENTS = 20, SITE_SPARKLINE_SIZE = SITE_MOMENTS * 4 + 1 };

struct site_rows {
	struct model_site_row *rows; /* largest live bytes first */
	size_t count, shown;  /* shown: those of a hundredth and more, or all (ui->sites_all) */
	int64_t live_bytes;   /* of all of them */
	int64_t mapped_bytes; /* of it: mapped by the program */
	int64_t (*history)
		[SITE_MOMENTS]; /* live bytes of the shown ones over the session; NULL when it is not wanted */
	int moments;            /* of it, up to the cursor */
	int64_t *
		before; /* live bytes of the shown ones SITE_GROWTH_S before the cursor; as history */
};

/* 0, or -1 when out of memory. The history is read on screens wide enough for it. */
int site_rows_read(struct site_rows *rows, const struct ui *ui);
void site_rows_release(struct site_rows *rows);

/* The same for the same site after a refresh and at another moment. */
int64_t site_row_id(const struct model_site_row *row);
const struct model_site_row *site_rows_find(const struct site_rows *rows, int64_t id);

/* Bars from the start of the session to its end, empty after the cursor; `out` has SITE_SPARKLINE_SIZE bytes. */
const char *site_sparkline(const struct site_rows *rows, size_t row, char *out);

/* "level since 9:50", "growing since 9:50, 3.0 MiB in the last minute", or "" when it is neither, or not known yet. */
const char *site_growth(const struct site_rows *rows, size_t row, const struct ui *ui, char *out,
			size_t size);

struct site_stack {
	int *lines;       /* indices into model.lines, innermost first */
	int count, yours; /* yours: position of the line that names the site */
};

/* 0, or -1 when the site has no stack, or out of memory. */
int site_stack_read(struct site_stack *stack, const struct model *m, int site);
void site_stack_release(struct site_stack *stack);

#endif
