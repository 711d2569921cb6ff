/*
 * call_tree.h: what the call sites of a run stand for, as one tree of calls: the root, below it the owners of the memory (pools;
 * processes outside of pools), below them their stacks from the outermost caller in, without the frames of Python's import
 * machinery. Flame graphs, icicles and the exports for other viewers are drawings of it. Pure: made from a model, valid as long as the model is neither refreshed nor closed.
 *
 *   total(node) = self + folded + sum of total of its children
 */
#ifndef PROFILER_MODEL_CALL_TREE_H
#define PROFILER_MODEL_CALL_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/model/model.h"

enum call_kind {
	CALL_ROOT,
	CALL_OWNER, /* a pool, or with pool -1 a process */
	CALL_LINE,  /* a line of code, or with by_function a function */
	CALL_MAPPED, /* in place of an allocator: memory that the caller mapped itself, touched or not */
	CALL_UNKNOWN, /* samples without a stack */
};

struct call_node {
	int parent; /* index, less than its own; -1 = this is the root */
	int depth;  /* the root has 0, owners 1 */
	enum call_kind kind;
	int pool, process; /* of the owner it is below; of the root -1. As in model_site */
	int line; /* CALL_LINE: index into the model's lines; of a function its largest line. Else -1 */
	int64_t self;   /* allocated by this node itself */
	int64_t folded; /* in children too small to be kept */
	int64_t total;
};

/* What the widths mean. */
enum call_weight {
	CALL_LIVE,         /* bytes live at the moment */
	CALL_ALLOCATED,    /* bytes ever allocated until then */
	CALL_BLOCKS,       /* blocks live at the moment */
	CALL_ALLOC_BLOCKS, /* blocks ever allocated until then */
	CALL_WEIGHTS
};

struct call_tree_options {
	struct model_site_filter filter;
	enum call_weight weight;
	int by_function;   /* lines of one function are one node */
	size_t most_nodes; /* the largest are kept, the rest is folded; 0 = all */
};

/* In depth-first order: a node stands before its children, children are in order of total, the largest first. Never empty:
 * without sites there is the root alone, of 0. */
struct call_tree {
	struct call_node *nodes;
	size_t count;
	size_t left_out; /* nodes that were folded */
	int64_t t_ns;    /* the moment that is shown */
};

/* 0, or ERROR_SYSTEM when out of memory. The caller releases the tree. */
int call_tree_make(struct call_tree *tree, const struct model *m,
		   const struct call_tree_options *options);
void call_tree_release(struct call_tree *tree);

/* One figure of a site. */
int64_t call_weight_of(const struct model_site_amount *amount, enum call_weight weight);

/* The word on command lines: "live" "allocated" "blocks" "allocated-blocks". */
const char *call_weight_name(enum call_weight weight);

/* Whether it counts bytes; else blocks. */
int call_weight_is_bytes(enum call_weight weight);

#endif
