/* Trees of calls. Nodes are made in the order in which sites need them, then put into depth-first order; see the header. */
#include "profiler/model/call_tree.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/array.h"

/* What makes two children of a parent the same node; all bytes are compared, so it is made from zeroes. */
struct key {
	int64_t parent, kind, owner, line, address;
	const char *function, *file, *module;
};

struct growing {
	struct call_node node;
	struct key key;
	int64_t line_total; /* of the line that stands for a function */
	int first, next;    /* children and siblings, once they are known to be kept; -1 = none */
};

struct builder {
	const struct model *m;
	const struct call_tree_options *options;
	ARRAY(struct growing) nodes;
	int *slots; /* hash table of index + 1, 0 = free */
	size_t slot_count;
	ARRAY(int) path; /* scratch: the stack of one site */
};

/* -- nodes by their key ------------------------------------------------------------------------ */

static size_t hash_of(const struct key *key)
{
	const unsigned char *bytes = (const unsigned char *)key;
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
	return (size_t)(hash ^ hash >> 32);
}

static int *slot_of(struct builder *b, const struct key *key)
{
	size_t at = hash_of(key) & (b->slot_count - 1);

	while (b->slots[at] &&
	       memcmp(&b->nodes.items[b->slots[at] - 1].key, key, sizeof(*key)) != 0)
		at = (at + 1) & (b->slot_count - 1);
	return &b->slots[at];
}

static int grow_slots(struct builder *b)
{
	size_t count = b->slot_count ? 2 * b->slot_count : 1024;
	int *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -1;
	free(b->slots);
	b->slots = slots;
	b->slot_count = count;
	for (size_t i = 0; i < b->nodes.count; i++)
		*slot_of(b, &b->nodes.items[i].key) = (int)i + 1;
	return 0;
}

/* The node with that key, made from `like` when there is none; -1 when out of memory. */
static int node_of(struct builder *b, const struct key *key, const struct call_node *like)
{
	struct growing *made;
	int *slot;

	if (2 * (b->nodes.count + 1) > b->slot_count && grow_slots(b))
		return -1;
	slot = slot_of(b, key);
	if (*slot)
		return *slot - 1;
	made = array_add(&b->nodes);
	if (!made)
		return -1;
	*made = (struct growing){.node = *like, .key = *key, .first = -1, .next = -1};
	*slot = (int)b->nodes.count;
	return *slot - 1;
}

/* A child of `parent` and of the same owner. */
static int child_of(struct builder *b, int parent, struct key *key, int line)
{
	struct call_node like = b->nodes.items[parent].node;

	key->parent = parent;
	like.parent = parent;
	like.depth++;
	like.self = 0;
	like.kind = (enum call_kind)key->kind;
	like.line = line;
	return node_of(b, key, &like);
}

/* -- the stack of a site ----------------------------------------------------------------------- */

static int owner_node(struct builder *b, const struct model_site *site)
{
	struct call_node like = {
		.depth = 1,
		.kind = CALL_OWNER,
		.pool = site->pool,
		.process = site->process,
		.line = -1,
	};
	struct key key = {.kind = CALL_OWNER};

	key.owner = site->pool >= 0 ? site->pool : -1 - (int64_t)site->process;
	return node_of(b, &key, &like);
}

static int line_node(struct builder *b, int parent, int line, int64_t weight)
{
	const struct model_line *l = &b->m->lines[line];
	struct key key = {
		.kind = CALL_LINE,
		.function = l->function,
		.file = l->file,
		.module = l->module,
		.line = b->options->by_function && l->function ? 0 : l->line,
		.address = l->function ? 0 : l->address,
	};
	int node = child_of(b, parent, &key, line);

	if (node >= 0 && weight > b->nodes.items[node].line_total) {
		b->nodes.items[node].line_total = weight;
		b->nodes.items[node].node.line = line;
	}
	return node;
}

/* What Python itself leaves out of a traceback: six frames of it stand between any two modules. */
static int is_import_machinery(const struct model_line *line)
{
	static const char place[] = "<frozen importlib.";

	return line->file && !strncmp(line->file, place, sizeof(place) - 1);
}

/* The lines of a stack, the innermost first, into b->path. */
static int take_path(struct builder *b, int stack)
{
	b->path.count = 0;
	for (; stack >= 0; stack = b->m->stacks[stack].parent)
		for (size_t i = 0; i < b->m->stacks[stack].line_count; i++) {
			size_t line = b->m->stacks[stack].first_line + i;
			int *at;

			if (is_import_machinery(&b->m->lines[line]))
				continue;
			at = array_add(&b->path);
			if (!at)
				return -1;
			*at = (int)line;
		}
	return 0;
}

static int leaf_of(struct builder *b, int node, enum call_kind kind)
{
	struct key key = {.kind = kind};

	return child_of(b, node, &key, -1);
}

static int add_site(struct builder *b, const struct model_site *site, int64_t weight)
{
	int node = owner_node(b, site);

	if (node < 0 || take_path(b, site->stack))
		return -1;
	for (size_t i = b->path.count; i-- > 0 && node >= 0;)
		node = line_node(b, node, b->path.items[i], weight);
	if (node >= 0 && !b->path.count)
		node = leaf_of(b, node, CALL_UNKNOWN);
	if (node >= 0 && site->mapped)
		node = leaf_of(b, node, CALL_MAPPED);
	if (node < 0)
		return -1;
	b->nodes.items[node].node.self += weight;
	return 0;
}

static int add_sites(struct builder *b, int64_t t_ns)
{
	for (size_t i = 0; i < b->m->site_count; i++) {
		struct model_site_amount amount;
		int64_t weight;

		if (!model_site_is_wanted(b->m, &b->m->sites[i], &b->options->filter))
			continue;
		amount = model_site_at(b->m, i, t_ns);
		weight = call_weight_of(&amount, b->options->weight);
		if (weight > 0 && add_site(b, &b->m->sites[i], weight))
			return -1;
	}
	return 0;
}

/* -- totals, folding and order ----------------------------------------------------------------- */

/* Parents were made before their children. */
static void sum_totals(struct builder *b)
{
	for (size_t i = b->nodes.count; i-- > 0;) {
		struct call_node *node = &b->nodes.items[i].node;

		node->total += node->self;
		if (node->parent >= 0)
			b->nodes.items[node->parent].node.total += node->total;
	}
}

static int larger_first(const void *a, const void *b, void *arg)
{
	const struct growing *nodes = arg;
	int x = *(const int *)a, y = *(const int *)b;
	int64_t left = nodes[x].node.total, right = nodes[y].node.total;

	return left == right ? x - y : left > right ? -1 : 1;
}

/* The largest are kept: a parent is no smaller than its children and was made before them, so a kept node's parent is kept.
 * Linking from the smallest on leaves the largest child in front. */
static size_t link_largest(struct builder *b, const int *order)
{
	size_t most = b->options->most_nodes, kept;

	kept = most && most < b->nodes.count ? most : b->nodes.count;
	for (size_t i = b->nodes.count; i-- > 1;) {
		struct growing *child = &b->nodes.items[order[i]];
		struct growing *parent = &b->nodes.items[child->node.parent];

		if (i >= kept) {
			parent->node.folded += child->node.total;
		} else {
			child->next = parent->first;
			parent->first = order[i];
		}
	}
	return kept;
}

/* From node to node: to its largest child, else to the next child of the nearest parent that has one left. */
static void put_in_order(struct builder *b, struct call_tree *tree)
{
	int *places = b->path.items, at = 0, parent = -1;

	while (at >= 0) {
		struct growing *g = &b->nodes.items[at];

		places[at] = (int)tree->count;
		tree->nodes[tree->count] = g->node;
		tree->nodes[tree->count++].parent = parent < 0 ? -1 : places[parent];
		parent = at;
		if (g->first >= 0) {
			at = g->first;
			continue;
		}
		while (at > 0 && b->nodes.items[at].next < 0)
			at = b->nodes.items[at].node.parent;
		parent = at > 0 ? b->nodes.items[at].node.parent : -1;
		at = at > 0 ? b->nodes.items[at].next : -1;
	}
}

static int settle(struct builder *b, struct call_tree *tree)
{
	int *order = calloc(b->nodes.count, sizeof(*order));
	int *places = realloc(b->path.items, b->nodes.count * sizeof(*places));
	size_t kept;

	if (places)
		b->path.items = places;
	if (!order || !places) {
		free(order);
		return -1;
	}
	sum_totals(b);
	for (size_t i = 0; i < b->nodes.count; i++)
		order[i] = (int)i;
	qsort_r(order, b->nodes.count, sizeof(*order), larger_first, b->nodes.items);
	kept = link_largest(b, order);
	free(order);
	tree->nodes = calloc(kept, sizeof(*tree->nodes));
	if (!tree->nodes)
		return -1;
	tree->left_out = b->nodes.count - kept;
	put_in_order(b, tree);
	return 0;
}

int call_tree_make(struct call_tree *tree, const struct model *m,
		   const struct call_tree_options *options)
{
	static const struct call_node root = {.parent = -1, .pool = -1, .process = -1, .line = -1};
	struct builder b = {.m = m, .options = options};
	const struct key no_key = {.parent = -1};
	int failed;

	*tree = (struct call_tree){.t_ns = model_sites_moment(m, &options->filter)};
	failed = node_of(&b, &no_key, &root) < 0 || add_sites(&b, tree->t_ns) || settle(&b, tree);
	array_release(&b.nodes);
	array_release(&b.path);
	free(b.slots);
	return failed ? ERROR_SYSTEM : 0;
}

void call_tree_release(struct call_tree *tree)
{
	free(tree->nodes);
	*tree = (struct call_tree){0};
}

/* -- weights ----------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	int is_bytes;
} weights[CALL_WEIGHTS] = {
	[CALL_LIVE] = {"live", 1},
	[CALL_ALLOCATED] = {"allocated", 1},
	[CALL_BLOCKS] = {"blocks", 0},
	[CALL_ALLOC_BLOCKS] = {"allocated-blocks", 0},
};

const char *call_weight_name(enum call_weight weight)
{
	return weights[weight].name;
}

int call_weight_is_bytes(enum call_weight weight)
{
	return weights[weight].is_bytes;
}

int64_t call_weight_of(const struct model_site_amount *amount, enum call_weight weight)
{
	switch (weight) {
	case CALL_LIVE:
		return amount->live_bytes;
	case CALL_ALLOCATED:
		return amount->alloc_bytes;
	case CALL_BLOCKS:
		return amount->live_blocks;
	default:
		return amount->alloc_blocks;
	}
}
