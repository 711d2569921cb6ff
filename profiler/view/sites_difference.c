/* Two runs' call sites against each other: by file and function, since lines move between versions. */
#include <stdlib.h>
#include <string.h>

#include "profiler/array.h"
#include "profiler/view/format.h"
#include "profiler/view/site_words.h"
#include "profiler/view/sites.h"
#include "profiler/view/words.h"

enum { SHOWN = 15, KEY = 192 };

struct change {
	char key[KEY];
	int64_t base, head;
};

struct changes {
	ARRAY(struct change) list;
};

static int64_t size_of(const struct change *c)
{
	return llabs(c->head - c->base);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct change *)a)->key, ((const struct change *)b)->key);
}

static int larger_first(const void *a, const void *b)
{
	int64_t x = size_of(a), y = size_of(b);

	return x == y ? by_key(a, b) : x > y ? -1 : 1;
}

/* "train dataset.py CocoTrain.__getitem__": stages are comparable, numbers of pools are not. */
static void fill_key(struct change *c, const struct model *m, const struct model_site_row *row)
{
	char site[KEY];

	snprintf(c->key, sizeof(c->key), "%-9s %s",
		 row->pool < 0 ? "" : model_stage_name(m->pools[row->pool].stage),
		 site_identity(site, sizeof(site), m, row->line));
}

static int add_rows(struct changes *changes, const struct model *m,
		    const struct model_site_filter *filter, int is_head)
{
	struct model_site_row *rows;
	struct change *c = NULL;
	size_t count, i = 0;

	if (model_sites_rank(m, filter, &rows, &count))
		return -1;
	for (; i < count && (c = array_add(&changes->list)); i++) {
		fill_key(c, m, &rows[i]);
		*(is_head ? &c->head : &c->base) = rows[i].live_bytes;
	}
	free(rows);
	return i < count ? -1 : 0;
}

static void fold(struct changes *changes)
{
	struct change *items = changes->list.items;
	size_t count = changes->list.count, kept = 0;

	if (!count)
		return;
	qsort(items, count, sizeof(*items), by_key);
	for (size_t i = 0; i < count; i++) {
		if (kept && !strcmp(items[kept - 1].key, items[i].key)) {
			items[kept - 1].base += items[i].base;
			items[kept - 1].head += items[i].head;
		} else {
			items[kept++] = items[i];
		}
	}
	changes->list.count = kept;
	qsort(items, kept, sizeof(*items), larger_first);
}

/* "Sites, live at 0:12 in BASE, at 0:13 in HEAD, MiB" */
static void print_title(FILE *out, const struct model *base, const struct model *head,
			const struct sites_options *o, enum format_unit unit)
{
	char a[FORMAT_MAX], b[FORMAT_MAX];

	fprintf(out, "Sites, live at %s in BASE, at %s in HEAD, %s, estimated\n",
		format_moment(a, model_sites_moment(base, &o->base_filter)),
		format_moment(b, model_sites_moment(head, &o->filter)), format_unit_name(unit));
}

static void print(FILE *out, const struct changes *changes, const struct model *base,
		  const struct model *head, const struct sites_options *o)
{
	const struct change *items = changes->list.items;
	size_t count = changes->list.count, shown = o->full || count < SHOWN ? count : SHOWN;
	int64_t largest = 0;
	char a[FORMAT_MAX], b[FORMAT_MAX], d[FORMAT_MAX], text[KEY];
	enum format_unit unit;

	for (size_t i = 0; i < count; i++) {
		largest = items[i].base > largest ? items[i].base : largest;
		largest = items[i].head > largest ? items[i].head : largest;
	}
	unit = format_unit_for(largest);
	print_title(out, base, head, o, unit);
	if (!count || !size_of(&items[0])) {
		fprintf(out, "  no site changed\n");
		return;
	}
	fprintf(out, "    BASE     HEAD  CHANGE  STAGE     SITE\n");
	for (size_t i = 0; i < shown && size_of(&items[i]); i++) {
		const struct change *c = &items[i];

		fprintf(out, "  %6s   %6s  %6s  %s\n", format_cell(a, c->base, unit, 1),
			format_cell(b, c->head, unit, 1),
			format_difference_cell(d, c->head - c->base, unit, 1),
			words_safe(text, sizeof(text), c->key, o->utf8));
	}
	if (shown < count)
		fprintf(out, "  %zu more with smaller changes: --full\n", count - shown);
}

int sites_difference(FILE *out, const struct model *base, const struct model *head,
		     const struct sites_options *options)
{
	struct changes changes = {0};
	int failed = add_rows(&changes, base, &options->base_filter, 0) ||
		     add_rows(&changes, head, &options->filter, 1);

	if (!failed) {
		fold(&changes);
		print(out, &changes, base, head, options);
	}
	array_release(&changes.list);
	return failed ? -1 : 0;
}
