/*
 * allocator-retention: memory that a process freed stays resident in its allocator. Private memory that nothing explains is no proof: a
 * program may map memory unseen. So what is reported is at most the fall of its live heap since its highest, and only when it stays so
 * from one reading of the counters to another a second later or more. Where a process was asked to trim (--trim-test) what came back is
 * measured, and the estimate counts only after that.
 */
#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/thresholds.h"

#define LEAST_SHARE 0.3
#define LEAST_NS    INT64_C(1000000000)

struct kept {
	int64_t bytes, live_bytes, private_bytes; /* at the moment when most was kept */
	int64_t at_ns, ns;
	int process;
	int tests; /* of its allocator; 0 = an estimate */
};

static int64_t least_bytes(const struct model *m)
{
	return threshold_bytes(THRESHOLD_ALLOCATOR, m->totals.peak_bytes, 1);
}

static int is_told(const struct model *m, const struct kept *k)
{
	return k->bytes >= least_bytes(m) &&
	       (double)k->bytes >= LEAST_SHARE * (double)k->private_bytes;
}

/* What the allocator keeps when its counters were read. */
static struct kept kept_at(const struct heap_row *heap, const struct figures *f, int64_t highest)
{
	int64_t fell = highest - heap->live_bytes;
	int64_t unexplained =
		f->private_anon_bytes - heap->live_bytes - heap->mapped_bytes - f->unshared_bytes;

	return (struct kept){.bytes = fell < unexplained ? fell : unexplained,
			     .live_bytes = heap->live_bytes,
			     .private_bytes = f->private_bytes,
			     .at_ns = heap->t_ns};
}

/* The most that was kept from one reading to another after a moment; bytes 0 = nothing. */
static struct kept most_estimated(const struct model *m, int process, int64_t after_ns)
{
	const struct tables *t = &m->priv->tables;
	const struct track *track = &t->tracks.items[process];
	struct kept most = {.process = process}, now;
	struct series_cursor cursor = {0};
	struct figures figures;
	int64_t since_ns = MODEL_NONE, highest = 0;

	for (size_t i = 0; i < track->heaps.count; i++) {
		const struct heap_row *heap = &track->heaps.items[i];

		if (heap->t_ns <= after_ns)
			continue;
		highest = heap->live_bytes > highest ? heap->live_bytes : highest;
		if (highest < least_bytes(m))
			continue;
		series_advance(track, heap->t_ns, &cursor);
		series_figures(t, process, &cursor, heap->t_ns, &figures);
		now = kept_at(heap, &figures, highest);
		if (!is_told(m, &now)) {
			since_ns = MODEL_NONE;
			continue;
		}
		since_ns = since_ns == MODEL_NONE ? now.at_ns : since_ns;
		now.ns = now.at_ns - since_ns;
		now.process = process;
		if (now.ns >= LEAST_NS && now.bytes >= most.bytes)
			most = now;
	}
	return most;
}

static int64_t live_at(const struct track *track, int64_t t_ns)
{
	int64_t live = 0;

	for (size_t i = 0; i < track->heaps.count && track->heaps.items[i].t_ns <= t_ns; i++)
		live = track->heaps.items[i].live_bytes;
	return live;
}

/* The most that a process gave back when it was asked to, if that is enough to be told. *last_ns: its last test. */
static struct kept most_measured(const struct model *m, int process, int64_t *last_ns)
{
	const struct tables *t = &m->priv->tables;
	struct kept most = {.process = process};

	*last_ns = MODEL_NONE;
	for (size_t i = 0; m->trims && i < t->events.count; i++) {
		const struct event_row *e = &t->events.items[i];

		if (e->kind != EVENT_TRIM || e->process != process || e->value <= 0 ||
		    e->value2 < 0)
			continue;
		*last_ns = e->t_ns;
		most.tests++;
		if (e->value - e->value2 <= most.bytes)
			continue;
		most.bytes = e->value - e->value2;
		most.private_bytes = e->value;
		most.at_ns = e->t_ns;
	}
	if (!is_told(m, &most))
		return (struct kept){0};
	most.live_bytes = live_at(&t->tracks.items[process], most.at_ns);
	return most;
}

static void report(const struct model *m, struct finding_sink *sink, const struct kept *k)
{
	const struct model_process *p = &m->processes[k->process];
	int measured = k->tests > 0;
	const struct model_evidence facts[] = {
		{"kept_bytes", measured ? "malloc_trim gave back" : "freed and kept", MODEL_BYTES,
		 (double)k->bytes, NULL, 0},
		{"live_heap_bytes", "allocated then", MODEL_BYTES, (double)k->live_bytes, NULL, 0},
		{"private_bytes", "its private memory then", MODEL_BYTES, (double)k->private_bytes,
		 NULL, 0},
		measured ? (struct model_evidence){"trim_tests", "times it was tested", MODEL_COUNT,
						   k->tests, NULL, 0}
			 : (struct model_evidence){"seconds", "for", MODEL_SECONDS,
						   (double)k->ns / 1e9, NULL, 0},
	};
	int64_t at_peak = m->peak.allocator < k->bytes ? m->peak.allocator : k->bytes;
	struct model_finding f = {
		.id = "allocator-retention",
		.severity = threshold_severity(THRESHOLD_ALLOCATOR, k->bytes, 1,
					       finding_severity(m, k->bytes, k->ns,
								m->totals.peak_bytes - at_peak)),
		.title = "Freed memory stays with the allocator",
		.text = finding_text(
			sink,
			measured ? "Measured: process %lld had freed it and occupied it until its "
				   "allocator was told to give it back. No leak."
				 : "Process %lld freed it and still occupies it: no leak, and it "
				   "will be used again before more is taken.",
			(long long)p->pid),
		.brief = finding_text(sink, "freed by process %lld, kept by its allocator",
				      (long long)p->pid),
		.brief_bytes = k->bytes,
		.bytes = k->bytes,
		.evidence = facts,
		.evidence_count = sizeof(facts) / sizeof(facts[0]),
		.moments = &k->at_ns,
		.moment_count = 1,
	};

	finding_report(sink, &f);
}

void find_allocator_retention(const struct model *m, struct finding_sink *sink)
{
	struct kept most = {0};

	for (size_t i = 0; i < m->process_count; i++) {
		int64_t tested_ns;
		struct kept measured = most_measured(m, (int)i, &tested_ns);
		struct kept estimated = most_estimated(m, (int)i, tested_ns);

		most = measured.bytes > most.bytes ? measured : most;
		most = estimated.bytes > most.bytes ? estimated : most;
	}
	if (most.bytes)
		report(m, sink, &most);
}
