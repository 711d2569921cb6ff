/*
 * The calls that hold the memory at the peak, as an icicle: boxes that CSS places by their share, so it is there without scripts and in print;
 * scripts move its window, search and walk. Frames of installed code that do nothing but call the next one share a box.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/call_tree.h"
#include "profiler/view/escape.h"
#include "profiler/view/html.h"
#include "profiler/view/site_words.h"

enum { NODES_MOST = 1500, TEXT = 256, NAMES_MOST = 12 };

/* Where a node is drawn. */
struct box {
	int64_t start; /* bytes to the left of it */
	int64_t used;  /* of it, by the children so far */
	int children;
	int head, last,
		frames; /* the node whose box it shares, or its own; of a head: the innermost in it, how many */
	int row;
};

struct icicle {
	const struct html *h;
	struct call_tree tree;
	struct box *boxes;
	int rows;
};

static const struct model_line *line_of(const struct icicle *c, int node)
{
	int line = c->tree.nodes[node].line;

	return line < 0 ? NULL : &c->h->m->lines[line];
}

static int is_library(const struct icicle *c, int node)
{
	const struct model_line *line = line_of(c, node);

	return line && model_line_is_library(line);
}

static int shares_box(const struct icicle *c, int node)
{
	const struct call_node *n = &c->tree.nodes[node], *parent = &c->tree.nodes[n->parent];

	return c->boxes[n->parent].children == 1 && n->total == parent->total &&
	       is_library(c, n->parent) && is_library(c, node);
}

/* Children follow their parent, so one pass in order is enough. */
static void place(struct icicle *c)
{
	const struct call_node *nodes = c->tree.nodes;

	for (size_t i = 1; i < c->tree.count; i++)
		c->boxes[nodes[i].parent].children++;
	for (size_t i = 0; i < c->tree.count; i++) {
		struct box *box = &c->boxes[i], *parent = i ? &c->boxes[nodes[i].parent] : NULL;

		box->head = (int)i;
		box->last = (int)i;
		box->frames = 1;
		if (!parent)
			continue;
		box->start = parent->start + parent->used;
		parent->used += nodes[i].total;
		box->row = parent->row + 1;
		if (shares_box(c, (int)i)) {
			box->row = parent->row;
			box->head = parent->head;
			c->boxes[box->head].last = (int)i;
			c->boxes[box->head].frames++;
		}
		c->rows = box->row >= c->rows ? box->row + 1 : c->rows;
	}
}

static void owner_name(const struct icicle *c, const struct call_node *n, char *out, size_t size)
{
	const struct model_site_row row = {.pool = n->pool, .process = n->process};

	site_owner(out, size, c->h->m, &row, 1);
}

/* What stands in the box. */
static void name(const struct icicle *c, int node, char *out, size_t size)
{
	const struct call_node *n = &c->tree.nodes[node];
	const struct model_line *line = line_of(c, node);

	if (n->kind == CALL_ROOT)
		snprintf(out, size, "all call sites");
	else if (n->kind == CALL_OWNER)
		owner_name(c, n, out, size);
	else if (n->kind == CALL_MAPPED)
		snprintf(out, size, "mapped by the program");
	else if (line && line->file && line->function && !strcmp(line->function, "<module>"))
		snprintf(out, size, "%s",
			 site_short_path(line->file)); /* what every import is called */
	else if (line && line->function)
		snprintf(out, size, "%s", line->function);
	else
		site_words(out, size, c->h->m, n->line, 1);
}

/* The figure, then every frame of the box with its place, the outermost first. */
static void title(const struct icicle *c, int node)
{
	const struct call_node *n = &c->tree.nodes[node];
	char text[TEXT], bytes[FORMAT_MAX], share[FORMAT_MAX];
	int told = 0;

	fputs(" title=\"", c->h->out);
	for (int i = node; i <= c->boxes[node].last && told < NAMES_MOST; i++, told++) {
		if (c->tree.nodes[i].kind == CALL_LINE)
			site_words(text, sizeof(text), c->h->m, c->tree.nodes[i].line, 1);
		else
			name(c, i, text, sizeof(text));
		escape_xml_attribute(c->h->out, text);
		fputs("&#10;", c->h->out);
	}
	if (told < c->boxes[node].frames)
		fprintf(c->h->out, "%d more&#10;", c->boxes[node].frames - told);
	fprintf(c->h->out, "%s, %s of all", format_bytes(bytes, n->total),
		format_percent_fine(share,
				    c->tree.nodes[0].total
					    ? (double)n->total / (double)c->tree.nodes[0].total
					    : 0));
	if (n->self && n->self < n->total)
		fprintf(c->h->out, ", %s of it by itself", format_bytes(bytes, n->self));
	fputc('"', c->h->out);
}

static const char *stage_class(const struct icicle *c, const struct call_node *n)
{
	return n->kind == CALL_ROOT ? "all"
	       : n->pool >= 0       ? model_stage_name(c->h->m->pools[n->pool].stage)
				    : "s-owner";
}

/* The frame that a shared box is called by: the innermost that is not the import machinery. */
static int spokesman(const struct icicle *c, int head)
{
	for (int i = c->boxes[head].last; i > head; i--) {
		const struct model_line *line = line_of(c, i);

		if (!line || !line->file || strncmp(line->file, "<frozen ", 8) != 0)
			return i;
	}
	return head;
}

static void box(const struct icicle *c, int node)
{
	const struct call_node *n = &c->tree.nodes[node];
	const struct box *b = &c->boxes[node];
	const struct model_line *line = line_of(c, b->last);
	double all = (double)c->tree.nodes[0].total;
	char text[TEXT];

	fprintf(c->h->out,
		"<i class=\"call %s%s%s\" style=\"--s:%.5f;--e:%.5f;--d:%d\" data-bytes=\"%lld\"",
		stage_class(c, n), n->kind == CALL_OWNER ? " pool" : "",
		n->kind == CALL_LINE && line && line->native ? " native" : "",
		(double)b->start / all, (double)(b->start + n->total) / all, b->row,
		(long long)n->total);
	title(c, node);
	fputc('>', c->h->out);
	name(c, spokesman(c, node), text, sizeof(text));
	html_text(c->h, text);
	if (b->frames > 1)
		fprintf(c->h->out, " +%d", b->frames - 1);
	fputs("</i>\n", c->h->out);
}

static void print(const struct icicle *c)
{
	fprintf(c->h->out,
		"<div class=\"icicle\" id=\"icicle\" style=\"--from:0;--to:1;--rows:%d\" aria-hidden=\"true\">"
		"<div class=\"calls\">\n",
		c->rows);
	for (size_t i = 0; i < c->tree.count; i++)
		if (c->boxes[i].head == (int)i && c->tree.nodes[i].total > 0)
			box(c, (int)i);
	fputs("</div></div>\n", c->h->out);
	if (c->tree.left_out)
		fprintf(c->h->out, "<p class=\"said\">%zu calls are too small to be drawn.</p>\n",
			c->tree.left_out);
}

int html_icicle(const struct html *h)
{
	const struct call_tree_options options = {
		.filter = {.t_ns = MODEL_NONE, .stage = -1, .pool = -1},
		.weight = CALL_LIVE,
		.most_nodes = NODES_MOST,
	};
	struct icicle c = {.h = h};
	int failed = call_tree_make(&c.tree, h->m, &options) < 0;

	if (failed)
		return -1;
	c.boxes = calloc(c.tree.count, sizeof(*c.boxes));
	if (c.boxes && c.tree.nodes[0].total > 0) {
		place(&c);
		print(&c);
	}
	failed = !c.boxes;
	free(c.boxes);
	call_tree_release(&c.tree);
	return failed ? -1 : 0;
}
