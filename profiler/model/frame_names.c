/* Asking for the names of native frames, module by module: see the header. */
#include "profiler/model/frame_names.h"

#include <stdlib.h>

#include "profiler/model/private.h"

/* The question that is being answered. */
struct asking {
	struct model *m;
	const size_t *frames; /* index in the tables, by index of the question */
	int hurry, failed;
};

static void take_answer(void *arg, size_t index, const struct frame_name *name)
{
	struct asking *a = arg;
	struct site_tables *t = &a->m->priv->sites;
	struct strings *strings = &a->m->priv->tables.strings;
	struct site_name *kept = array_add(&t->names);

	if (!kept) {
		a->failed = 1;
		return;
	}
	*kept = (struct site_name){
		.frame = t->frames.items[a->frames[index]].id,
		.order = t->names.count,
		.function = strings_keep(strings, name->function),
		.file = strings_keep(strings, name->file),
		.line = name->line,
	};
}

static int is_nameless(const struct site_tables *t, const struct site_frame *frame)
{
	const struct model_line *line = &t->lines.items[frame->first_line];

	return frame->native && !frame->asked && frame->line_count == 1 && !line->function &&
	       !line->file;
}

/* 1 = it has frames without a name. */
static int ask_module(struct asking *a, const struct site_module *module,
		      frame_names_resolve *resolve, uint64_t *addresses, size_t *frames)
{
	struct site_tables *t = &a->m->priv->sites;
	size_t count = 0;

	for (size_t i = 0; i < t->frames.count; i++) {
		struct site_frame *frame = &t->frames.items[i];

		if (frame->module != module->id || !is_nameless(t, frame))
			continue;
		frame->asked = 1;
		addresses[count] = (uint64_t)frame->address;
		frames[count++] = i;
	}
	if (count)
		resolve(&(struct frame_names_question){module->path, module->build_id, addresses,
						       count, a->hurry},
			take_answer, a);
	return count > 0;
}

static int by_frame(const void *a, const void *b)
{
	const struct site_name *x = a, *y = b;

	if (x->frame != y->frame)
		return x->frame < y->frame ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int ask_modules(struct asking *a, frame_names_resolve *resolve, uint64_t *addresses,
		       size_t *frames)
{
	const struct site_tables *t = &a->m->priv->sites;
	int asked = 0;

	for (size_t i = 0; i < t->modules.count && !(asked && a->hurry) && !a->failed; i++)
		if (t->modules.items[i].build_id)
			asked |= ask_module(a, &t->modules.items[i], resolve, addresses, frames);
	return asked;
}

int frame_names_ask(struct model *m, frame_names_resolve *resolve, int hurry)
{
	struct site_tables *t = &m->priv->sites;
	uint64_t *addresses = calloc(t->frames.count + 1, sizeof(*addresses));
	size_t *frames = calloc(t->frames.count + 1, sizeof(*frames)), before = t->names.count;
	struct asking a = {.m = m, .frames = frames, .hurry = hurry};
	int asked = 0, failed = !addresses || !frames;

	if (!failed)
		asked = ask_modules(&a, resolve, addresses, frames);
	free(addresses);
	free(frames);
	if (t->names.count > before) {
		qsort(t->names.items, t->names.count, sizeof(*t->names.items), by_frame);
		failed |= sites_name_again(m);
	}
	return failed || a.failed ? ERROR_SYSTEM : asked;
}
