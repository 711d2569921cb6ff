/* Groups of plain forks: see the header. */
#include "profiler/collect/forks.h"

#include <stdio.h>
#include <string.h>

/* Younger ones may be about to exec, or a pool may be about to name them. */
#define STAYS_NS INT64_C(1000000000)

/* What a shell forks is a part of its script. */
static int is_shell(const struct process *p)
{
	static const char *const shells[] = {"sh", "bash", "dash", "ash", "zsh", "ksh", "fish"};
	size_t length = strcspn(p->cmdline, " ");
	const char *name = p->cmdline;

	for (const char *c = name; c < p->cmdline + length; c++)
		if (*c == '/' || (*c == '-' && c == p->cmdline))
			name = c + 1;
	length -= (size_t)(name - p->cmdline);
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++)
		if (strlen(shells[i]) == length && !strncmp(name, shells[i], length))
			return 1;
	return 0;
}

static int belongs(const struct process *p, int64_t now_ns)
{
	return p->role == ROLE_CHILD && p->forked && !p->claimed && p->parent && !p->exiting &&
	       p->instrumented + p->parent->instrumented > 0 && now_ns - p->born_ns >= STAYS_NS &&
	       p->parent->role != ROLE_FORKSERVER && !is_shell(p->parent);
}

/* The parent, or whom it came from. */
static struct process *living_owner(const struct process *p)
{
	struct process *owner = p->parent;

	while (owner && owner->state != PROCESS_ALIVE)
		owner = owner->parent;
	return owner;
}

static void write_label(char *out, size_t size, const char *site)
{
	if (*site)
		snprintf(out, size, "fork %s", site);
	else
		snprintf(out, size, "forked");
}

static struct pool *find_group(const struct pools *ps, const struct process *owner,
			       const char *label)
{
	for (size_t i = 0; i < ps->count; i++) {
		struct pool *pool = ps->items[i];

		if (pool->owner == owner && !pool->id && pool_is_group(pool) && !pool->over &&
		    !strcmp(pool->last.row.label, label))
			return pool;
	}
	return NULL;
}

struct place {
	struct process *owner;
	const char *site;
	char label[LOOPMEM_LABEL];
};

static struct pool *make_group(struct pools *ps, struct job *j, const struct process *first,
			       const struct place *place)
{
	struct loopmem_pool_row row = {
		.state = LOOPMEM_POOL_STARTING,
		.start = POOL_START_FORK,
		.flags = POOL_FLAG_GROUP,
		.epoch = POOL_UNKNOWN,
		.workers = POOL_UNKNOWN,
		.batch_size = POOL_UNKNOWN,
		.prefetch = POOL_UNKNOWN,
		.expected_batches = POOL_UNKNOWN,
		.begin_ns = (uint64_t)(j->recorder->clock_ns + first->born_ns),
	};

	snprintf(row.label, sizeof(row.label), "%s", place->label);
	snprintf(row.origin, sizeof(row.origin), "%s", place->site);
	return pools_add_forks(ps, j, place->owner, &row);
}

void forks_settle(struct pools *ps, struct job *j, struct fork_names *names, int64_t now_ns)
{
	for (size_t i = 0; i < j->count; i++) {
		struct process *p = j->items[i];
		struct place place;
		struct pool *group;

		if (p->state != PROCESS_ALIVE || !belongs(p, now_ns))
			continue;
		process_look_again(p); /* an exec that no shim told of */
		place.owner = living_owner(p);
		if (!belongs(p, now_ns) || !place.owner)
			continue;
		place.site = fork_names_of(names, p);
		write_label(place.label, sizeof(place.label), place.site);
		group = find_group(ps, place.owner, place.label);
		if (!group)
			group = make_group(ps, j, p, &place);
		if (group)
			pool_add_untold_worker(group, j, p);
	}
}
