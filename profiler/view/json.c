/* The report as JSON: docs/report-json.md is the contract. Unknown is null; seconds are numbers since the start; bytes are integers. */
#include "profiler/view/json.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/model/node.h"
#include "profiler/view/json_parts.h"
#include "profiler/view/json_values.h"
#include "profiler/view/report.h"
#include "profiler/view/words.h"

static json_t *command_json(const struct model *m)
{
	json_t *words = json_array();

	for (size_t i = 0; i < m->argc; i++)
		json_array_append_new(words, json_text(m->argv[i]));
	return words;
}

static const char *end_word(enum model_end end)
{
	static const char *const words[] = {
		[MODEL_RUNNING] = "running",
		[MODEL_EXITED] = "exited",
		[MODEL_KILLED] = "killed",
		[MODEL_UNKNOWN_END] = "unknown",
	};

	return words[end];
}

static json_t *exit_json(const struct model *m)
{
	return json_pack("{s:s, s:o, s:o, s:b}", "state", end_word(m->end), "code",
			 json_count(m->exit_code), "signal", json_count(m->exit_signal),
			 "oom_killed", m->oom_killed);
}

static json_t *totals_json(const struct model_totals *t)
{
	json_t *o = json_object();

	json_object_set_new(o, "peak_pss_bytes", json_integer(t->peak_bytes));
	json_object_set_new(o, "peak_at_s", json_seconds(t->peak_at_ns));
	json_object_set_new(o, "peak_rss_sum_bytes", json_integer(t->peak_rss_sum_bytes));
	json_object_set_new(o, "peak_pss_bytes_without_idle",
			    json_integer(t->peak_without_idle_bytes));
	json_object_set_new(o, "peak_without_idle_at_s", json_seconds(t->peak_without_idle_at_ns));
	json_object_set_new(o, "peak_pss_bytes_with_release",
			    json_integer(t->peak_with_release_bytes));
	json_object_set_new(o, "idle_retained_bytes_max", json_integer(t->idle_max_bytes));
	json_object_set_new(o, "idle_retained_max_at_s", json_seconds(t->idle_max_at_ns));
	json_object_set_new(o, "idle_retained_seconds", json_seconds(t->idle_ns));
	json_object_set_new(o, "idle_retained_byte_seconds", json_real(t->idle_byte_seconds));
	json_object_set_new(o, "idle_retained_average_bytes", json_integer(t->idle_average_bytes));
	json_object_set_new(o, "overlap_bytes_max", json_integer(t->overlap_max_bytes));
	json_object_set_new(o, "overlaps", json_integer(t->overlaps));
	json_object_set_new(o, "overlap_seconds", json_seconds(t->overlap_ns));
	json_object_set_new(o, "parked_batch_bytes_max", json_integer(t->parked_batch_max_bytes));
	json_object_set_new(o, "released_pools", json_integer(t->released_pools));
	json_object_set_new(o, "released_bytes_max", json_integer(t->released_max_bytes));
	json_object_set_new(o, "pools_alive_max", json_integer(t->pools_alive_max));
	json_object_set_new(o, "limit_bytes", json_count(t->limit_bytes));
	json_object_set_new(o, "limit_source", json_text_or_null(t->limit_source));
	return o;
}

/* The gaps between phases are not phases. */
static json_t *phases_json(const struct model *m)
{
	json_t *phases = json_array();

	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *p = &m->phases[i];
		json_t *o = json_object();

		if (p->between) {
			json_decref(o);
			continue;
		}
		json_object_set_new(o, "stage", json_string(model_stage_name(p->stage)));
		json_object_set_new(o, "epoch", json_count(p->epoch));
		json_object_set_new(o, "name", json_text(p->name));
		json_object_set_new(o, "owner_pid", json_integer(m->processes[p->owner].pid));
		json_object_set_new(o, "start_s", json_seconds(p->start_ns));
		json_object_set_new(o, "end_s", json_seconds(p->end_ns));
		json_object_set_new(o, "peak_pss_bytes", json_integer(p->peak_bytes));
		json_object_set_new(o, "stall_s", json_seconds(p->stall_ns));
		json_array_append_new(phases, o);
	}
	return phases;
}

static json_t *evidence_json(const struct model_finding *f)
{
	json_t *o = json_object();

	for (size_t i = 0; i < f->evidence_count; i++) {
		const struct model_evidence *e = &f->evidence[i];
		json_t *value = e->kind == MODEL_TEXT ? json_text(e->text)
				: e->kind == MODEL_BYTES || e->kind == MODEL_COUNT ||
						e->kind == MODEL_PID
					? json_integer((json_int_t)e->value)
					: json_real(e->value);

		json_object_set_new(o, e->key, value);
	}
	return o;
}

/* Flat, for the table of findings. */
static void set_line(json_t *o, const struct model *m, const struct model_finding *f)
{
	const struct model_line *line = f->line_bytes ? &m->lines[f->line] : NULL;

	json_object_set_new(o, "site_function", json_text(line ? line->function : NULL));
	json_object_set_new(o, "site_file", json_text(line ? line->file : NULL));
	json_object_set_new(o, "site_line",
			    line && line->line ? json_integer(line->line) : json_null());
	json_object_set_new(o, "site_bytes", line ? json_integer(f->line_bytes) : json_null());
}

static json_t *finding_json(const struct model *m, const struct model_finding *f)
{
	json_t *o = json_object(), *pools = json_array(), *moments = json_array();
	char advice[WORDS_MAX];

	for (size_t k = 0; k < f->pool_count; k++)
		json_array_append_new(pools, json_integer(m->pools[f->pools[k]].number));
	for (size_t k = 0; k < f->moment_count; k++)
		json_array_append_new(moments, json_seconds(f->moments[k]));
	json_object_set_new(o, "id", json_text(f->id));
	json_object_set_new(o, "severity", json_string(model_severity_name(f->severity)));
	json_object_set_new(o, "title", json_text(f->title));
	json_object_set_new(o, "text", json_text(f->text));
	json_object_set_new(o, "bytes", json_integer(f->bytes));
	set_line(o, m, f);
	json_object_set_new(o, "evidence", evidence_json(f));
	json_object_set_new(o, "advice", json_text(words_advice(advice, sizeof(advice), m, f)));
	json_object_set_new(o, "framework", json_text_or_null(f->framework));
	json_object_set_new(o, "release_helps", json_boolean(f->release_helps));
	json_object_set_new(o, "pools", pools);
	json_object_set_new(o, "moments_s", moments);
	return o;
}

static json_t *findings_json(const struct model *m)
{
	json_t *findings = json_array();

	for (size_t i = 0; i < m->finding_count; i++)
		json_array_append_new(findings, finding_json(m, &m->findings[i]));
	return findings;
}

static json_t *peak_json(const struct model *m)
{
	const struct model_composition *c = &m->peak;
	json_t *o = json_object();

	json_object_set_new(o, "live_heap_bytes", json_integer(c->live_heap));
	json_object_set_new(o, "unshared_bytes", json_integer(c->unshared));
	json_object_set_new(o, "allocator_bytes", json_integer(c->allocator));
	json_object_set_new(o, "files_bytes", json_integer(c->files));
	json_object_set_new(o, "parked_batch_bytes", json_integer(c->parked));
	json_object_set_new(o, "shm_bytes", json_integer(c->shm));
	json_object_set_new(o, "other_bytes", json_integer(c->other));
	return o;
}

/* null where no limit, or no pool of workers, is known. */
static json_t *capacity_json(const struct model_capacity *c)
{
	json_t *o;

	if (c->workers == MODEL_NONE)
		return json_null();
	o = json_object();
	json_object_set_new(o, "stage",
			    c->stage < 0
				    ? json_null()
				    : json_string(model_stage_name((enum model_stage)c->stage)));
	json_object_set_new(o, "workers", json_integer(c->workers));
	json_object_set_new(o, "as_it_runs", json_integer(c->as_it_runs));
	json_object_set_new(o, "idle_released", json_integer(c->idle_released));
	json_object_set_new(o, "worker_bytes", json_integer(c->worker_bytes));
	return o;
}

static json_t *reconciliation_json(const struct model_reconciliation *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "at_s", json_seconds(r->at_ns));
	json_object_set_new(o, "live_heap_bytes", json_integer(r->heap_bytes));
	json_object_set_new(o, "private_bytes", json_integer(r->private_bytes));
	json_object_set_new(o, "pss_bytes", json_integer(r->proportional_bytes));
	json_object_set_new(o, "unmapped_shm_bytes", json_integer(r->unmapped_shm_bytes));
	json_object_set_new(o, "cgroup_bytes", json_count(r->cgroup_bytes));
	json_object_set_new(o, "cgroup_page_cache_bytes", json_count(r->cgroup_file_bytes));
	json_object_set_new(o, "cgroup_kernel_bytes", json_count(r->cgroup_kernel_bytes));
	json_object_set_new(o, "unexplained_bytes", json_count(r->unexplained_bytes));
	return o;
}

static json_t *notes_json(const struct model *m)
{
	json_t *notes = json_array();

	for (size_t i = 0; i < m->note_count; i++)
		json_array_append_new(notes, json_pack("{s:o, s:o, s:I}", "level",
						       json_text(m->notes[i].level), "text",
						       json_text(m->notes[i].text), "count",
						       (json_int_t)m->notes[i].count));
	return notes;
}

static void set_run(json_t *o, const struct model *m)
{
	json_object_set_new(o, "schema", json_integer(JSON_SCHEMA));
	json_object_set_new(o, "loopmem_version", json_text_or_null(m->version));
	json_object_set_new(o, "file", json_text(m->file));
	json_object_set_new(o, "command", command_json(m));
	json_object_set_new(o, "host", json_text_or_null(m->host));
	json_object_set_new(o, "kernel", json_text_or_null(m->kernel));
	json_object_set_new(o, "started_unix_s", json_seconds(m->started_unix_ns));
	json_object_set_new(o, "duration_s", json_seconds(m->totals.duration_ns));
	json_object_set_new(o, "exit", exit_json(m));
	json_object_set_new(o, "complete", json_boolean(m->complete));
	json_object_set_new(o, "damage", json_text(m->damage));
	json_object_set_new(o, "released", json_boolean(m->released));
}

json_t *json_of_session(const struct model *m)
{
	json_t *o = json_object();
	double wall = m->collector_wall_seconds;

	set_run(o, m);
	json_object_set_new(o, "totals", totals_json(&m->totals));
	json_object_set_new(o, "workers_that_fit", capacity_json(&m->capacity));
	json_object_set_new(o, "peak", peak_json(m));
	json_object_set_new(o, "owners", json_owners(m));
	json_object_set_new(o, "pools", json_pools(m));
	json_object_set_new(o, "other_processes", json_others(m));
	json_object_set_new(o, "phases", phases_json(m));
	json_object_set_new(o, "sites", json_sites(m));
	json_object_set_new(o, "findings", findings_json(m));
	json_object_set_new(o, "reconciliation", reconciliation_json(&m->reconciliation));
	json_object_set_new(o, "overhead",
			    json_pack("{s:f, s:f, s:f, s:I, s:I}", "cpu_seconds",
				      m->collector_cpu_seconds, "wall_seconds", wall, "cpu_ratio",
				      wall > 0 ? m->collector_cpu_seconds / wall : 0.0,
				      "memory_bytes", (json_int_t)m->collector_memory_bytes,
				      "samples", (json_int_t)m->samples));
	json_object_set_new(o, "loss",
			    json_pack("{s:I, s:I, s:o, s:o}", "dropped_events",
				      (json_int_t)m->dropped, "skipped_samples",
				      (json_int_t)m->skipped, "thinned_before_s",
				      json_seconds(m->thinned_before_ns), "thinned_span_s",
				      json_seconds(m->thinned_span_ns)));
	json_object_set_new(o, "notes", notes_json(m));
	return o;
}

static json_t *node_json(struct model *const *models, size_t count)
{
	struct node node;
	json_t *o;

	if (node_sum(&node, models, count) < 0)
		return NULL;
	o = json_object();
	json_object_set_new(o, "host", json_text_or_null(node.host));
	json_object_set_new(o, "sessions", json_integer((json_int_t)count));
	json_object_set_new(o, "started_unix_s", json_seconds(node.start_unix_ns));
	json_object_set_new(o, "duration_s", json_seconds(node.duration_ns));
	json_object_set_new(o, "peak_pss_bytes", json_integer(node.peak_bytes));
	json_object_set_new(o, "peak_at_s", json_seconds(node.peak_at_ns));
	json_object_set_new(o, "peak_pss_bytes_without_idle",
			    json_integer(node.peak_without_idle_bytes));
	json_object_set_new(o, "peak_pss_bytes_with_release",
			    json_integer(node.peak_with_release_bytes));
	json_object_set_new(o, "idle_retained_bytes_max", json_integer(node.idle_max_bytes));
	json_object_set_new(o, "idle_retained_average_bytes",
			    json_integer(node.idle_average_bytes));
	json_object_set_new(o, "limit_bytes", json_count(node.limit_bytes));
	json_object_set_new(o, "limit_source", json_text_or_null(node.limit_source));
	node_release(&node);
	return o;
}

/* One entry per machine, in the order in which they were named first. */
static json_t *nodes_json(struct model *const *models, size_t count)
{
	struct model **here = calloc(count, sizeof(struct model *));
	json_t *nodes = json_array();

	for (size_t i = 0; here && i < count; i++) {
		size_t n = 0, earlier = 0;

		for (size_t k = 0; k < count; k++) {
			if (strcmp(models[k]->host, models[i]->host))
				continue;
			earlier += k < i;
			here[n++] = models[k];
		}
		if (!earlier)
			json_array_append_new(nodes, node_json(here, n));
	}
	free(here);
	return nodes;
}

static json_t *job_json(struct model *const *models, size_t count)
{
	json_t *o = json_object(), *ranks = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(ranks, json_of_session(models[i]));
	json_object_set_new(o, "schema", json_integer(JSON_SCHEMA));
	json_object_set_new(o, "nodes", nodes_json(models, count));
	json_object_set_new(o, "ranks", ranks);
	return o;
}

static json_t *what_if_json(const struct what_if *w, const struct what_if_result *r,
			    const struct model_totals *now)
{
	json_t *o = json_object(), *workers = json_object(), *prefetch = json_object();

	for (int i = 0; i < MODEL_STAGES; i++) {
		const char *stage = model_stage_name((enum model_stage)i);

		if (w->workers[i] != MODEL_NONE)
			json_object_set_new(workers, stage, json_integer(w->workers[i]));
		if (w->prefetch[i] != MODEL_NONE)
			json_object_set_new(prefetch, stage, json_integer(w->prefetch[i]));
	}
	json_object_set_new(o, "workers", workers);
	json_object_set_new(o, "prefetch", prefetch);
	json_object_set_new(o, "peak_pss_bytes", json_integer(r->peak_bytes));
	json_object_set_new(o, "peak_pss_bytes_measured", json_integer(now->peak_bytes));
	json_object_set_new(o, "peak_pss_bytes_shared_out", json_integer(r->peak_shared_out_bytes));
	json_object_set_new(o, "peak_pss_bytes_with_release",
			    json_integer(r->peak_with_release_bytes));
	json_object_set_new(o, "peak_error_ratio", json_real(WHAT_IF_PEAK_ERROR));
	json_object_set_new(o, "stall_s", json_seconds(r->stall_ns));
	json_object_set_new(o, "stall_s_measured", json_seconds(r->stall_before_ns));
	json_object_set_new(o, "stall_at_most", json_boolean(r->stall_at_most));
	json_object_set_new(o, "stall_error_ratio",
			    json_real(r->computing ? WHAT_IF_STALL_ERROR_CPU
						   : WHAT_IF_STALL_ERROR));
	json_object_set_new(o, "cpu_limited", json_boolean(r->limited_cpu_s > 0));
	json_object_set_new(o, "duration_s", json_seconds(r->duration_ns));
	return o;
}

int report_json(FILE *out, struct model *const *models, size_t count,
		const struct report_options *options)
{
	json_t *o = count == 1 ? json_of_session(models[0]) : job_json(models, count);
	int failed;

	if (!o)
		return -1;
	if (options->what_if && count == 1)
		json_object_set_new(o, "what_if",
				    what_if_json(options->what_if, options->what_if_result,
						 &models[0]->totals));
	failed = json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) < 0;
	fputc('\n', out);
	json_decref(o);
	return failed && !ferror(out) ? -1 : 0;
}
