/*
 * Stacks as lines of text, "owner;outermost;...;innermost 1048576", which flamegraph.pl and its likes read. A frame is a function
 * and its file: lines of one function are one frame, unless they are asked for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "profiler/view/escape.h"
#include "profiler/view/export.h"
#include "profiler/view/site_words.h"

struct collapsed {
	FILE *out;
	const struct model *m;
	const struct call_tree *tree;
	int lines;
};

/* No pid and no epoch: the same owner has the same name in every run, so that two of them can be compared. */
static void put_owner(const struct collapsed *c, const struct call_node *node)
{
	const struct model_process *process = &c->m->processes[node->process];

	if (node->pool >= 0) {
		const struct model_pool *pool = &c->m->pools[node->pool];

		fprintf(c->out, "pool %s", model_stage_name(pool->stage));
		if (pool->label[0])
			escape_collapsed(c->out, "/");
		escape_collapsed(c->out, pool->label);
	} else if (process->rank != MODEL_NONE) {
		fprintf(c->out, "rank %" PRId64, process->rank);
	} else {
		fputs(process->role == MODEL_ROLE_OWNER ? "owner" : "process", c->out);
	}
}

static void put_line(const struct collapsed *c, const struct model_line *line)
{
	const char *place = line->file ? line->file : line->module;

	if (!line->function && !line->file) {
		escape_collapsed(c->out,
				 line->module ? site_short_path(line->module) : "generated code");
		fprintf(c->out, "+0x%" PRIx64, (uint64_t)line->address);
		return;
	}
	escape_collapsed(c->out, line->function ? line->function : "?");
	if (!place)
		return;
	fputs(" (", c->out);
	escape_collapsed(c->out, site_short_path(place));
	if (c->lines && line->line)
		fprintf(c->out, ":%" PRId64, line->line);
	fputc(')', c->out);
}

static void put_node(const struct collapsed *c, int at)
{
	const struct call_node *node = &c->tree->nodes[at];

	switch (node->kind) {
	case CALL_ROOT:
		break;
	case CALL_OWNER:
		put_owner(c, node);
		break;
	case CALL_LINE:
		put_line(c, &c->m->lines[node->line]);
		break;
	case CALL_MAPPED:
		fputs("(mapped)", c->out);
		break;
	case CALL_UNKNOWN:
		fputs("(stack not known)", c->out);
		break;
	}
}

/* `path` has room for the deepest stack. */
static void put_stack(const struct collapsed *c, int at, int *path)
{
	int depth = c->tree->nodes[at].depth;

	for (int i = depth, node = at; i > 0; i--, node = c->tree->nodes[node].parent)
		path[i] = node;
	for (int i = 1; i <= depth; i++) {
		if (i > 1)
			fputc(';', c->out);
		put_node(c, path[i]);
	}
	fprintf(c->out, " %" PRId64 "\n", c->tree->nodes[at].self);
}

static int deepest_of(const struct call_tree *tree)
{
	int deepest = 0;

	for (size_t i = 0; i < tree->count; i++)
		deepest = tree->nodes[i].depth > deepest ? tree->nodes[i].depth : deepest;
	return deepest;
}

int export_collapsed(FILE *out, const struct model *m, const struct export_options *options,
		     struct error *e)
{
	const struct call_tree_options wanted = {
		.filter = options->filter,
		.weight = options->weight,
		.by_function = !(options->given & EXPORT_LINES),
	};
	struct call_tree tree;
	struct collapsed c = {out, m, &tree, !wanted.by_function};
	int *path, is_empty;

	if (call_tree_make(&tree, m, &wanted))
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the call tree");
	is_empty = tree.count == 1;
	path = calloc((size_t)deepest_of(&tree) + 1, sizeof(*path));
	for (size_t i = 0; path && i < tree.count; i++)
		if (tree.nodes[i].self)
			put_stack(&c, (int)i, path);
	call_tree_release(&tree);
	if (!path)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot write the stacks");
	free(path);
	return is_empty ? export_no_sites(m, &wanted.filter, e) : 0;
}
