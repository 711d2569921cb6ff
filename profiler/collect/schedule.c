/* The rules of the collector's schedule: see the header. */
#include "profiler/collect/schedule.h"

#include <stddef.h>

#define MS INT64_C(1000000)
#define S  INT64_C(1000000000)

enum {
	DUTY = 200,         /* a walk is paid for by this many times its duration */
	BORROWED_WALKS = 4, /* edge walks in a row before the debt must be paid */
	CALM_MOST = 3,      /* 8 s */
};
static const int64_t REGULAR_PERIOD_NS = S;
static const int64_t BUDGET_CAP_NS = 40 * MS;
static const int64_t BORROW_NS = 20 * MS;
static const int64_t BUDGET_PART = 125; /* 1/125 of a core: 8 ms a second */

int64_t walk_expected_ns(int64_t rss_bytes)
{
	return 30000 + rss_bytes / 1024 * 4600 / 1024; /* 0.03 ms + 4.6 us a MiB */
}

int walk_is_cheap(int64_t cost_ns)
{
	return cost_ns <= 3 * MS / 10;
}

int walk_allowed(const struct walk_pace *p, int64_t now_ns, enum walk_reason reason)
{
	int64_t period_ns = p->busy ? 2 * DUTY * p->wall_ns : 0;

	if (!p->walks)
		return 1;
	if (reason == WALK_EDGE)
		return now_ns >= p->free_ns - BORROWED_WALKS * DUTY * p->wall_ns;
	if (period_ns < REGULAR_PERIOD_NS)
		period_ns = REGULAR_PERIOD_NS;
	return now_ns >= p->free_ns && now_ns - p->last_ns >= period_ns;
}

void walk_done(struct walk_pace *p, int64_t now_ns, int64_t wall_ns, int64_t rss_bytes)
{
	int64_t from_ns = p->free_ns > now_ns ? p->free_ns : now_ns;

	p->walks++;
	p->busy = wall_ns > 3 * walk_expected_ns(rss_bytes) && wall_ns > MS;
	p->last_ns = now_ns;
	p->wall_ns = wall_ns;
	p->free_ns = from_ns + DUTY * wall_ns;
}

int walk_worthwhile(int64_t changed_bytes, int64_t own_bytes)
{
	const int64_t least = 64 << 10, always = 4 << 20;

	if (changed_bytes < 0)
		changed_bytes = -changed_bytes;
	return changed_bytes >= always ||
	       (changed_bytes >= least && changed_bytes >= own_bytes / 50);
}

void walk_found(struct walk_pace *p, int64_t changed_bytes, int64_t own_bytes)
{
	if (walk_worthwhile(changed_bytes, own_bytes))
		p->calm = 0;
	else if (p->calm < CALM_MOST)
		p->calm++;
}

int walk_looks_again(const struct walk_pace *p, int64_t now_ns)
{
	return now_ns - p->last_ns >= REGULAR_PERIOD_NS << p->calm;
}

void budget_start(struct budget *b, int64_t now_ns, int64_t cpu_ns)
{
	*b = (struct budget){.tokens_ns = BUDGET_CAP_NS, .time_ns = now_ns, .cpu_ns = cpu_ns};
}

void budget_update(struct budget *b, int64_t now_ns, int64_t cpu_ns)
{
	b->tokens_ns += (now_ns - b->time_ns) / BUDGET_PART - (cpu_ns - b->cpu_ns);
	if (b->tokens_ns > BUDGET_CAP_NS)
		b->tokens_ns = BUDGET_CAP_NS;
	if (b->tokens_ns < -BUDGET_CAP_NS)
		b->tokens_ns = -BUDGET_CAP_NS;
	b->time_ns = now_ns;
	b->cpu_ns = cpu_ns;
}

int budget_allows(const struct budget *b, int64_t cost_ns, enum walk_reason reason)
{
	int64_t borrow_ns = reason == WALK_EDGE ? BORROW_NS : 0;

	return b->tokens_ns + borrow_ns >= cost_ns;
}

/* The shortest period of a list ended by 0 at which the cost is at most 1/part of it; else the
 * longest. */
static int64_t affordable(const int64_t *periods, int64_t cost_ns, int64_t part)
{
	while (periods[1] && cost_ns > *periods / part)
		periods++;
	return *periods;
}

struct rates rates_for(int64_t round_cost_ns, int64_t detail_cost_ns, int64_t shm_cost_ns)
{
	static const int64_t rounds[] = {100 * MS, 200 * MS, 500 * MS, S, 0};
	static const int64_t details[] = {S, 2 * S, 5 * S, 0};
	static const int64_t shm[] = {S, 2 * S, 5 * S, 10 * S, 60 * S, 0};

	return (struct rates){
		.round_ns = affordable(rounds, round_cost_ns, 333),
		.detail_ns = affordable(details, detail_cost_ns, 666),
		.shm_ns = affordable(shm, shm_cost_ns, 2000),
	};
}

int64_t cost_average(int64_t average_ns, int64_t measured_ns)
{
	return average_ns ? average_ns + (measured_ns - average_ns) / 8 : measured_ns;
}

int is_representative(int64_t index, int64_t count, uint64_t turn)
{
	int64_t first;

	if (count <= POOL_WALKED_WHOLE)
		return 1;
	first = (int64_t)(turn * POOL_REPRESENTATIVES % (uint64_t)count);
	return (index - first + count) % count < POOL_REPRESENTATIVES;
}
