/* Processes and pools as people know them: roles, members and names. Rebuilt whole on every refresh; indices stay. */
#include <stdlib.h>
#include <string.h>

#include "profiler/model/private.h"
#include "profiler/model/relatives.h"

static const char *const stage_names[MODEL_STAGES] = {
	[MODEL_STAGE_OTHER] = "other",   [MODEL_STAGE_TRAIN] = "train",
	[MODEL_STAGE_SANITY] = "sanity", [MODEL_STAGE_VALIDATE] = "validate",
	[MODEL_STAGE_TEST] = "test",     [MODEL_STAGE_PREDICT] = "predict",
};

static const char *const state_names[MODEL_STATES] = {
	[MODEL_LATER] = "later",           [MODEL_STARTING] = "starting",
	[MODEL_DELIVERING] = "delivering", [MODEL_PARKED] = "parked",
	[MODEL_EXHAUSTED] = "exhausted",   [MODEL_ENDED] = "ended",
};

const char *model_stage_name(enum model_stage stage)
{
	return stage_names[stage];
}

const char *model_state_name(enum model_state state)
{
	return state_names[state];
}

enum model_stage model_stage_named(const char *name)
{
	for (int i = 0; i < MODEL_STAGES; i++)
		if (!strcmp(name, stage_names[i]))
			return (enum model_stage)i;
	return MODEL_STAGE_OTHER;
}

static enum model_role role_of(const char *name)
{
	static const struct {
		const char *name;
		enum model_role role;
	} roles[] = {
		{"root", MODEL_ROLE_ROOT},
		{"owner", MODEL_ROLE_OWNER},
		{"worker", MODEL_ROLE_WORKER},
		{"child", MODEL_ROLE_CHILD},
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (!strcmp(name, roles[i].name))
			return roles[i].role;
	return MODEL_ROLE_HELPER;
}

static void fill_process(struct model *m, size_t i)
{
	const struct tables *t = &m->priv->tables;
	const struct session_process *row = &t->processes.items[i];
	struct model_process *p = &m->priv->processes.items[i];

	memset(p, 0, sizeof(*p));
	*p = (struct model_process){
		.id = row->id,
		.pid = row->pid,
		.parent = t->tracks.items[i].parent,
		.pool = -1,
		.worker_id = MODEL_NONE,
		.role = role_of(row->role),
		.role_text = row->role,
		.cmdline = row->cmdline,
		.instrumented = row->instrumented != 0,
		.born_ns = row->born_ns,
		.ended_ns = row->ended_ns,
		.exit_code = row->exit_code,
		.exit_signal = row->exit_signal,
		.rank = row->rank,
		.fds_max = t->tracks.items[i].fds_max ? t->tracks.items[i].fds_max : MODEL_NONE,
		.fd_limit = row->fd_limit > 0 ? row->fd_limit : MODEL_NONE,
		.allocator = row->allocator,
		.python = row->python,
		.python_state = row->python_state,
		.python_reason = row->python_reason,
	};
}

/* "train #4 e1", or a person's label in place of the stage: "\"hard negatives\" #4 e1". A label that only names the loader
 * ("train_loader") stands for a stage where there is none. A group's says what started it: "Pool prepare.py:12 #3". */
static void name_pool(struct strings *s, const struct session_pool *row, struct model_pool *p)
{
	const char *what = model_stage_name(p->stage);
	long long number = (long long)p->number;

	if (p->stage == MODEL_STAGE_OTHER && !p->label[0])
		what = "loader";
	if (p->grouped)
		p->short_name =
			strings_format(s, "%s #%lld", p->label[0] ? p->label : "processes", number);
	else if ((p->named || p->stage == MODEL_STAGE_OTHER) && p->label[0])
		p->short_name = strings_format(s, "\"%s\" #%lld", p->label, number);
	else
		p->short_name = strings_format(s, "%s #%lld", what, number);
	p->name = row->epoch == SESSION_NULL || row->epoch < 0
			  ? p->short_name
			  : strings_format(s, "%s e%lld", p->short_name, (long long)row->epoch);
}

/* --release-idle-workers acts in the interpreter of the owner: it can do nothing for other loaders. */
static int is_hooked(const struct model *m, int owner)
{
	const char *state = owner < 0 ? NULL : m->priv->processes.items[owner].python_state;

	return state && !strcmp(state, "hooked");
}

static void fill_pool(struct model *m, size_t i)
{
	struct tables *t = &m->priv->tables;
	const struct session_pool *row = &t->pools.items[i];
	struct model_pool *p = &m->priv->pools.items[i];

	memset(p, 0, sizeof(*p));
	*p = (struct model_pool){
		.number = row->id,
		.owner = tables_process(t, row->owner),
		.stage = model_stage_named(row->stage),
		.epoch = row->epoch < 0 ? MODEL_NONE : row->epoch,
		.label = row->label,
		.dataset = row->dataset,
		.origin = row->origin,
		.start_method = row->start_method,
		.workers = row->workers,
		.batch_size = row->batch_size,
		.prefetch = row->prefetch,
		.expected_batches = row->expected_batches < 0 ? MODEL_NONE : row->expected_batches,
		.batches = row->guessed || row->grouped ? MODEL_NONE : row->batches,
		.persistent = row->persistent != 0,
		.stateful = row->stateful != 0,
		.named = row->named != 0,
		.guessed = row->guessed != 0,
		.grouped = row->grouped != 0,
		.replaces = row->grouped && row->workers > 0,
		.begin_ns = row->begin_ns,
		.first_batch_ns = row->first_batch_ns,
		.exhausted_ns = row->exhausted_ns,
		.end_ns = row->end_ns,
		.stall_ns = row->stall_ns,
		.start_ns = MODEL_NONE,
	};
	if (p->first_batch_ns != MODEL_NONE && p->first_batch_ns >= p->begin_ns)
		p->start_ns = p->first_batch_ns - p->begin_ns;
	p->releasable = !p->grouped && !p->persistent && !p->stateful && p->workers > 0 &&
			is_hooked(m, p->owner);
	name_pool(&t->strings, row, p);
}

static int by_worker_id(const void *a, const void *b, void *processes)
{
	const struct model_process *p = processes, *x = &p[*(const int *)a],
				   *y = &p[*(const int *)b];

	if (x->worker_id != y->worker_id)
		return x->worker_id < y->worker_id ? -1 : 1;
	return *(const int *)a - *(const int *)b;
}

/* Does the link count? Workers that are threads of the owner have the owner's pid: its memory is not theirs. A loader's claim
 * goes before a group's, and who owns loaders itself is no group's worker: it trains. */
static int joins(const struct model_private *priv, const struct session_pool_worker *link,
		 int grouped)
{
	const struct model_pool *pool = &priv->pools.items[link->pool];
	const struct model_process *p = &priv->processes.items[link->process];

	if (pool->grouped != grouped || pool->owner == (int)link->process)
		return 0;
	return !grouped || (p->pool < 0 && !p->has_loaders);
}

static int join_links(struct model *m, int grouped)
{
	struct model_private *priv = m->priv;

	for (size_t i = 0; i < priv->tables.links.count; i++) {
		const struct session_pool_worker *link = &priv->tables.links.items[i];
		struct model_process *p = &priv->processes.items[link->process];
		int *member;

		if (!joins(priv, link, grouped))
			continue;
		member = array_add(&priv->stores.items[link->pool].members);
		if (!member)
			return -1;
		*member = (int)link->process;
		p->pool = (int)link->pool;
		p->worker_id = link->worker_id;
		p->role = MODEL_ROLE_WORKER;
	}
	return 0;
}

static int join_members(struct model *m)
{
	struct model_private *priv = m->priv;

	for (size_t i = 0; i < priv->pools.count; i++)
		if (priv->pools.items[i].owner >= 0 && !priv->pools.items[i].grouped)
			priv->processes.items[priv->pools.items[i].owner].has_loaders = 1;
	if (join_links(m, 0) < 0 || join_links(m, 1) < 0)
		return -1;
	for (size_t i = 0; i < priv->pools.count; i++) {
		struct pool_store *store = &priv->stores.items[i];

		if (store->members.count)
			qsort_r(store->members.items, store->members.count, sizeof(int),
				by_worker_id, priv->processes.items);
		priv->pools.items[i].members = store->members.items;
		priv->pools.items[i].member_count = store->members.count;
	}
	return 0;
}

/* A program that ends by itself may leave behind what it forked: of a group only those are orphans whose owner was killed. */
static int is_orphan(const struct model *m, const struct model_process *p)
{
	const struct model_pool *pool = &m->priv->pools.items[p->pool];
	const struct model_process *owner = &m->priv->processes.items[pool->owner];

	if (owner->ended_ns == MODEL_NONE ||
	    (pool->grouped && (owner->exit_signal == MODEL_NONE || !owner->exit_signal)))
		return 0;
	return p->ended_ns == MODEL_NONE || p->ended_ns > owner->ended_ns + 1000000000;
}

static void mark_owners_and_orphans(struct model *m)
{
	struct model_private *priv = m->priv;

	for (size_t i = 0; i < priv->pools.count; i++) {
		int owner = priv->pools.items[i].owner;

		if (owner >= 0 && priv->processes.items[owner].role != MODEL_ROLE_WORKER)
			priv->processes.items[owner].role = MODEL_ROLE_OWNER;
	}
	for (size_t i = 0; i < priv->processes.count; i++) {
		struct model_process *p = &priv->processes.items[i];

		if (p->pool >= 0 && priv->pools.items[p->pool].owner >= 0)
			p->orphan = is_orphan(m, p);
	}
}

static int is_trainer(const struct model_process *p)
{
	return p->has_loaders && p->rank != MODEL_NONE;
}

static int has_several_ranks(const struct model_private *priv)
{
	int64_t first = MODEL_NONE;

	for (size_t i = 0; i < priv->processes.count; i++) {
		const struct model_process *p = &priv->processes.items[i];

		if (is_trainer(p) && first == MODEL_NONE)
			first = p->rank;
		else if (is_trainer(p) && p->rank != first)
			return 1;
	}
	return 0;
}

static void mark_ranks(struct model_private *priv)
{
	int several = has_several_ranks(priv);

	for (size_t i = 0; i < priv->pools.count; i++) {
		struct model_pool *pool = &priv->pools.items[i];

		pool->rank = several && pool->owner >= 0 ? priv->processes.items[pool->owner].rank
							 : MODEL_NONE;
	}
}

int64_t owner_rank(const struct model *m, int process)
{
	for (size_t i = 0; i < m->pool_count; i++)
		if (m->pools[i].owner == process)
			return m->pools[i].rank;
	return MODEL_NONE;
}

int subjects_build(struct model *m)
{
	struct model_private *priv = m->priv;

	if (relatives_find(&priv->tables) < 0)
		return -1;
	while (priv->processes.count < priv->tables.processes.count)
		if (!array_add(&priv->processes))
			return -1;
	while (priv->pools.count < priv->tables.pools.count)
		if (!array_add(&priv->stores) || !array_add(&priv->pools))
			return -1;
	for (size_t i = 0; i < priv->processes.count; i++)
		fill_process(m, i);
	for (size_t i = 0; i < priv->pools.count; i++) {
		fill_pool(m, i);
		priv->stores.items[i].members.count = 0;
	}
	m->processes = priv->processes.items;
	m->process_count = priv->processes.count;
	m->pools = priv->pools.items;
	m->pool_count = priv->pools.count;
	if (join_members(m) < 0)
		return -1;
	mark_owners_and_orphans(m);
	mark_ranks(priv);
	return groups_build(m);
}
