/* Runs every finding of findings.def over the model and keeps what they report, worst first. */
#include "profiler/model/findings.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/model/private.h"

const struct finding_kind finding_kinds[] = {
#define FINDING(function, id, summary) {id, summary, function},
#include "profiler/model/findings.def"
#undef FINDING
};
const size_t finding_kind_count = sizeof(finding_kinds) / sizeof(finding_kinds[0]);

struct finding_sink {
	const struct model *m;
	struct model_private *priv;
	int failed;
};

static const char *const severity_names[] = {
	[MODEL_NOTICE] = "notice", [MODEL_WARNING] = "warning", [MODEL_ERROR] = "error"};

const char *model_severity_name(enum model_severity severity)
{
	return severity_names[severity];
}

enum model_severity finding_severity(const struct model *m, int64_t bytes, int64_t held_ns,
				     int64_t peak_without)
{
	double peak = (double)m->totals.peak_bytes, limit = (double)m->totals.limit_bytes;

	if (m->oom_killed)
		return MODEL_ERROR;
	if (m->totals.limit_bytes != MODEL_NONE && peak >= 0.9 * limit &&
	    (double)peak_without < 0.9 * limit)
		return MODEL_ERROR;
	if ((double)bytes >= 0.05 * peak)
		return MODEL_WARNING;
	if (bytes >= INT64_C(256) << 20 && (double)held_ns >= 0.05 * (double)m->totals.duration_ns)
		return MODEL_WARNING;
	return MODEL_NOTICE;
}

const char *finding_text(struct finding_sink *sink, const char *format, ...)
{
	const char *kept;
	va_list args;

	va_start(args, format);
	kept = strings_vformat(&sink->priv->tables.strings, format, args);
	va_end(args);
	return kept;
}

const char *finding_process(struct finding_sink *sink, const struct model *m, int process)
{
	const struct model_process *p = &m->processes[process];
	const struct model_pool *pool = p->pool < 0 ? NULL : &m->pools[p->pool];
	int64_t rank = pool ? pool->rank : owner_rank(m, process);
	const char *text = rank == MODEL_NONE
				   ? finding_text(sink, "process %lld", (long long)p->pid)
				   : finding_text(sink, "rank %lld, process %lld", (long long)rank,
						  (long long)p->pid);

	if (!pool)
		return text;
	return finding_text(sink, "worker %lld of %s, %s", (long long)p->worker_id, pool->name,
			    text);
}

int finding_round_before(const struct model *m, int64_t t_ns)
{
	int round = t_ns == MODEL_NONE ? -1 : model_round_at(m, t_ns - 1), last = round;

	while (round >= 0 && m->rounds[round].incomplete)
		round--;
	return round >= 0 ? round : last;
}

int finding_is_released(const struct model *m, const int *pools, size_t count)
{
	int releasable = 0;

	for (size_t i = 0; i < count; i++)
		releasable |= m->pools[pools[i]].releasable;
	return releasable && !m->released;
}

/* A copy that is freed when the findings are made anew. */
static void *copy(struct finding_sink *sink, const void *from, size_t count, size_t bytes)
{
	void *to = count ? malloc(count * bytes) : NULL;
	void **block;

	if (!count)
		return NULL;
	block = to ? array_add(&sink->priv->blocks) : NULL;
	if (!block) {
		free(to);
		sink->failed = 1;
		return NULL;
	}
	*block = to;
	return memcpy(to, from, count * bytes);
}

static const char *keep(struct finding_sink *sink, const char *text)
{
	return strings_keep(&sink->priv->tables.strings, text ? text : "");
}

void finding_report(struct finding_sink *sink, const struct model_finding *from)
{
	struct model_finding *to = array_add(&sink->priv->findings);
	struct model_evidence *evidence;

	if (!to) {
		sink->failed = 1;
		return;
	}
	*to = *from;
	if (!to->advice)
		finding_advise(sink->m, to, "");
	to->title = keep(sink, from->title);
	to->text = keep(sink, from->text);
	to->brief = keep(sink, from->brief);
	to->advice = keep(sink, to->advice);
	to->framework = keep(sink, to->framework);
	evidence = copy(sink, from->evidence, from->evidence_count, sizeof(*evidence));
	for (size_t i = 0; evidence && i < from->evidence_count; i++) {
		evidence[i].label = keep(sink, evidence[i].label);
		evidence[i].text = evidence[i].text ? keep(sink, evidence[i].text) : NULL;
		evidence[i].key = keep(sink, evidence[i].key);
	}
	to->evidence = evidence;
	to->moments = copy(sink, from->moments, from->moment_count, sizeof(*from->moments));
	to->pools = copy(sink, from->pools, from->pool_count, sizeof(*from->pools));
}

static int worst_first(const void *a, const void *b)
{
	const struct model_finding *x = a, *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->leads != y->leads)
		return x->leads ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return strcmp(x->id, y->id);
}

int findings_build(struct model *m)
{
	struct model_private *priv = m->priv;
	struct finding_sink sink = {.m = m, .priv = priv};

	for (size_t i = 0; i < priv->blocks.count; i++)
		free(priv->blocks.items[i]);
	priv->blocks.count = 0;
	priv->findings.count = 0;
	for (size_t i = 0; i < finding_kind_count; i++)
		finding_kinds[i].find(m, &sink);
	if (priv->findings.count)
		qsort(priv->findings.items, priv->findings.count, sizeof(*priv->findings.items),
		      worst_first);
	m->findings = priv->findings.items;
	m->finding_count = priv->findings.count;
	return sink.failed ? -1 : 0;
}
