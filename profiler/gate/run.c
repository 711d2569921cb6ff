/* Subjects of a run: the list of what budget keys can speak of, named by subject_name.h. */
#include "profiler/gate/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/site_group.h"
#include "profiler/gate/subject_name.h"

static const char *name_subject(struct run *r, const char *word, const char *stage,
				const struct select_subject *fields)
{
	return subject_name(&r->strings, word, stage, fields, r->rank_count > 1);
}

/* The rank of a process; of one without a rank its place among the job's sessions. */
static const char *rank_of(struct run *r, const struct model *m, int process)
{
	int64_t rank = process < 0 ? MODEL_NONE : m->processes[process].rank;

	for (size_t i = 0; rank == MODEL_NONE && i < r->model_count; i++)
		if (r->models[i] == m)
			rank = (int64_t)i;
	return subject_number(&r->strings, rank);
}

/* ---- what a session cannot tell ------------------------------------------------------------------------------ */

static int has_guesses(const struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].guessed)
			return 1;
	return 0;
}

static int has_blind_member(const struct model *m, const struct model_pool *pool)
{
	for (size_t i = 0; i < pool->member_count; i++)
		if (!m->processes[pool->members[i]].instrumented)
			return 1;
	return 0;
}

static double limit_of(const struct model_totals *t)
{
	int has_limit = t->limit_bytes != MODEL_NONE && t->limit_source &&
			strcmp(t->limit_source, "RAM") != 0;

	return has_limit ? (double)t->limit_bytes : NAN;
}

/* ---- subjects ------------------------------------------------------------------------------------------------- */

static struct subject *add(struct run *r, int kind, const struct model *m, const void *object)
{
	struct subject *s = array_add(&r->subjects);

	if (!s)
		return NULL;
	s->kind = kind;
	s->model = m;
	s->object = object;
	s->pool = -1;
	s->where = "";
	s->limit_bytes = limit_of(&m->totals);
	s->lacks_pools = has_guesses(m);
	return s;
}

static int add_job(struct run *r)
{
	struct subject *s = add(r, MODEL_SCOPE_TOTAL, r->models[0], &r->totals);

	if (!s)
		return -1;
	s->name = "total";
	s->limit_bytes = limit_of(&r->totals);
	s->judged = r->host_totals ? SUBJECT_SIZES : SUBJECT_ANY;
	for (size_t i = 0; i < r->model_count; i++)
		s->lacks_pools |= has_guesses(r->models[i]);
	return 0;
}

static int add_costs(struct run *r, const struct model *m)
{
	static const enum model_scope scopes[] = {MODEL_SCOPE_OVERHEAD, MODEL_SCOPE_LOSS};

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		struct subject *s = add(r, (int)scopes[i], m, m);

		if (!s)
			return -1;
		s->name = model_scope_word(scopes[i]);
		s->lacks_pools = 0;
	}
	return 0;
}

static int add_owners(struct run *r, const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++) {
		struct subject *s;

		if (m->processes[i].role != MODEL_ROLE_OWNER)
			continue;
		s = add(r, MODEL_SCOPE_OWNER, m, &m->processes[i]);
		if (!s)
			return -1;
		s->fields.values[SELECT_RANK] = rank_of(r, m, (int)i);
		s->name = strings_format(&r->strings, "owner(%s)", s->fields.values[SELECT_RANK]);
		s->where = strings_format(&r->strings, "pid %lld", (long long)m->processes[i].pid);
		s->lacks_heap = !m->processes[i].instrumented;
	}
	return 0;
}

static void fill_pool_fields(struct run *r, const struct model *m, int index, struct subject *s)
{
	const struct model_pool *pool = &m->pools[index];

	s->pool = index;
	s->fields.values[SELECT_STAGE] = model_stage_name(pool->stage);
	s->fields.values[SELECT_LABEL] = subject_text(&r->strings, pool->label);
	s->fields.values[SELECT_EPOCH] = subject_number(&r->strings, pool->epoch);
	s->fields.values[SELECT_RANK] = rank_of(r, m, pool->owner);
}

static int add_workers(struct run *r, const struct model *m, int index)
{
	const struct model_pool *pool = &m->pools[index];

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct model_process *process = &m->processes[pool->members[i]];
		struct subject *s = add(r, MODEL_SCOPE_WORKER, m, process);

		if (!s)
			return -1;
		fill_pool_fields(r, m, index, s);
		s->name = name_subject(r, "worker", model_stage_name(pool->stage), &s->fields);
		s->where = strings_format(&r->strings, "worker %lld of %s",
					  (long long)process->worker_id, pool->name);
		s->lacks_heap = !process->instrumented;
	}
	return 0;
}

static int add_pools(struct run *r, const struct model *m)
{
	for (size_t i = 0; i < m->pool_count; i++) {
		const struct model_pool *pool = &m->pools[i];
		struct subject *s = add(r, MODEL_SCOPE_POOL, m, pool);

		if (!s)
			return -1;
		fill_pool_fields(r, m, (int)i, s);
		s->name = name_subject(r, "pool", model_stage_name(pool->stage), &s->fields);
		s->where = pool->name;
		s->lacks_heap = has_blind_member(m, pool);
		if (add_workers(r, m, (int)i))
			return -1;
	}
	return 0;
}

/* A label of a phase is the word that the program gave it. */
static const char *label_of_phase(const struct model_phase *phase)
{
	return phase->pool < 0 ? phase->name : "";
}

static int add_phases(struct run *r, const struct model *m)
{
	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];
		struct subject *s = phase->between ? NULL : add(r, MODEL_SCOPE_PHASE, m, phase);

		if (phase->between)
			continue;
		if (!s)
			return -1;
		s->fields.values[SELECT_STAGE] = model_stage_name(phase->stage);
		s->fields.values[SELECT_LABEL] = subject_text(&r->strings, label_of_phase(phase));
		s->fields.values[SELECT_EPOCH] = subject_number(&r->strings, phase->epoch);
		s->fields.values[SELECT_RANK] = rank_of(r, m, phase->owner);
		s->name = name_subject(r, "phase", model_stage_name(phase->stage), &s->fields);
		s->where = phase->name;
	}
	return 0;
}

/* ---- call sites ---- */

static struct site_group *new_group(struct run *r, const struct model *m, int pool, int process)
{
	struct site_group *group = malloc(sizeof(*group));
	struct site_group **kept = group ? array_add(&r->site_groups) : NULL;

	if (!kept) {
		free(group);
		return NULL;
	}
	*kept = group;
	*group = (struct site_group){m, pool, process};
	return group;
}

static int add_group(struct run *r, const struct model *m, int pool, int process)
{
	struct site_group *group = new_group(r, m, pool, process);
	struct subject *s = group ? add(r, MODEL_SCOPE_SITE, m, group) : NULL;

	if (!s)
		return -1;
	s->name = "site";
	s->lacks_heap = pool < 0 && process < 0;
	if (pool >= 0) {
		fill_pool_fields(r, m, pool, s);
		s->where = m->pools[pool].name;
	} else if (process >= 0) {
		s->fields.values[SELECT_RANK] = rank_of(r, m, process);
		s->where = strings_format(&r->strings, "pid %lld",
					  (long long)m->processes[process].pid);
	}
	return 0;
}

static int is_instrumented(const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].instrumented)
			return 1;
	return 0;
}

/* Pools and processes that have call sites, each once. Without the shim nothing is known of any. */
static int add_site_groups(struct run *r, const struct model *m)
{
	char *told = calloc(m->pool_count + m->process_count + 1, 1);
	int failed = !told;

	if (!is_instrumented(m))
		failed |= add_group(r, m, -1, -1);
	for (size_t i = 0; i < m->site_count && !failed; i++) {
		const struct model_site *site = &m->sites[i];
		size_t at = site->pool >= 0 ? (size_t)site->pool
					    : m->pool_count + (size_t)site->process;

		if (site->process < 0 || told[at])
			continue;
		told[at] = 1;
		failed = add_group(r, m, site->pool, site->process);
	}
	free(told);
	return failed ? -1 : 0;
}

/* A finding that speaks of pools is a subject for each of them, so that a selector can ask for their stage. */
static int add_finding(struct run *r, const struct model *m, const struct model_finding *f,
		       int pool)
{
	struct subject *s = add(r, SELECT_FINDING, m, f);

	if (!s)
		return -1;
	if (pool >= 0)
		fill_pool_fields(r, m, pool, s);
	s->fields.values[SELECT_SEVERITY] = model_severity_name(f->severity);
	s->name = pool < 0 ? f->id
			   : name_subject(r, f->id, model_stage_name(m->pools[pool].stage),
					  &s->fields);
	s->where = pool < 0 ? "" : m->pools[pool].name;
	return 0;
}

static int add_findings(struct run *r, const struct model *m)
{
	for (size_t i = 0; i < m->finding_count; i++) {
		const struct model_finding *f = &m->findings[i];

		if (!f->pool_count && add_finding(r, m, f, -1))
			return -1;
		for (size_t k = 0; k < f->pool_count; k++)
			if (add_finding(r, m, f, f->pools[k]))
				return -1;
	}
	return 0;
}

/* ---- hosts ---------------------------------------------------------------------------------------------------- */

static int is_first_of_host(const struct run *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (!strcmp(r->models[k]->host, r->models[i]->host))
			return 0;
	return 1;
}

/* The memory limit is a host's, so its share is judged for each host when a job runs on several. */
static int add_hosts(struct run *r)
{
	struct model **models = calloc(r->model_count, sizeof(*models));
	size_t hosts = 0, failed = !models;

	r->host_totals = calloc(r->model_count, sizeof(*r->host_totals));
	failed |= !r->host_totals;
	for (size_t i = 0; i < r->model_count && !failed; i++) {
		struct subject *s;
		size_t count = 0;

		if (!is_first_of_host(r, i))
			continue;
		for (size_t k = i; k < r->model_count; k++)
			if (!strcmp(r->models[k]->host, r->models[i]->host))
				models[count++] = r->models[k];
		failed |= job_totals(&r->host_totals[hosts], models, count) != 0;
		s = add(r, MODEL_SCOPE_TOTAL, r->models[i], &r->host_totals[hosts]);
		failed |= !s;
		if (s) {
			s->name = "total";
			s->where = r->models[i]->host;
			s->limit_bytes = limit_of(&r->host_totals[hosts]);
			s->judged = SUBJECT_SHARES;
		}
		hosts++;
	}
	free(models);
	return failed ? -1 : 0;
}

static int has_several_hosts(const struct run *r)
{
	for (size_t i = 1; i < r->model_count; i++)
		if (is_first_of_host(r, i))
			return 1;
	return 0;
}

/* ---- runs ------------------------------------------------------------------------------------------------------ */

static int count_ranks(const struct run *r)
{
	int owners = 0;

	for (size_t i = 0; i < r->model_count; i++)
		for (size_t k = 0; k < r->models[i]->process_count; k++)
			owners += r->models[i]->processes[k].role == MODEL_ROLE_OWNER &&
				  r->models[i]->processes[k].rank != MODEL_NONE;
	return owners;
}

static int add_all(struct run *r)
{
	if (has_several_hosts(r) && add_hosts(r))
		return -1;
	if (job_totals(&r->totals, r->models, r->model_count) || add_job(r))
		return -1;
	for (size_t i = 0; i < r->model_count; i++) {
		const struct model *m = r->models[i];

		if (add_owners(r, m) || add_pools(r, m) || add_phases(r, m) || add_costs(r, m) ||
		    add_site_groups(r, m) || add_findings(r, m))
			return -1;
	}
	return 0;
}

int run_make(struct run *r, struct model *const *models, size_t count, struct error *e)
{
	*r = (struct run){.models = models, .model_count = count};
	r->rank_count = count_ranks(r);
	if (add_all(r) || r->strings.failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot judge %s", models[0]->file);
	return 0;
}

void run_release(struct run *r)
{
	for (size_t i = 0; i < r->site_groups.count; i++)
		free(r->site_groups.items[i]);
	array_release(&r->site_groups);
	array_release(&r->subjects);
	strings_release(&r->strings);
	free(r->host_totals);
}

double subject_value(const struct subject *s, const struct model_metric *metric,
		     const struct selector *selector)
{
	if (s->kind == MODEL_SCOPE_SITE)
		return selector ? site_group_live(s->object, selector) : NAN;
	if (metric->needs == MODEL_NEEDS_POOLS && s->lacks_pools)
		return NAN;
	if (metric->needs == MODEL_NEEDS_HEAP && s->lacks_heap)
		return NAN;
	return metric->value(s->object);
}
