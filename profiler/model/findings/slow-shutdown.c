/*
 * slow-shutdown: workers took seconds to leave after they were told to, and the loop waited for them. Reported when a pool took two seconds or
 * more; ending idle workers takes a few hundredths. Needs the edge "pool-closing": without it nothing is known, and nothing reported.
 */
#include "profiler/format_time.h"
#include "profiler/model/findings.h"
#include "profiler/model/private.h"

#include <signal.h>

#define LEAST_NS  INT64_C(2000000000)
#define RUN_SHARE 0.05

struct slow {
	ARRAY(int) pools;
	int worst; /* pool */
	int64_t ns, worst_ns;
	int forced; /* workers that did not leave by themselves */
};

static int64_t shutdown_ns(const struct model_pool *pool)
{
	if (pool->closing_ns == MODEL_NONE || pool->end_ns == MODEL_NONE || !pool->member_count)
		return 0;
	return pool->end_ns - pool->closing_ns;
}

static int count_forced(const struct model *m, const struct model_pool *pool)
{
	int forced = 0;

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct model_process *p = &m->processes[pool->members[i]];

		forced += p->ended_ns != MODEL_NONE && p->ended_ns >= pool->closing_ns &&
			  (p->exit_signal == SIGTERM || p->exit_signal == SIGKILL);
	}
	return forced;
}

/* The worker that was the last to leave; -1 = not seen. */
static int last_to_leave(const struct model *m, const struct model_pool *pool)
{
	int last = -1;

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct model_process *p = &m->processes[pool->members[i]];

		if (p->ended_ns != MODEL_NONE &&
		    (last < 0 || p->ended_ns > m->processes[last].ended_ns))
			last = pool->members[i];
	}
	return last;
}

static int64_t held_while_leaving(const struct model *m, int pool)
{
	int round = model_round_at(m, m->pools[pool].closing_ns);
	const struct pool_point *point = round < 0 ? NULL
						   : pool_point_at(m, (size_t)pool, (size_t)round);

	return point ? point->private_bytes : 0;
}

static void measure(const struct model *m, struct slow *s)
{
	s->worst = -1;
	for (size_t i = 0; i < m->pool_count; i++) {
		int64_t ns = shutdown_ns(&m->pools[i]);
		int *index = ns >= LEAST_NS ? array_add(&s->pools) : NULL;

		if (!index)
			continue;
		*index = (int)i;
		s->ns += ns;
		s->forced += count_forced(m, &m->pools[i]);
		if (ns > s->worst_ns) {
			s->worst_ns = ns;
			s->worst = (int)i;
		}
	}
}

static void report(const struct model *m, struct finding_sink *sink, const struct slow *s)
{
	const struct model_pool *pool = &m->pools[s->worst];
	int last = last_to_leave(m, pool);
	char longest[FORMAT_MAX];
	int64_t bytes = held_while_leaving(m, s->worst);
	const struct model_evidence facts[] = {
		{"shutdown_seconds_max", "one pool", MODEL_SECONDS, (double)s->worst_ns / 1e9, NULL,
		 0},
		{"shutdown_seconds", "in all", MODEL_SECONDS, (double)s->ns / 1e9, NULL, 0},
		{"pools", "pools", MODEL_COUNT, (double)s->pools.count, NULL, 0},
		{"workers_ended_by_signal", "workers ended by a signal", MODEL_COUNT, s->forced,
		 NULL, 0},
		{"private_bytes", "held while they left", MODEL_BYTES, (double)bytes, NULL, 0},
	};
	struct model_finding f = {
		.id = "slow-shutdown",
		.title = "Workers take seconds to end, and the loop waits for them",
		.severity = (double)s->ns >= RUN_SHARE * (double)m->totals.duration_ns
				    ? MODEL_WARNING
				    : MODEL_NOTICE,
		.bytes = bytes,
		.brief_bytes = bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &pool->closing_ns,
		.moment_count = 1,
		.pools = s->pools.items,
		.pool_count = s->pools.count,
	};

	f.brief = finding_text(sink, "held by %s while its workers took %s to end", pool->name,
			       format_duration(longest, s->worst_ns));
	f.text = last < 0 ? ""
			  : finding_text(
				    sink,
				    "The last to leave was worker %lld of %s, process %lld, %s "
				    "after it was told to.%s",
				    (long long)m->processes[last].worker_id, pool->name,
				    (long long)m->processes[last].pid, longest,
				    s->forced
					    ? " Its owner gave up waiting and ended it by a signal."
					    : "");
	finding_report(sink, &f);
}

void find_slow_shutdown(const struct model *m, struct finding_sink *sink)
{
	struct slow s = {0};

	measure(m, &s);
	if (s.worst >= 0)
		report(m, sink, &s);
	array_release(&s.pools);
}
