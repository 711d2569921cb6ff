/* Claims about trees of calls. Stacks of the made sessions are written outermost first: "main.f.g". */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "profiler/model/call_tree.h"
#include "script.h"

/* A session with stacks, each of frames that are named by the letters of a text; the line of a frame is told by `line`.
 * Digits are frames of Python's import machinery. */
struct made {
	struct script s;
	int64_t frames, sites;
};

static int64_t put_frame(struct made *made, char letter, int64_t line)
{
	const char function[] = {letter, '\0'};
	const char *file = isdigit((unsigned char)letter) ? "<frozen importlib._bootstrap>"
							  : "x.py";
	int64_t id = ++made->frames;

	session_put_frame(made->s.w, &(struct session_frame){id, SESSION_NULL, SESSION_NULL, 0});
	session_put_symbol(made->s.w, &(struct session_symbol){id, 0, function, file, line});
	return id;
}

/* "ab": a called b. Stacks have the numbers of their frames. Returns the site's number. */
static int64_t put_site(struct made *made, int64_t process, const char *stack, int64_t line,
			double mib)
{
	int64_t parent = SESSION_NULL, site = ++made->sites;

	for (const char *at = stack; *at; at++) {
		int64_t frame = put_frame(made, *at, at[1] ? 1 : line);

		session_put_stack(made->s.w, &(struct session_stack){frame, parent, frame});
		parent = frame;
	}
	session_put_site(made->s.w, &(struct session_site){.id = site,
							   .process = process,
							   .owner_pool = SESSION_NULL,
							   .stack = parent});
	session_put_site_sample(
		made->s.w, &(struct session_site_sample){.t_ns = script_ns(1),
							 .site = site,
							 .live_bytes = (int64_t)(mib * MIB),
							 .live_blocks = 2,
							 .alloc_bytes = (int64_t)(3 * mib * MIB),
							 .alloc_blocks = 5});
	return site;
}

static void begin(struct made *made, const char *name)
{
	*made = (struct made){0};
	script_begin(&made->s, name);
}

static struct model *finish(struct made *made)
{
	script_walk(&made->s, 1, OWNER, 100, 0);
	script_walk(&made->s, 2, OWNER, 100, 0);
	return script_finish(&made->s, 2);
}

static struct call_tree_options everything(void)
{
	return (struct call_tree_options){.filter = {MODEL_NONE, -1, -1, 0, 0}};
}

/* "root[a[b b]]" with MiB: "root:6 a:6 b:4 b:2", by depth-first order. */
static const char *text_of(const struct model *m, const struct call_tree *tree)
{
	static const char *const kinds[] = {"root", "owner", NULL, "mapped", "unknown"};
	static char text[512];
	size_t length = 0;

	for (size_t i = 0; i < tree->count; i++) {
		const struct call_node *n = &tree->nodes[i];

		length += (size_t)snprintf(
			text + length, sizeof(text) - length, "%s%d%s:%g", i ? " " : "", n->depth,
			n->kind == CALL_LINE ? m->lines[n->line].function : kinds[n->kind],
			(double)n->total / (double)MIB);
	}
	return text;
}

static void assert_sums(const struct call_tree *tree)
{
	int64_t *sums = calloc(tree->count, sizeof(*sums));

	for (size_t i = tree->count; i-- > 0;) {
		const struct call_node *n = &tree->nodes[i];

		assert_int_equal(n->total, n->self + n->folded + sums[i]);
		assert_true(n->parent < (int)i);
		if (n->parent >= 0)
			sums[n->parent] += n->total;
	}
	free(sums);
}

static void assert_tree(const struct model *m, const struct call_tree_options *o,
			const char *expected)
{
	struct call_tree tree;

	assert_int_equal(call_tree_make(&tree, m, o), 0);
	assert_string_equal(text_of(m, &tree), expected);
	assert_sums(&tree);
	call_tree_release(&tree);
}

static void the_machinery_of_an_import_is_left_out(void **state)
{
	struct call_tree_options o = everything();
	struct made made;
	struct model *m;

	(void)state;
	begin(&made, "import");
	put_site(&made, OWNER, "a12b34c", 1, 2);
	put_site(&made, OWNER, "a12", 1, 1); /* what it allocates itself is the importing line's */
	m = finish(&made);
	assert_tree(m, &o, "0root:3 1owner:3 2a:3 3b:2 4c:2");
	model_close(m);
}

static void stacks_share_their_callers_and_the_largest_comes_first(void **state)
{
	struct call_tree_options o = everything();
	struct made made;
	struct model *m;

	(void)state;
	begin(&made, "share");
	put_site(&made, OWNER, "ab", 1, 2);
	put_site(&made, OWNER, "ac", 1, 4);
	put_site(&made, OWNER, "a", 1, 1);
	put_site(&made, OWNER, "ac", 1, 1); /* another stack of the same lines */
	m = finish(&made);
	assert_tree(m, &o, "0root:8 1owner:8 2a:8 3c:5 3b:2");
	o.weight = CALL_ALLOCATED;
	assert_tree(m, &o, "0root:24 1owner:24 2a:24 3c:15 3b:6");
	model_close(m);
}

static void blocks_are_counted_when_they_are_the_weight(void **state)
{
	struct call_tree_options o = everything();
	struct call_tree tree;
	struct made made;
	struct model *m;

	(void)state;
	begin(&made, "blocks");
	put_site(&made, OWNER, "ab", 1, 2);
	put_site(&made, OWNER, "ac", 1, 4);
	m = finish(&made);
	for (int weight = CALL_BLOCKS; weight < CALL_WEIGHTS; weight++) {
		o.weight = (enum call_weight)weight;
		assert_int_equal(call_tree_make(&tree, m, &o), 0);
		assert_int_equal(tree.nodes[0].total, weight == CALL_BLOCKS ? 4 : 10);
		call_tree_release(&tree);
	}
	model_close(m);
}

static void lines_of_a_function_are_one_node_only_by_function(void **state)
{
	struct call_tree_options o = everything();
	struct call_tree tree;
	struct made made;
	struct model *m;

	(void)state;
	begin(&made, "function");
	put_site(&made, OWNER, "ab", 10, 2);
	put_site(&made, OWNER, "ab", 20, 4);
	m = finish(&made);
	assert_tree(m, &o, "0root:6 1owner:6 2a:6 3b:4 3b:2");
	o.by_function = 1;
	assert_tree(m, &o, "0root:6 1owner:6 2a:6 3b:6");
	assert_int_equal(call_tree_make(&tree, m, &o), 0);
	assert_int_equal(m->lines[tree.nodes[3].line].line, 20); /* the larger one stands for it */
	call_tree_release(&tree);
	model_close(m);
}

static void pools_and_processes_are_owners_and_filters_hold(void **state)
{
	struct call_tree_options o = everything();
	struct call_tree tree;
	struct made made;
	struct model *m;

	(void)state;
	begin(&made, "owners");
	script_pool(&made.s, 1, "train", 0, 0.1);
	script_process(&made.s, 2, 1, 0, 0.2, -1);
	script_process(&made.s, 3, 1, 1, 0.2, -1);
	script_put_pools(&made.s);
	put_site(&made, 2, "a", 1, 2);
	put_site(&made, 3, "a", 1, 2);
	put_site(&made, OWNER, "a", 1, 1);
	m = finish(&made);
	assert_tree(m, &o, "0root:5 1owner:4 2a:4 1owner:1 2a:1");
	assert_int_equal(call_tree_make(&tree, m, &o), 0);
	assert_int_equal(tree.nodes[1].pool, 0);
	assert_int_equal(tree.nodes[2].pool, 0);
	assert_int_equal(tree.nodes[3].pool, -1);
	assert_int_equal(m->processes[tree.nodes[3].process].id, OWNER);
	call_tree_release(&tree);
	o.filter.stage = MODEL_STAGE_TRAIN;
	assert_tree(m, &o, "0root:4 1owner:4 2a:4");
	o.filter.stage = MODEL_STAGE_VALIDATE;
	assert_tree(m, &o, "0root:0");
	model_close(m);
}

static void what_is_folded_is_the_smallest_and_stays_in_the_sums(void **state)
{
	struct call_tree_options o = everything();
	struct call_tree tree;
	struct made made;
	struct model *m;
	char stack[] = "a?";

	(void)state;
	begin(&made, "fold");
	for (int i = 0; i < 20; i++) {
		stack[1] = (char)('b' + i);
		put_site(&made, OWNER, stack, 1, 1 + i);
	}
	m = finish(&made);
	o.most_nodes = 6;
	assert_int_equal(call_tree_make(&tree, m, &o), 0);
	assert_string_equal(text_of(m, &tree), "0root:210 1owner:210 2a:210 3u:20 3t:19 3s:18");
	assert_sums(&tree);
	assert_int_equal(tree.left_out, 17);
	assert_mib(tree.nodes[2].folded, 210 - 57);
	call_tree_release(&tree);
	o.most_nodes = 1;
	assert_tree(m, &o, "0root:210");
	model_close(m);
}

static void mapped_and_unknown_memory_have_nodes_of_their_own(void **state)
{
	struct call_tree_options o = everything();
	struct made made;
	struct model *m;
	int64_t id;

	(void)state;
	begin(&made, "mapped");
	put_site(&made, OWNER, "a", 1, 1);
	id = put_site(&made, OWNER, "", 1, 3);
	session_put_site(made.s.w, &(struct session_site){.id = id + 1,
							  .process = OWNER,
							  .owner_pool = SESSION_NULL,
							  .stack = 1,
							  .mapped = 1});
	session_put_site_sample(made.s.w, &(struct session_site_sample){.t_ns = script_ns(1),
									.site = id + 1,
									.live_bytes = 2 * MIB,
									.alloc_bytes = 2 * MIB});
	m = finish(&made);
	assert_tree(m, &o, "0root:6 1owner:6 2a:3 3mapped:2 2unknown:3");
	model_close(m);
}

static void without_sites_there_is_the_root(void **state)
{
	struct call_tree_options o = everything();
	struct made made;
	struct model *m;

	(void)state;
	begin(&made, "empty");
	m = finish(&made);
	assert_tree(m, &o, "0root:0");
	model_close(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_machinery_of_an_import_is_left_out),
		cmocka_unit_test(stacks_share_their_callers_and_the_largest_comes_first),
		cmocka_unit_test(blocks_are_counted_when_they_are_the_weight),
		cmocka_unit_test(lines_of_a_function_are_one_node_only_by_function),
		cmocka_unit_test(pools_and_processes_are_owners_and_filters_hold),
		cmocka_unit_test(what_is_folded_is_the_smallest_and_stays_in_the_sums),
		cmocka_unit_test(mapped_and_unknown_memory_have_nodes_of_their_own),
		cmocka_unit_test(without_sites_there_is_the_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
