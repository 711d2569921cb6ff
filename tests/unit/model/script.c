/* Sessions written by hand; see script.h. */
#include "script.h"

#include <stdio.h>
#include <stdlib.h>

int64_t script_ns(double seconds)
{
	return (int64_t)(seconds * 1e9 + 0.5);
}

static int64_t bytes(double mib)
{
	return (int64_t)(mib * (double)MIB);
}

void script_begin(struct script *s, const char *name)
{
	struct error e;

	memset(s, 0, sizeof(*s));
	snprintf(s->path, sizeof(s->path), "%s/%s.loopmem",
		 getenv("TEST_TMP") ? getenv("TEST_TMP") : "/tmp", name);
	if (session_create(&s->w, s->path, 1, &e))
		fail_msg("%s", e.text);
	session_put_text(s->w, "command", "python train.py");
	session_put_int(s->w, "argc", 2);
	session_put_text(s->w, "argv.0", "python");
	session_put_text(s->w, "argv.1", "train.py");
	session_put_int(s->w, "ram_bytes", 1024 * MIB);
	s->processes[OWNER] = (struct session_process){
		.id = OWNER,
		.pid = 1000,
		.parent = SESSION_NULL,
		.role = "owner",
		.cmdline = "python train.py",
		.instrumented = 1,
		.python_state = "hooked",
		.ended_ns = SESSION_NULL,
		.exit_code = SESSION_NULL,
		.exit_signal = SESSION_NULL,
		.inherited_live_bytes = SESSION_NULL,
		.shared_at_fork_bytes = SESSION_NULL,
		.rank = SESSION_NULL,
		.fd_limit = 1024,
	};
	session_put_process(s->w, &s->processes[OWNER]);
}

struct session_pool *script_pool(struct script *s, int64_t id, const char *stage, int64_t epoch,
				 double begin_s)
{
	s->pools[id] = (struct session_pool){
		.id = id,
		.owner = OWNER,
		.owner_pool = id,
		.stage = stage,
		.epoch = epoch < 0 ? SESSION_NULL : epoch,
		.start_method = "fork",
		.workers = 1,
		.batch_size = SESSION_NULL,
		.prefetch = SESSION_NULL,
		.expected_batches = SESSION_NULL,
		.begin_ns = script_ns(begin_s),
		.first_batch_ns = SESSION_NULL,
		.last_batch_ns = SESSION_NULL,
		.exhausted_ns = SESSION_NULL,
		.end_ns = SESSION_NULL,
	};
	script_put_pools(s);
	return &s->pools[id];
}

void script_put_pools(struct script *s)
{
	for (int i = 1; i < SCRIPT_POOLS; i++)
		if (s->pools[i].id)
			session_put_pool(s->w, &s->pools[i]);
}

void script_process(struct script *s, int64_t id, int64_t pool, int64_t worker_id, double born_s,
		    double ended_s)
{
	s->processes[id] = (struct session_process){
		.id = id,
		.pid = 1000 + id,
		.parent = OWNER,
		.role = pool ? "worker" : "child",
		.cmdline = "python train.py",
		.instrumented = 1,
		.born_ns = script_ns(born_s),
		.ended_ns = ended_s < 0 ? SESSION_NULL : script_ns(ended_s),
		.exit_code = ended_s < 0 ? SESSION_NULL : 0,
		.exit_signal = SESSION_NULL,
		.inherited_live_bytes = 0,
		.shared_at_fork_bytes = SESSION_NULL,
		.rank = SESSION_NULL,
		.fd_limit = 1024,
	};
	session_put_process(s->w, &s->processes[id]);
	if (pool)
		session_put_pool_worker(s->w, &(struct session_pool_worker){pool, id, worker_id});
}

void script_end_process(struct script *s, int64_t id, double t, int64_t code, int64_t signal)
{
	s->processes[id].ended_ns = script_ns(t);
	s->processes[id].exit_code = signal ? SESSION_NULL : code;
	s->processes[id].exit_signal = signal ? signal : SESSION_NULL;
	session_put_process(s->w, &s->processes[id]);
}

/* The pool's row keeps up with its events, as the collector's does. */
static void note_in_row(struct session_pool *pool, double t, const char *kind)
{
	if (!strcmp(kind, "pool-first")) {
		if (pool->first_batch_ns == SESSION_NULL)
			pool->first_batch_ns = script_ns(t);
		pool->last_batch_ns = script_ns(t);
		pool->batches++;
	} else if (!strcmp(kind, "pool-exhausted")) {
		pool->exhausted_ns = pool->last_batch_ns = script_ns(t);
	} else if (!strcmp(kind, "pool-park")) {
		pool->last_batch_ns = script_ns(t);
	} else if (!strcmp(kind, "pool-end")) {
		pool->end_ns = script_ns(t);
	} else if (!strcmp(kind, "pool-reuse")) {
		pool->exhausted_ns = SESSION_NULL;
	}
}

void script_event(struct script *s, double t, const char *kind, int64_t pool)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(t),
							.kind = kind,
							.process = OWNER,
							.pool = pool ? pool : SESSION_NULL,
							.value = 0,
							.value2 = SESSION_NULL});
	if (pool) {
		note_in_row(&s->pools[pool], t, kind);
		script_put_pools(s);
	}
}

void script_birth(struct script *s, double t, int64_t pool, const char *framework)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(t),
							.kind = "pool-begin",
							.process = OWNER,
							.pool = pool,
							.value = 0,
							.value2 = SESSION_NULL,
							.text = framework});
}

void script_phase(struct script *s, double t, int64_t stage, int64_t epoch, const char *name)
{
	session_put_event(s->w, &(struct session_event){.t_ns = script_ns(t),
							.kind = "phase-begin",
							.process = OWNER,
							.pool = SESSION_NULL,
							.value = stage,
							.value2 = epoch,
							.text = name});
}

void script_phase_end(struct script *s, double t)
{
	script_event(s, t, "phase-end", 0);
}

void script_sample(struct script *s, double t, int64_t process, double anon_mib)
{
	session_put_sample(s->w,
			   &(struct session_sample){script_ns(t), process, bytes(anon_mib + 10),
						    bytes(anon_mib), 1});
}

void script_walk(struct script *s, double t, int64_t process, double private_mib, double share_mib)
{
	script_sample(s, t, process, private_mib + share_mib);
	session_put_rollup(s->w, &(struct session_rollup){
					 .t_ns = script_ns(t),
					 .process = process,
					 .rss_bytes = bytes(private_mib + share_mib + 10),
					 .pss_bytes = bytes(private_mib + share_mib),
					 .pss_anon_bytes = bytes(private_mib + share_mib),
					 .private_dirty_bytes = bytes(private_mib),
					 .anonymous_bytes = bytes(private_mib + share_mib),
				 });
}

void script_walk_files(struct script *s, double t, int64_t process, double private_mib,
		       double file_mib)
{
	session_put_sample(s->w, &(struct session_sample){script_ns(t), process,
							  bytes(private_mib + file_mib),
							  bytes(private_mib), 1});
	session_put_rollup(s->w, &(struct session_rollup){
					 .t_ns = script_ns(t),
					 .process = process,
					 .rss_bytes = bytes(private_mib + file_mib),
					 .pss_bytes = bytes(private_mib + file_mib),
					 .pss_anon_bytes = bytes(private_mib),
					 .pss_file_bytes = bytes(file_mib),
					 .private_dirty_bytes = bytes(private_mib),
					 .private_clean_bytes = bytes(file_mib),
					 .anonymous_bytes = bytes(private_mib),
				 });
}

void script_walk_shared(struct script *s, double t, int64_t process, double rss_mib, double pss_mib)
{
	session_put_sample(s->w, &(struct session_sample){script_ns(t), process, bytes(rss_mib),
							  bytes(rss_mib), 1});
	session_put_rollup(s->w, &(struct session_rollup){
					 .t_ns = script_ns(t),
					 .process = process,
					 .rss_bytes = bytes(rss_mib),
					 .pss_bytes = bytes(pss_mib),
					 .pss_anon_bytes = bytes(pss_mib),
					 .shared_dirty_bytes = bytes(rss_mib),
					 .anonymous_bytes = bytes(rss_mib),
				 });
}

void script_fds(struct script *s, double t, int64_t process, int64_t fds)
{
	session_put_detail(s->w, &(struct session_detail){.t_ns = script_ns(t),
							  .process = process,
							  .fds = fds,
							  .state = "S",
							  .wchan = ""});
}

void script_heap(struct script *s, double t, int64_t process, double live_mib, double mapped_mib)
{
	session_put_heap(s->w, &(struct session_heap){
				       .t_ns = script_ns(t),
				       .process = process,
				       .alloc_bytes = bytes(live_mib + 1),
				       .free_bytes = bytes(1),
				       .map_anon_bytes = bytes(mapped_mib),
			       });
}

void script_locked(struct script *s, double t, int64_t process, double mib)
{
	session_put_detail(s->w, &(struct session_detail){.t_ns = script_ns(t),
							  .process = process,
							  .locked_bytes = bytes(mib),
							  .state = "S",
							  .wchan = ""});
}

void script_parked(struct script *s, double t, int64_t creator, double mib)
{
	session_put_shm(s->w, &(struct session_shm){script_ns(t), creator, "parked", mib > 0,
						    bytes(mib), bytes(mib)});
}

void script_system(struct script *s, double t, double limit_mib, double current_mib)
{
	session_put_system(
		s->w, &(struct session_system){
			      .t_ns = script_ns(t),
			      .limit_bytes = limit_mib < 0 ? SESSION_NULL : bytes(limit_mib),
			      .current_bytes = current_mib < 0 ? SESSION_NULL : bytes(current_mib),
			      .anon_bytes = SESSION_NULL,
			      .shmem_bytes = SESSION_NULL,
			      .file_bytes = SESSION_NULL,
			      .kernel_bytes = SESSION_NULL,
			      .oom_kills = SESSION_NULL,
			      .available_bytes = SESSION_NULL,
			      .machine_shmem_bytes = SESSION_NULL,
			      .n = 1,
		      });
}

void script_flush(struct script *s)
{
	struct error e;

	if (session_flush(s->w, &e))
		fail_msg("%s", e.text);
}

struct model *script_open(struct script *s)
{
	struct model *m;
	struct error e;

	script_flush(s);
	if (model_open(&m, s->path, &e))
		fail_msg("%s", e.text);
	return m;
}

struct model *script_leave(struct script *s)
{
	struct model *m = script_open(s);
	struct error e;

	assert_int_equal(session_close(s->w, &e), 0);
	return m;
}

struct model *script_finish(struct script *s, double ended_s)
{
	struct model *m = NULL;
	struct error e;

	session_put_int(s->w, "ended_ns", script_ns(ended_s));
	if (s->exit_signal)
		session_put_int(s->w, "exit_signal", s->exit_signal);
	else
		session_put_int(s->w, "exit_code", s->exit_code);
	script_end_process(s, OWNER, ended_s, s->exit_code, s->exit_signal);
	if (session_close(s->w, &e) || model_open(&m, s->path, &e))
		fail_msg("%s", e.text);
	return m;
}

const struct model_finding *script_finding(const struct model *m, const char *id)
{
	for (size_t i = 0; i < m->finding_count; i++)
		if (!strcmp(m->findings[i].id, id))
			return &m->findings[i];
	return NULL;
}

double script_evidence(const struct model_finding *f, const char *key)
{
	for (size_t i = 0; i < f->evidence_count; i++)
		if (!strcmp(f->evidence[i].key, key))
			return f->evidence[i].value;
	fail_msg("no evidence %s", key);
	return 0;
}
