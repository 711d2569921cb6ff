/* The list of call sites, and their stacks. */
#include "profiler/view/sites.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/view/format.h"
#include "profiler/view/site_words.h"
#include "profiler/view/table.h"
#include "profiler/view/words.h"

enum { SHOWN = 25, TREE_SHOWN = 10, TREE_CALLERS = 12, TEXT = 256 };
enum column { LIVE, ALLOC, BLOCKS, POOL, SITE, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[LIVE] = {"LIVE", 6, 0, 0},
	[ALLOC] = {"ALLOC", 6, 2, 0},
	[BLOCKS] = {"BLOCKS", 6, 3, 0},
	[POOL] = {"POOL", 12, 1, 1},
	[SITE] = {"SITE, innermost of your code", 0, 0, 1},
};

/* " of validate pools", " of train #4 e1, process 4102" */
static void print_choice(FILE *out, const struct model *m, const struct sites_options *o)
{
	const struct model_site_filter *f = &o->filter;
	const char *between = " of ";
	char name[WORDS_MAX];

	if (f->stage >= 0) {
		fprintf(out, "%s%s pools", between, model_stage_name((enum model_stage)f->stage));
		between = ", ";
	}
	if (f->pool >= 0) {
		fprintf(out, "%s%s", between,
			words_safe(name, sizeof(name), m->pools[f->pool].name, o->utf8));
		between = ", ";
	}
	if (f->pid)
		fprintf(out, "%sprocess %lld", between, (long long)f->pid);
}

/* "Sites, live at the peak, 12:33: 14.9 GiB, sampled, one in 64 KiB to 8 MiB"
 * "Sites of train #4 e1, live at the peak, ..."
 * "Sites, allocated in train, live in validate e0, 12:33: 60.0 MiB, sampled, one in 64 KiB" */
static void print_title(FILE *out, const struct model *m, const struct sites_options *o,
			int64_t live)
{
	int64_t t_ns = model_sites_moment(m, &o->filter);
	int at_peak = o->filter.t_ns == MODEL_NONE && t_ns == m->totals.peak_at_ns;
	char moment[FORMAT_MAX], bytes[FORMAT_MAX], mean[FORMAT_MAX];

	fprintf(out, "Sites");
	print_choice(out, m, o);
	fprintf(out, ", ");
	if (o->filter.from_stage)
		fprintf(out, "allocated in %s, ",
			model_stage_name((enum model_stage)(o->filter.from_stage - 1)));
	if (o->phase)
		fprintf(out, "live in %s, ", o->phase->name);
	else
		fprintf(out, "live at %s", at_peak ? "the peak, " : "");
	fprintf(out, "%s: %s, ", format_moment(moment, t_ns), format_bytes(bytes, live));
	if (m->sample_bytes == 1)
		fprintf(out, "every allocation\n");
	else if (m->sample_bytes > 1)
		fprintf(out, "sampled, one in %s\n",
			format_bytes_range(mean, m->sample_bytes, m->sample_bytes_most));
	else
		fprintf(out, "sampled\n");
}

static void set_row(struct table *t, const struct model *m, const struct sites_options *o,
		    const struct model_site_row *row, enum format_unit unit)
{
	int decimals = unit >= FORMAT_MIB;
	char cell[FORMAT_MAX], text[TEXT];

	table_row(t);
	table_set(t, LIVE, format_cell(cell, row->live_bytes, unit, decimals));
	table_set(t, ALLOC, format_cell(cell, row->alloc_bytes, unit, decimals));
	table_set(t, BLOCKS, format_count(cell, row->live_blocks));
	table_set(t, POOL, site_owner(text, sizeof(text), m, row, o->utf8));
	table_set(t, SITE, site_row_words(text, sizeof(text), m, row, o->utf8));
}

/* Rows above a hundredth of all that is live, or the first few. */
static size_t shown_of(const struct model_site_row *rows, size_t count,
		       const struct sites_options *o, int64_t live)
{
	size_t most = o->tree ? TREE_SHOWN : SHOWN, n = 0;

	if (o->full)
		return count;
	while (n < count && n < most && rows[n].live_bytes * 100 >= live && rows[n].live_bytes)
		n++;
	return n ? n : count < 5 ? count : 5;
}

/* -- the stack of one row -------------------------------------------------------------------- */

static void print_stack_line(FILE *out, const struct model *m, int line, const char *mark,
			     const struct sites_options *o)
{
	char text[TEXT];

	site_words(text, sizeof(text), m, line, o->utf8);
	fprintf(out, "          %s%s%s\n", mark, text, m->lines[line].native ? "   native" : "");
}

/* The innermost first; the line that names the row is marked. */
static void print_stack(FILE *out, const struct model *m, const struct model_site_row *row,
			const struct sites_options *o)
{
	int stack = m->sites[row->site].stack, left = TREE_CALLERS, found = row->line < 0;

	for (; stack >= 0 && (left > 0 || !found || o->full); stack = m->stacks[stack].parent)
		for (size_t i = 0; i < m->stacks[stack].line_count; i++, left--) {
			int line = (int)(m->stacks[stack].first_line + i);
			int is_it = !found && line == row->line;

			found |= is_it;
			if (!o->full && !is_it && site_line_is_import(m, line)) {
				left++;
				continue;
			}
			print_stack_line(out, m, line, is_it ? "> " : "  ", o);
		}
	if (stack >= 0)
		fprintf(out, "            %s\n", o->utf8 ? "…" : "...");
}

static void print_tree(FILE *out, const struct model *m, const struct sites_options *o,
		       const struct model_site_row *rows, size_t count)
{
	char bytes[FORMAT_MAX], owner[TEXT], site[TEXT];

	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s  %10s  %s  %s\n", i ? "\n" : "",
			format_bytes(bytes, rows[i].live_bytes),
			site_owner(owner, sizeof(owner), m, &rows[i], o->utf8),
			site_row_words(site, sizeof(site), m, &rows[i], o->utf8));
		print_stack(out, m, &rows[i], o);
	}
}

/* -- the list -------------------------------------------------------------------------------- */

static int print_list(FILE *out, const struct model *m, const struct sites_options *o,
		      const struct model_site_row *rows, size_t count, enum format_unit unit)
{
	struct table t;
	int failed;

	table_init(&t, columns, COLUMNS);
	for (size_t i = 0; i < count; i++)
		set_row(&t, m, o, &rows[i], unit);
	table_print(&t, out, o->width);
	failed = t.failed;
	table_release(&t);
	return failed ? -1 : 0;
}

static void print_end(FILE *out, const struct model_site_row *rest, size_t count,
		      enum format_unit unit)
{
	char cell[FORMAT_MAX];

	if (count)
		fprintf(out, "  %6s  in %zu more: --full\n",
			format_cell(cell, model_site_rows_live(rest, count), unit,
				    unit >= FORMAT_MIB),
			count);
	fprintf(out,
		"Sizes in %s. ALLOC counts all that was ever allocated there; figures are estimates.\n",
		format_unit_name(unit));
}

/* What was chosen may have lived at another time than the one that is shown. */
static void say_when(FILE *out, const struct model *m, const struct sites_options *o)
{
	int64_t first, last;
	char from[FORMAT_MAX], to[FORMAT_MAX];

	if (!site_lifetime(m, &o->filter, &first, &last))
		fprintf(out, "Nothing of it is live then. It lived from %s to %s: --at MOMENT\n",
			format_moment(from, first), format_moment(to, last));
}

static void say_damage(FILE *out, const struct model *m)
{
	if (m->damage)
		fprintf(out, "Damaged: %s; names and figures that lay there are lost.\n",
			m->damage);
}

static void say_none(FILE *out, const struct model *m)
{
	const char *remedy, *why = site_why_none(m, &remedy);

	if (m->site_count)
		fprintf(out, "No call site fits.\n");
	else if (m->damage)
		fprintf(out, "No call sites could be read: %s.\n", why);
	else
		fprintf(out, "No call sites: %s; %s.\n", why, remedy);
}

int sites_text(FILE *out, const struct model *m, const struct sites_options *o)
{
	struct model_site_row *rows;
	size_t count, shown;
	enum format_unit unit;
	int result = 0;

	if (model_sites_rank(m, &o->filter, &rows, &count))
		return -1;
	if (!count) {
		say_none(out, m);
		if (m->site_count)
			say_damage(out, m);
		say_when(out, m, o);
		free(rows);
		return 0;
	}
	shown = shown_of(rows, count, o, model_site_rows_live(rows, count));
	unit = format_unit_for(rows[0].live_bytes);
	print_title(out, m, o, model_site_rows_live(rows, count));
	if (o->tree)
		print_tree(out, m, o, rows, shown);
	else
		result = print_list(out, m, o, rows, shown, unit);
	print_end(out, rows + shown, count - shown, unit);
	say_damage(out, m);
	if (!rows[0].live_bytes)
		say_when(out, m, o);
	free(rows);
	return result;
}
