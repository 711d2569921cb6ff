/* Two runs' call sites against each other: by file and function, since lines move between versions. */
#include <stdlib.h>
#include <string.h>

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
	struct change *items;
	size_t count;
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
	struct change *grown;
	size_t count;

	if (model_sites_rank(m, filter, &rows, &count))
		return -1;
	grown = realloc(changes->items, (changes->count + count + 1) * sizeof(*grown));
	if (!grown) {
		free(rows);
		return -1;
	}
	changes->items = grown;
	for (size_t i = 0; i < count; i++) {
		struct change *c = &changes->items[changes->count++];

		*c = (struct change){0};
		fill_key(c, m, &rows[i]);
		*(is_head ? &c->head : &c->base) = rows[i].live_bytes;
	}
	free(rows);
	return 0;
}

static void fold(struct changes *changes)
{
	size_t kept = 0;

	qsort(changes->items, changes->count, sizeof(*changes->items), by_key);
	for (size_t i = 0; i < changes->count; i++) {
		struct change c = changes->items[i];

		if (kept && !strcmp(changes->items[kept - 1].key, c.key)) {
			changes->items[kept - 1].base += c.base;
			changes->items[kept - 1].head += c.head;
		} else {
			changes->items[kept++] = c;
		}
	}
	changes->count = kept;
	qsort(changes->items, changes->count, sizeof(*changes->items), larger_first);
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
	size_t shown = o->full || changes->count < SHOWN ? changes->count : SHOWN;
	int64_t largest = 0;
	char a[FORMAT_MAX], b[FORMAT_MAX], d[FORMAT_MAX], text[KEY];
	enum format_unit unit;

	for (size_t i = 0; i < changes->count; i++) {
		largest = changes->items[i].base > largest ? changes->items[i].base : largest;
		largest = changes->items[i].head > largest ? changes->items[i].head : largest;
	}
	unit = format_unit_for(largest);
	print_title(out, base, head, o, unit);
	if (!changes->count || !size_of(&changes->items[0])) {
		fprintf(out, "  no site changed\n");
		return;
	}
	fprintf(out, "    BASE     HEAD  CHANGE  STAGE     SITE\n");
	for (size_t i = 0; i < shown && size_of(&changes->items[i]); i++) {
		const struct change *c = &changes->items[i];

		fprintf(out, "  %6s   %6s  %6s  %s\n", format_cell(a, c->base, unit, 1),
			format_cell(b, c->head, unit, 1),
			format_difference_cell(d, c->head - c->base, unit, 1),
			words_safe(text, sizeof(text), c->key, o->utf8));
	}
	if (shown < changes->count)
		fprintf(out, "  %zu more with smaller changes: --full\n", changes->count - shown);
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
	free(changes.items);
	return failed ? -1 : 0;
}
