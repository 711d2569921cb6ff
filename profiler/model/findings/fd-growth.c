/*
 * fd-growth: a process opens descriptors and keeps them, all along its life. At its limit the next open fails, and with it a batch that comes
 * by descriptor. A warning when half of the limit is used. Where a trainer keeps batches so, what is at stake is the shared memory that they lie in,
 * which is in no figure of its heap.
 */
#include <string.h>

#include "profiler/model/findings.h"
#include "profiler/model/growth.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

enum { WINDOWS = 4, LEAST_FDS = 64 };

/* At the end so many times what it had after its start. */
#define LEAST_FACTOR 1.5

struct leak {
	double rise; /* of the floors: what ranks them */
	double per_minute;
	int64_t fds, at_ns;
	int process;
};

static struct leak leak_of(const struct track *track, int process)
{
	size_t n = track->details.count;
	const struct detail_row *rows = track->details.items;
	struct growth_stretch life;
	struct growth g;

	if (n < WINDOWS)
		return (struct leak){0};
	life = (struct growth_stretch){rows[0].t_ns, rows[n - 1].t_ns + 1};
	growth_begin(&g, &life, 1, WINDOWS);
	for (size_t i = 0; i < n; i++)
		if (rows[i].fds != SESSION_NULL)
			growth_add(&g, rows[i].t_ns, (double)rows[i].fds);
	if (growth_shape(&g, LEAST_FDS) != GROWTH_STEADY ||
	    g.floor[WINDOWS - 1] < LEAST_FACTOR * g.floor[1])
		return (struct leak){0};
	return (struct leak){
		.rise = growth_rise(&g),
		.per_minute = (g.last - g.first) * 60e9 / (double)(life.end_ns - life.start_ns),
		.fds = track->fds_max,
		.at_ns = life.end_ns - 1,
		.process = process,
	};
}

/* The most of shared memory that the process which takes the batches had mapped: what its descriptors are of. 0 when that is too little to be told. */
static int64_t mapped_shm_max(const struct model *m)
{
	const struct tables *t = &m->priv->tables;
	int64_t most = 0;

	for (size_t i = 0; i < t->walks.count; i++) {
		int64_t sum = 0;

		for (size_t k = 0; k < t->walks.items[i].count; k++) {
			const struct shm_row *row = &t->shm.items[t->walks.items[i].first + k];

			sum += row->class == SHM_IN_USE ? row->bytes : 0;
		}
		most = sum > most ? sum : most;
	}
	return most >= threshold_bytes(THRESHOLD_KEPT_BATCHES, m->totals.peak_bytes, 1) ? most : 0;
}

/* A trainer's are likely tensors that came from workers. */
static const char *case_of(const struct model_process *p)
{
	int is_torch = p->role == MODEL_ROLE_OWNER && p->python_state &&
		       !strcmp(p->python_state, "hooked");

	return is_torch ? "tensors" : "";
}

static void report(const struct model *m, struct finding_sink *sink, const struct leak *l,
		   int processes)
{
	const struct model_process *p = &m->processes[l->process];
	int64_t shm = p->role == MODEL_ROLE_OWNER ? mapped_shm_max(m) : 0;
	struct model_evidence facts[5] = {
		{"fds_max", "descriptors open at most", MODEL_COUNT, (double)l->fds, NULL, 0},
		{"fds_per_minute", "more a minute", MODEL_COUNT, l->per_minute, NULL, 0},
		{"processes", "processes do so", MODEL_COUNT, processes, NULL, 0},
		{"fd_limit", "allowed (ulimit -n)", MODEL_COUNT, (double)p->fd_limit, NULL, 0},
	};
	int has_limit = p->fd_limit != MODEL_NONE;
	size_t count = has_limit ? 4 : 3;
	struct model_finding f = {
		.id = "fd-growth",
		.severity = has_limit && 2 * l->fds >= p->fd_limit ? MODEL_WARNING : MODEL_NOTICE,
		.title = finding_text(sink, "Process %lld opens descriptors and keeps them",
				      (long long)p->pid),
		.text = has_limit ? finding_text(sink,
						 "%lld of %lld that it may have open were open.",
						 (long long)l->fds, (long long)p->fd_limit)
				  : "",
		.brief = finding_text(sink, "%lld descriptors of process %lld, more all the time",
				      (long long)l->fds, (long long)p->pid),
		.evidence = facts,
		.moments = &l->at_ns,
		.moment_count = 1,
	};

	if (shm) {
		facts[count++] = (struct model_evidence){"shared_batch_bytes_max",
							 "shared memory of batches it has mapped",
							 MODEL_BYTES,
							 (double)shm,
							 NULL,
							 1};
		f.bytes = shm;
		if (f.severity == MODEL_NOTICE)
			f.severity = threshold_severity(
				THRESHOLD_KEPT_BATCHES, shm, 1,
				finding_severity(m, shm, l->at_ns, m->totals.peak_bytes - shm));
	}
	f.evidence_count = count;
	finding_advise(m, &f, case_of(p));
	finding_report(sink, &f);
}

void find_fd_growth(const struct model *m, struct finding_sink *sink)
{
	struct leak worst = {0};
	int processes = 0;

	for (size_t i = 0; i < m->process_count; i++) {
		struct leak l = leak_of(&m->priv->tables.tracks.items[i], (int)i);

		processes += l.rise > 0;
		if (l.rise > worst.rise)
			worst = l;
	}
	if (processes)
		report(m, sink, &worst, processes);
}
