/*
 * A speedscope file: one sampled profile an owner of memory and measure, so that a pool is looked at alone. A sample is one path of
 * the call tree, from the outermost caller in, weighted by what its end allocated itself.
 */
#include <errno.h>
#include <stdlib.h>

#include "profiler/view/export.h"
#include "profiler/view/json_values.h"
#include "profiler/view/line_ids.h"
#include "profiler/view/site_words.h"

enum { PROFILES_MOST = 200, TEXT = 256 };

/* Frames that are no lines of code. */
enum { FRAME_MAPPED, FRAME_UNKNOWN, FRAMES_OWN };

struct scope {
	const struct model *m;
	struct line_ids ids; /* number of a line + FRAMES_OWN is its frame */
	json_t *frames, *profiles;
	int64_t largest; /* live bytes of the profile that is shown first */
	size_t active;
};

static void add_frame(struct scope *s, const struct model_line *line)
{
	char text[TEXT];
	json_t *frame = json_object();
	const char *file = line->file ? line->file : line->module;

	if (!line->function)
		site_words(text, sizeof(text), s->m, (int)(line - s->m->lines), 1);
	json_object_set_new(frame, "name", json_text(line->function ? line->function : text));
	if (file)
		json_object_set_new(frame, "file", json_text(file));
	if (line->line)
		json_object_set_new(frame, "line", json_integer(line->line));
	json_array_append_new(s->frames, frame);
}

static int frame_of(struct scope *s, const struct call_node *node)
{
	int is_new, number;

	if (node->kind == CALL_MAPPED)
		return FRAME_MAPPED;
	if (node->kind == CALL_UNKNOWN)
		return FRAME_UNKNOWN;
	number = line_ids_of(&s->ids, node->line, &is_new);
	if (is_new)
		add_frame(s, &s->m->lines[node->line]);
	return FRAMES_OWN + number;
}

/* The frames from below the owner to the node, outermost first. */
static json_t *sample_of(struct scope *s, const struct call_tree *tree,
			 const struct call_node *node)
{
	json_t *sample = json_array();

	for (; node->depth > 1; node = &tree->nodes[node->parent])
		json_array_insert_new(sample, 0, json_integer(frame_of(s, node)));
	return sample;
}

static json_t *profile_of(struct scope *s, const struct call_tree *tree, size_t owner,
			  enum call_weight weight)
{
	const struct call_node *top = &tree->nodes[owner];
	const struct model_site_row row = {.pool = top->pool, .process = top->process};
	json_t *samples = json_array(), *weights = json_array(), *name;
	char text[TEXT];

	for (size_t i = owner + 1; i < tree->count && tree->nodes[i].depth > 1; i++) {
		if (!tree->nodes[i].self)
			continue;
		json_array_append_new(samples, sample_of(s, tree, &tree->nodes[i]));
		json_array_append_new(weights, json_integer(tree->nodes[i].self));
	}
	name = json_sprintf("%s, %s", site_owner(text, sizeof(text), s->m, &row, 1),
			    call_weight_name(weight));
	return json_pack("{s:s, s:o, s:s, s:i, s:I, s:o, s:o}", "type", "sampled", "name", name,
			 "unit", call_weight_is_bytes(weight) ? "bytes" : "none", "startValue", 0,
			 "endValue", (json_int_t)top->total, "samples", samples, "weights",
			 weights);
}

static int add_weight(struct scope *s, const struct export_options *options,
		      enum call_weight weight)
{
	const struct call_tree_options wanted = {.filter = options->filter, .weight = weight};
	struct call_tree tree;

	if (call_tree_make(&tree, s->m, &wanted))
		return -1;
	for (size_t i = 1; i < tree.count; i++) {
		if (tree.nodes[i].kind != CALL_OWNER ||
		    json_array_size(s->profiles) == PROFILES_MOST)
			continue;
		if (weight != CALL_ALLOCATED && tree.nodes[i].total > s->largest) {
			s->largest = tree.nodes[i].total;
			s->active = json_array_size(s->profiles);
		}
		json_array_append_new(s->profiles, profile_of(s, &tree, i, weight));
	}
	call_tree_release(&tree);
	return 0;
}

static int add_profiles(struct scope *s, const struct export_options *options)
{
	if (options->given & EXPORT_WEIGHT)
		return add_weight(s, options, options->weight);
	return add_weight(s, options, CALL_LIVE) || add_weight(s, options, CALL_ALLOCATED) ? -1 : 0;
}

int export_speedscope(FILE *out, const struct model *m, const struct export_options *options,
		      struct error *e)
{
	struct scope s = {.m = m, .profiles = json_array()};
	json_t *file = NULL;
	size_t count;
	char exporter[TEXT];

	snprintf(exporter, sizeof(exporter), "loopmem@%s", m->version);
	s.frames = json_pack("[{s:s}, {s:s}]", "name", "(mapped)", "name", "(stack not known)");
	if (!line_ids_init(&s.ids, m, 0) && !add_profiles(&s, options))
		file = json_pack("{s:s, s:o, s:{s:O}, s:O, s:I, s:o}", "$schema",
				 "https://www.speedscope.app/file-format-schema.json", "name",
				 json_text(m->command), "shared", "frames", s.frames, "profiles",
				 s.profiles, "activeProfileIndex", (json_int_t)s.active, "exporter",
				 json_text(exporter));
	count = json_array_size(s.profiles);
	line_ids_release(&s.ids);
	json_decref(s.frames);
	json_decref(s.profiles);
	if (!file)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the profiles");
	json_dumpf(file, out, JSON_COMPACT);
	fputc('\n', out);
	json_decref(file);
	return count ? 0 : export_no_sites(m, &options->filter, e);
}
