/*
 * Which objects are told as one: pools and phases of the same stage, label and rank, over all epochs. Only so many pools of a rank keep their
 * name, the others are one group "(other)": a server must not be flooded by a program that names its loaders by the hour.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/findings.h"
#include "profiler/view/escape.h"
#include "profiler/view/openmetrics.h"
#include "profiler/view/site_words.h"

enum { NAMED_POOLS = 50, LABEL_BYTES = 128 };

void openmetrics_escape(FILE *out, const char *text)
{
	char *utf8 = escape_utf8(text);

	for (const char *c = utf8 ? utf8 : ""; *c; c++) {
		if (*c == '\\' || *c == '"')
			fputc('\\', out);
		if (*c == '\n')
			fputs("\\n", out);
		else
			fputc(*c, out);
	}
	free(utf8);
}

/* The group with these labels, which are freed or kept; a new one at the end. */
static struct openmetrics_group *group_of(struct openmetrics_groups *g, char *labels)
{
	struct openmetrics_group *added;

	for (size_t i = 0; i < g->list.count; i++)
		if (!strcmp(g->list.items[i].labels, labels)) {
			free(labels);
			return &g->list.items[i];
		}
	added = array_add(&g->list);
	if (added)
		added->labels = labels;
	else
		free(labels);
	return added;
}

static void add_object(struct openmetrics_groups *g, char *labels, const void *object)
{
	struct openmetrics_group *group = labels ? group_of(g, labels) : NULL;
	const void **added = group ? array_add(&group->objects) : NULL;

	if (added)
		*added = object;
	else
		g->failed = 1;
}

/* ---- labels: `name="value"` pairs in braces ---- */

struct labels {
	char *text;
	size_t size;
	FILE *out; /* NULL = out of memory */
	int any;
};

static void label(struct labels *l, const char *name, const char *value)
{
	if (!l->out)
		return;
	fprintf(l->out, "%s%s=\"", l->any++ ? "," : "{", name);
	openmetrics_escape(l->out, value);
	fputc('"', l->out);
}

static void label_number(struct labels *l, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	label(l, name, text);
}

static void labels_begin(struct labels *l)
{
	*l = (struct labels){0};
	l->out = open_memstream(&l->text, &l->size);
}

/* The text, for its new owner; NULL when out of memory. */
static char *labels_end(struct labels *l)
{
	if (!l->out)
		return NULL;
	if (l->any)
		fputc('}', l->out);
	if (fclose(l->out)) {
		free(l->text);
		return NULL;
	}
	return l->text;
}

static size_t count_owners(const struct model *m)
{
	size_t owners = 0;

	for (size_t i = 0; i < m->process_count; i++)
		owners += m->processes[i].role == MODEL_ROLE_OWNER;
	return owners;
}

/* The rank of an owner, its place among the owners when it told none; only where there are several. */
static void label_rank(struct labels *l, const struct model *m, int owner)
{
	int64_t place = 0;

	if (count_owners(m) < 2 || owner < 0)
		return;
	for (int i = 0; i < owner; i++)
		place += m->processes[i].role == MODEL_ROLE_OWNER;
	label_number(l, "rank",
		     m->processes[owner].rank == MODEL_NONE ? place : m->processes[owner].rank);
}

static void pool_label(char *out, const struct model_pool *pool)
{
	const char *name = pool->label[0] ? pool->label : model_stage_name(pool->stage);

	snprintf(out, LABEL_BYTES + 1, "%.*s", (int)escape_cut(name, LABEL_BYTES), name);
}

/* 1 when so many other names of this owner came before that this one is not told. */
static int is_folded(const struct model *m, size_t index)
{
	const struct model_pool *pool = &m->pools[index];
	size_t names = 0;

	for (size_t i = 0; i < index && names < NAMED_POOLS; i++) {
		int earlier = 0;

		if (m->pools[i].owner != pool->owner)
			continue;
		if (m->pools[i].stage == pool->stage && !strcmp(m->pools[i].label, pool->label))
			return is_folded(m, i);
		for (size_t k = 0; k < i && !earlier; k++)
			earlier = m->pools[k].owner == pool->owner &&
				  m->pools[k].stage == m->pools[i].stage &&
				  !strcmp(m->pools[k].label, m->pools[i].label);
		names += !earlier;
	}
	return names >= NAMED_POOLS;
}

static void label_pool(struct labels *l, const struct model *m, size_t index)
{
	const struct model_pool *pool = &m->pools[index];
	char name[LABEL_BYTES + 1];

	pool_label(name, pool);
	label(l, "stage", model_stage_name(pool->stage));
	label(l, "pool", is_folded(m, index) ? "(other)" : name);
	label_rank(l, m, pool->owner);
}

/* ---- one function a scope ---- */

static void group_job(struct openmetrics_groups *g, const struct model *m)
{
	add_object(g, strdup(""), &m->totals);
}

static void group_owners(struct openmetrics_groups *g, const struct model *m)
{
	struct labels l;

	for (size_t i = 0; i < m->process_count; i++) {
		if (m->processes[i].role != MODEL_ROLE_OWNER)
			continue;
		labels_begin(&l);
		label_rank(&l, m, (int)i);
		add_object(g, labels_end(&l), &m->processes[i]);
	}
}

static void group_pools(struct openmetrics_groups *g, const struct model *m)
{
	struct labels l;

	for (size_t i = 0; i < m->pool_count; i++) {
		labels_begin(&l);
		label_pool(&l, m, i);
		add_object(g, labels_end(&l), &m->pools[i]);
	}
}

static void group_phases(struct openmetrics_groups *g, const struct model *m)
{
	struct labels l;

	for (size_t i = 0; i < m->phase_count; i++) {
		if (m->phases[i].between)
			continue;
		labels_begin(&l);
		label(&l, "stage", model_stage_name(m->phases[i].stage));
		label_rank(&l, m, m->phases[i].owner);
		add_object(g, labels_end(&l), &m->phases[i]);
	}
}

static void group_workers(struct openmetrics_groups *g, const struct model *m)
{
	struct labels l;

	for (size_t i = 0; i < m->pool_count; i++)
		for (size_t k = 0; k < m->pools[i].member_count; k++) {
			const struct model_process *p = &m->processes[m->pools[i].members[k]];

			labels_begin(&l);
			label_pool(&l, m, i);
			label_number(&l, "worker",
				     p->worker_id == MODEL_NONE ? (int64_t)k : p->worker_id);
			add_object(g, labels_end(&l), p);
		}
}

/* Where the code is, without what changes from run to run: no line, no directory of somebody's. */
static void label_line(struct labels *l, const struct model_line *line)
{
	const char *file = line->file ? line->file : line->module ? line->module : "";
	const char *name = line->function ? line->function : "";
	char function[LABEL_BYTES + 1];

	snprintf(function, sizeof(function), "%.*s", (int)escape_cut(name, LABEL_BYTES), name);
	label(l, "function", function);
	label(l, "file", site_short_path(file));
}

/* The largest at the peak; those without a known stack are no site. */
static void group_sites(struct openmetrics_groups *g, const struct model *m, size_t most)
{
	struct model_site_filter filter = {.t_ns = MODEL_NONE, .stage = -1, .pool = -1};
	struct model_site_row *rows = NULL;
	size_t count = 0;
	struct labels l;

	if (model_sites_rank(m, &filter, &rows, &count) < 0)
		g->failed = 1;
	g->storage = rows;
	for (size_t i = 0, told = 0; i < count && told < most; i++) {
		if (rows[i].line < 0 || rows[i].live_bytes <= 0)
			continue;
		labels_begin(&l);
		if (rows[i].pool >= 0)
			label_pool(&l, m, (size_t)rows[i].pool);
		label_line(&l, &m->lines[rows[i].line]);
		add_object(g, labels_end(&l), &rows[i]);
		told++;
	}
}

/* Every finding there is, at every severity: rules can be written before the first case. */
static void group_findings(struct openmetrics_groups *g, const struct model *m)
{
	enum { SEVERITIES = MODEL_ERROR + 1 };
	struct openmetrics_finding *all = calloc(finding_kind_count * SEVERITIES + 1, sizeof(*all));
	struct labels l;

	(void)m;
	g->storage = all;
	g->failed |= !all;
	for (size_t i = 0; all && i < finding_kind_count * SEVERITIES; i++) {
		all[i] = (struct openmetrics_finding){finding_kinds[i / SEVERITIES].id,
						      (enum model_severity)(i % SEVERITIES)};
		labels_begin(&l);
		label(&l, "id", all[i].id);
		label(&l, "severity", model_severity_name(all[i].severity));
		add_object(g, labels_end(&l), &all[i]);
	}
}

void openmetrics_group_objects(struct openmetrics_groups *g, const struct model *m,
			       enum openmetrics_scope scope, size_t sites)
{
	static void (*const by_scope[OPENMETRICS_SCOPES])(struct openmetrics_groups *,
							  const struct model *) = {
		[OPENMETRICS_JOB] = group_job,        [OPENMETRICS_OWNER] = group_owners,
		[OPENMETRICS_POOL] = group_pools,     [OPENMETRICS_PHASE] = group_phases,
		[OPENMETRICS_WORKER] = group_workers, [OPENMETRICS_FINDING] = group_findings,
	};

	*g = (struct openmetrics_groups){0};
	if (scope == OPENMETRICS_SITE)
		group_sites(g, m, sites);
	else
		by_scope[scope](g, m);
}

void openmetrics_groups_release(struct openmetrics_groups *g)
{
	for (size_t i = 0; i < g->list.count; i++) {
		free(g->list.items[i].labels);
		array_release(&g->list.items[i].objects);
	}
	array_release(&g->list);
	free(g->storage);
	*g = (struct openmetrics_groups){0};
}
