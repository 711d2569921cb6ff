/*
 * shm-pressure: /dev/shm was nearly full. Batches travel through it, and a worker that finds it full is ended by SIGBUS. Reported when 80 % of it were
 * used and at least a quarter of that by this job: what others put there is not for this job to change.
 */
#include "profiler/model/findings.h"
#include "profiler/model/private.h"

#include <signal.h>

#define FULL_SHARE   0.8
#define URGENT_SHARE 0.95
#define OWN_SHARE    0.25

/* The most that the job's own objects took in one look at them. */
static int64_t own_max(const struct model *m)
{
	const struct tables *t = &m->priv->tables;
	int64_t most = 0;

	for (size_t i = 0; i < t->walks.count; i++) {
		int64_t sum = 0;

		for (size_t k = 0; k < t->walks.items[i].count; k++)
			sum += t->shm.items[t->walks.items[i].first + k].bytes;
		most = sum > most ? sum : most;
	}
	return most;
}

static int count_bus_errors(const struct model *m)
{
	int count = 0;

	for (size_t i = 0; i < m->process_count; i++)
		count += m->processes[i].exit_signal == SIGBUS;
	return count;
}

void find_shm_pressure(const struct model *m, struct finding_sink *sink)
{
	double size = (double)m->shm_size_bytes, used = (double)m->shm_used_max_bytes;
	double own = (double)own_max(m);
	int bus_errors = count_bus_errors(m);
	const struct model_evidence facts[] = {
		{"shm_used_bytes_max", "used", MODEL_BYTES, used, NULL, 0},
		{"shm_size_bytes", "of", MODEL_BYTES, size, NULL, 0},
		{"shm_own_bytes_max", "by this job", MODEL_BYTES, own, NULL, 0},
		{"bus_errors", "processes ended by SIGBUS", MODEL_COUNT, bus_errors, NULL, 0},
	};
	struct model_finding f = {
		.id = "shm-pressure",
		.severity = bus_errors || used >= URGENT_SHARE * size ? MODEL_WARNING
								      : MODEL_NOTICE,
		.title = "/dev/shm is nearly full",
		.text = bus_errors
				? "A process that finds it full is ended by SIGBUS, as happened here."
				: "A process that finds it full is ended by SIGBUS.",
		.brief = "of /dev/shm used: nearly full",
		.bytes = m->shm_used_max_bytes,
		.brief_bytes = m->shm_used_max_bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &m->shm_used_max_ns,
		.moment_count = m->shm_used_max_ns != MODEL_NONE,
	};

	if (m->shm_size_bytes > 0 && used >= FULL_SHARE * size && own >= OWN_SHARE * used)
		finding_report(sink, &f);
}
