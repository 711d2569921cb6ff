/* What was run, on what machine, how it ended and what measuring it cost: the session's meta keys. An absent key is "unknown". */
#include <stdio.h>

#include "profiler/model/private.h"

enum { ARGC_MAX = 4096 };

static const char *text(struct model *m, const char *key)
{
	const char *value = session_text(m->priv->reader, key);

	return strings_keep(&m->priv->tables.strings, value ? value : "");
}

static int64_t number(struct model *m, const char *key)
{
	return session_int(m->priv->reader, key);
}

static int64_t count(struct model *m, const char *key)
{
	int64_t value = number(m, key);

	return value < 0 ? 0 : value;
}

static int read_argv(struct model *m)
{
	int64_t argc = count(m, "argc");

	m->priv->argv.count = 0;
	for (int64_t i = 0; i < argc && i < ARGC_MAX; i++) {
		const char **word = array_add(&m->priv->argv);
		char key[32];

		if (!word)
			return -1;
		snprintf(key, sizeof(key), "argv.%lld", (long long)i);
		*word = text(m, key);
	}
	m->argv = m->priv->argv.items;
	m->argc = m->priv->argv.count;
	return 0;
}

/* Ranks of one job carry the scheduler's id of it; a launcher on one machine makes one session of all its ranks. */
static void read_job(struct model *m)
{
	static const char *const keys[] = {"env.SLURM_JOB_ID", "env.PBS_JOBID", "env.LSB_JOBID",
					   "env.JOB_ID"};

	m->job = "";
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !m->job[0]; i++)
		m->job = text(m, keys[i]);
}

static int read_facts(struct model *m)
{
	static const struct model_fact known[] = {
#define FACT(key, weight, words) {key, words, NULL, MODEL_##weight},
#include "profiler/model/facts.def"
#undef FACT
	};

	m->priv->facts.count = 0;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const char *value = text(m, known[i].key);
		struct model_fact *fact = *value ? array_add(&m->priv->facts) : NULL;

		if (!*value)
			continue;
		if (!fact)
			return -1;
		*fact = known[i];
		fact->value = value;
	}
	m->facts = m->priv->facts.items;
	m->fact_count = m->priv->facts.count;
	return 0;
}

int model_has_failed(const struct model *m)
{
	return m->end == MODEL_KILLED || (m->end == MODEL_EXITED && m->exit_code != 0);
}

int model_has_shim(const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].instrumented)
			return 1;
	return 0;
}

/* The command's end as the collector saw it; else the root process's, when the collector died before it could write that down. */
static void read_end(struct model *m)
{
	const struct tables *t = &m->priv->tables;

	m->exit_code = number(m, "exit_code");
	m->exit_signal = number(m, "exit_signal");
	m->oom_killed = number(m, "oom_killed") == 1;
	m->ended_ns = number(m, "ended_ns");
	for (size_t i = 0; i < t->processes.count && m->ended_ns == MODEL_NONE; i++) {
		const struct session_process *p = &t->processes.items[i];

		if (p->parent != SESSION_NULL || p->ended_ns == SESSION_NULL)
			continue;
		m->ended_ns = p->ended_ns;
		m->exit_code = p->exit_code;
		m->exit_signal = p->exit_signal;
	}
	if (m->exit_signal != MODEL_NONE && m->exit_signal > 0)
		m->end = MODEL_KILLED;
	else if (m->exit_code != MODEL_NONE)
		m->end = MODEL_EXITED;
	else if (m->complete || m->abandoned || m->ended_ns != MODEL_NONE)
		m->end = MODEL_UNKNOWN_END;
	else
		m->end = MODEL_RUNNING;
}

static void read_cost(struct model *m)
{
	m->collector_cpu_seconds = (double)count(m, "collector_cpu_ns") / 1e9;
	m->collector_wall_seconds = (double)count(m, "collector_wall_ns") / 1e9;
	m->collector_memory_bytes = count(m, "collector_memory_bytes");
	m->collector_pid = number(m, "collector_pid");
	m->samples = number(m, "samples");
	m->skipped = count(m, "skipped");
	m->dropped = count(m, "dropped_events") + count(m, "lost_rows");
	m->thinned_before_ns = count(m, "thinned_before_ns");
	m->thinned_span_ns = count(m, "thinned_span_ns");
}

static int read_notes(struct model *m)
{
	struct model_private *priv = m->priv;

	priv->notes.count = 0;
	for (size_t i = 0; i < priv->tables.notes.count; i++) {
		const struct session_note *row = &priv->tables.notes.items[i];
		struct model_note *note = array_add(&priv->notes);

		if (!note)
			return -1;
		*note = (struct model_note){row->level, row->text, row->count};
	}
	m->notes = priv->notes.items;
	m->note_count = priv->notes.count;
	return 0;
}

int run_read(struct model *m)
{
	const struct tables *t = &m->priv->tables;
	const char *damage = session_damage(m->priv->reader);

	m->command = text(m, "command");
	m->host = text(m, "host");
	m->kernel = text(m, "kernel");
	m->version = text(m, "loopmem_version");
	m->priv->limit_source = text(m, "limit_source");
	m->started_unix_ns = number(m, "started_unix_ns");
	m->ram_bytes = number(m, "ram_bytes");
	m->cpu_count = number(m, "cpus");
	m->shm_size_bytes = number(m, "shm_size_bytes");
	m->shm_used_max_bytes = number(m, "shm_used_max_bytes");
	m->shm_used_max_ns = number(m, "shm_used_max_ns");
	m->complete = number(m, "complete") == 1;
	m->released = number(m, "released") == 1;
	m->trims = number(m, "trim_test") == 1;
	m->attached = number(m, "attached") == 1;
	m->last_ns = t->times.count ? t->times.items[t->times.count - 1].t_ns : 0;
	read_end(m);
	if (m->ended_ns != MODEL_NONE && m->ended_ns > m->last_ns)
		m->last_ns = m->ended_ns;
	read_cost(m);
	if (m->samples == MODEL_NONE)
		m->samples = (int64_t)t->times.count;
	m->damage = damage ? strings_keep(&m->priv->tables.strings, damage) : NULL;
	read_job(m);
	return read_argv(m) || read_facts(m) || read_notes(m) ? -1 : 0;
}
