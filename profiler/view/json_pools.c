/* Processes and pools of the JSON report. */
#include "profiler/view/json_parts.h"
#include "profiler/view/json_values.h"

static json_t *process_exit_json(const struct model_process *p)
{
	if (p->exit_signal != MODEL_NONE && p->exit_signal > 0)
		return json_sprintf("signal %lld", (long long)p->exit_signal);
	if (p->exit_code != MODEL_NONE)
		return json_sprintf("%lld", (long long)p->exit_code);
	return p->ended_ns == MODEL_NONE ? json_null() : json_string("unknown");
}

static json_t *process_json(const struct model_process *p)
{
	json_t *o = json_object();

	json_object_set_new(o, "pid", json_integer(p->pid));
	json_object_set_new(o, "start_s", json_seconds(p->born_ns));
	json_object_set_new(o, "end_s", json_seconds(p->ended_ns));
	json_object_set_new(o, "exit", process_exit_json(p));
	json_object_set_new(o, "instrumented", json_boolean(p->instrumented));
	json_object_set_new(o, "pss_bytes_max", json_integer(p->proportional_max));
	json_object_set_new(o, "private_bytes_max", json_integer(p->private_max));
	json_object_set_new(o, "live_heap_bytes_max", json_integer(p->live_heap_max));
	json_object_set_new(o, "unshared_bytes_max", json_integer(p->unshared_max));
	json_object_set_new(o, "fds_max", json_count(p->fds_max));
	json_object_set_new(o, "fd_limit", json_count(p->fd_limit));
	return o;
}

json_t *json_owners(const struct model *m)
{
	json_t *owners = json_array();

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];
		json_t *o;

		if (p->role != MODEL_ROLE_OWNER)
			continue;
		o = process_json(p);
		json_object_set_new(o, "rank", json_count(p->rank));
		json_object_set_new(o, "command", json_text(p->cmdline));
		json_object_set_new(o, "allocator", json_text_or_null(p->allocator));
		json_object_set_new(o, "python", json_text_or_null(p->python));
		json_object_set_new(o, "python_state", json_text_or_null(p->python_state));
		json_object_set_new(o, "python_reason", json_text_or_null(p->python_reason));
		json_array_append_new(owners, o);
	}
	return owners;
}

/* Processes that are neither owner nor worker: under their parents, never dropped. */
json_t *json_others(const struct model *m)
{
	json_t *others = json_array();

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];
		json_t *o;

		if (p->role == MODEL_ROLE_OWNER || p->role == MODEL_ROLE_WORKER)
			continue;
		o = process_json(p);
		json_object_set_new(o, "role", json_text(p->role_text));
		json_object_set_new(o, "parent_pid",
				    p->parent < 0 ? json_null()
						  : json_integer(m->processes[p->parent].pid));
		json_object_set_new(o, "command", json_text(p->cmdline));
		json_array_append_new(others, o);
	}
	return others;
}

static json_t *workers_json(const struct model *m, const struct model_pool *pool)
{
	json_t *workers = json_array();

	for (size_t i = 0; i < pool->member_count; i++) {
		const struct model_process *p = &m->processes[pool->members[i]];
		json_t *o = process_json(p);

		json_object_set_new(o, "worker_id", json_count(p->worker_id));
		json_object_set_new(o, "orphan", json_boolean(p->orphan));
		json_array_append_new(workers, o);
	}
	return workers;
}

static json_t *spans_json(const struct model_pool *pool)
{
	json_t *spans = json_array();

	for (size_t i = 0; i < pool->span_count; i++)
		json_array_append_new(spans,
				      json_pack("{s:s, s:o, s:o, s:b}", "state",
						model_state_name(pool->spans[i].state), "start_s",
						json_seconds(pool->spans[i].start_ns), "end_s",
						json_seconds(pool->spans[i].end_ns), "hindsight",
						pool->spans[i].hindsight));
	return spans;
}

static void set_pool_identity(json_t *o, const struct model *m, const struct model_pool *p)
{
	json_object_set_new(o, "id", json_integer(p->number));
	json_object_set_new(o, "owner_pid",
			    p->owner < 0 ? json_null() : json_integer(m->processes[p->owner].pid));
	json_object_set_new(o, "rank",
			    p->owner < 0 ? json_null() : json_count(m->processes[p->owner].rank));
	json_object_set_new(o, "stage", json_string(model_stage_name(p->stage)));
	json_object_set_new(o, "epoch", json_count(p->epoch));
	json_object_set_new(o, "name", json_text(p->name));
	json_object_set_new(o, "label", json_text(p->label));
	json_object_set_new(o, "dataset", json_text_or_null(p->dataset));
	json_object_set_new(o, "origin", json_text_or_null(p->origin));
	json_object_set_new(o, "framework", json_text_or_null(p->framework));
	json_object_set_new(o, "framework_version", json_text_or_null(p->framework_version));
	json_object_set_new(o, "start_method", json_text(p->start_method));
	json_object_set_new(o, "declared_workers", json_integer(p->workers));
	json_object_set_new(o, "batch_size", json_count(p->batch_size));
	json_object_set_new(o, "prefetch", json_count(p->prefetch));
	json_object_set_new(o, "persistent", json_boolean(p->persistent));
	json_object_set_new(o, "stateful", json_boolean(p->stateful));
	json_object_set_new(o, "named", json_boolean(p->named));
	json_object_set_new(o, "guessed", json_boolean(p->guessed));
	json_object_set_new(o, "grouped", json_boolean(p->grouped));
	json_object_set_new(o, "releasable", json_boolean(p->releasable));
	json_object_set_new(o, "released", json_boolean(p->released));
	json_object_set_new(o, "kept", json_text_or_null(model_kept_name(p->kept)));
}

static json_t *pool_json(const struct model *m, const struct model_pool *p)
{
	json_t *o = json_object();

	set_pool_identity(o, m, p);
	json_object_set_new(o, "workers", workers_json(m, p));
	json_object_set_new(o, "start_s", json_seconds(p->begin_ns));
	json_object_set_new(o, "first_batch_s", json_seconds(p->first_batch_ns));
	json_object_set_new(o, "exhausted_s", json_seconds(p->exhausted_ns));
	json_object_set_new(o, "end_s", json_seconds(p->end_ns));
	json_object_set_new(o, "restart_s", json_seconds(p->start_ns));
	json_object_set_new(o, "stall_s", json_seconds(p->stall_ns));
	json_object_set_new(o, "batches", json_count(p->batches));
	json_object_set_new(o, "expected_batches", json_count(p->expected_batches));
	json_object_set_new(o, "memory_bytes_max", json_integer(p->memory_max));
	json_object_set_new(o, "private_bytes_max", json_integer(p->private_max));
	json_object_set_new(o, "live_heap_bytes_max", json_integer(p->live_heap_max));
	json_object_set_new(o, "unshared_bytes_max", json_integer(p->unshared_max));
	json_object_set_new(o, "in_owner_bytes_max", json_integer(p->in_owner_max));
	json_object_set_new(o, "shm_bytes_max", json_integer(p->shm_max));
	json_object_set_new(o, "parked_batch_bytes_max", json_integer(p->parked_batch_max));
	json_object_set_new(o, "idle_retained_bytes_max", json_integer(p->idle_max_bytes));
	json_object_set_new(o, "idle_retained_seconds", json_seconds(p->idle_ns));
	json_object_set_new(o, "idle_retained_byte_seconds", json_real(p->idle_byte_seconds));
	json_object_set_new(o, "states", spans_json(p));
	return o;
}

json_t *json_pools(const struct model *m)
{
	json_t *pools = json_array();

	for (size_t i = 0; i < m->pool_count; i++)
		json_array_append_new(pools, pool_json(m, &m->pools[i]));
	return pools;
}
