/*
 * process-died: a process ended that was not meant to (deaths.h): by a fault of its own, by a signal from outside the job, or a worker with a status
 * that says that it failed. The first of them is told, since others follow from it. An error when the run failed too; a notice
 * when it was no part of the loop, or was ending anyway.
 */
#include "profiler/model/deaths.h"
#include "profiler/model/findings.h"
#include "profiler/model/private.h"
#include "profiler/model/signal_name.h"

#include <signal.h>

enum { EVIDENCE = 6 };

struct dead {
	int process; /* -1 = nobody */
	enum death how;
	enum model_severity severity;
	int more; /* that died besides */
};

static enum model_severity severity_of(const struct model *m, const struct model_process *p)
{
	int serves = p->role == MODEL_ROLE_WORKER || p->role == MODEL_ROLE_OWNER || p->parent < 0;

	if (!serves || death_is_late(m, p))
		return MODEL_NOTICE;
	return model_has_failed(m) ? MODEL_ERROR : MODEL_WARNING;
}

static int is_worse(const struct model *m, enum model_severity severity,
		    const struct model_process *p, const struct dead *than)
{
	if (than->process < 0 || severity != than->severity)
		return than->process < 0 || severity > than->severity;
	return p->ended_ns < m->processes[than->process].ended_ns;
}

/* A rank that fails when something else died fails of that. */
static int is_counted(const struct model *m, size_t process, enum death how)
{
	return how != DEATH_NONE && (how != DEATH_STATUS || m->processes[process].pool >= 0);
}

static struct dead find_dead(const struct model *m)
{
	struct dead d = {.process = -1};
	int count = 0;

	for (size_t i = 0; i < m->process_count; i++) {
		const struct model_process *p = &m->processes[i];
		enum death how = death_of(m, i);
		enum model_severity severity = severity_of(m, p);

		count += is_counted(m, i, how);
		if (how != DEATH_NONE && is_worse(m, severity, p, &d))
			d = (struct dead){(int)i, how, severity, 0};
	}
	d.more = count - is_counted(m, (size_t)d.process, d.how);
	return d;
}

static const char *how_of(struct finding_sink *sink, const struct model_process *p)
{
	char name[SIGNAL_NAME_MAX];

	if (p->exit_signal != MODEL_NONE && p->exit_signal > 0)
		return finding_text(sink, "%s", signal_name(name, p->exit_signal));
	if (p->exit_code != MODEL_NONE)
		return finding_text(sink, "exit %lld", (long long)p->exit_code);
	return "unknown";
}

static const char *subject_of(const struct model *m, const struct model_process *p)
{
	if (p->role == MODEL_ROLE_WORKER)
		return "A worker";
	if (p->role == MODEL_ROLE_OWNER)
		return p->parent < 0 ? "The training process" : "A training process";
	return p == m->processes ? "The command" : "A process of the job";
}

/* "died of SIGSEGV" */
static const char *end_of(struct finding_sink *sink, const struct dead *d, const char *how)
{
	switch (d->how) {
	case DEATH_FAULT:
		return finding_text(sink, "died of %s", how);
	case DEATH_KILLED:
		return finding_text(sink, "was ended by %s, which nobody else in the job sent",
				    how);
	case DEATH_STATUS:
		return finding_text(sink, "failed with %s", how);
	default:
		return "ended, and how is not known";
	}
}

static int is_python(const struct model *m, const struct model_process *p)
{
	int owner = p->pool < 0 ? -1 : m->pools[p->pool].owner;

	return p->python || (owner >= 0 && m->processes[owner].python);
}

static const char *which_advice(const struct model *m, const struct dead *d)
{
	const struct model_process *p = &m->processes[d->process];

	if (d->how == DEATH_STATUS)
		return p->pool < 0 ? "rank" : "status";
	if (d->how == DEATH_UNKNOWN)
		return "unknown";
	if (d->how == DEATH_KILLED)
		return p->exit_signal == SIGKILL ? "SIGKILL" : "sent";
	if (p->exit_signal == SIGBUS)
		return "SIGBUS";
	if (!is_python(m, p))
		return "";
	return p->pool >= 0 && !m->pools[p->pool].grouped ? "worker" : "python";
}

static const char *text_of(const struct model *m, struct finding_sink *sink, const struct dead *d)
{
	const struct model_process *p = &m->processes[d->process];
	const char *text = finding_text(sink, "It was %s%s%s.",
					finding_process(sink, m, d->process),
					p->pool < 0 && p->cmdline[0] ? ": " : "",
					p->pool < 0 ? p->cmdline : "");
	char name[SIGNAL_NAME_MAX];

	if (d->how == DEATH_UNKNOWN)
		text = finding_text(
			sink, "%s It did not call exit(); which signal it was nobody told.", text);
	if (d->more)
		text = finding_text(sink, "%s %d more died besides.", text, d->more);
	if (d->severity != MODEL_ERROR || p->parent < 0)
		return text;
	if (m->end == MODEL_KILLED)
		return finding_text(sink, "%s The command then ended by %s.", text,
				    signal_name(name, m->exit_signal));
	return finding_text(sink, "%s The command then failed with exit %lld.", text,
			    (long long)m->exit_code);
}

/* What was there when all were last seen: its own memory, its pool's, the job's. */
static size_t add_memory(const struct model *m, const struct model_process *p,
			 struct model_evidence *facts, size_t count)
{
	int round = finding_round_before(m, p->ended_ns);
	struct model_moment then;

	if (round < 0 || m->rounds[round].t_ns < p->born_ns ||
	    model_at(m, m->rounds[round].t_ns, &then) < 0)
		return count;
	facts[count++] =
		(struct model_evidence){"private_bytes",
					"it held",
					MODEL_BYTES,
					(double)then.processes[p - m->processes].private_bytes,
					NULL,
					1};
	if (p->pool >= 0)
		facts[count++] = (struct model_evidence){"pool_private_bytes",
							 "its pool",
							 MODEL_BYTES,
							 (double)then.pools[p->pool].private_bytes,
							 NULL,
							 1};
	facts[count++] = (struct model_evidence){
		"job_bytes", "the job", MODEL_BYTES, (double)then.round.total_bytes, NULL, 1};
	model_moment_release(&then);
	return count;
}

void find_process_died(const struct model *m, struct finding_sink *sink)
{
	const struct dead d = find_dead(m);
	const struct model_process *p = &m->processes[d.process < 0 ? 0 : d.process];
	struct model_evidence facts[EVIDENCE];
	struct model_finding f = {
		.id = "process-died",
		.severity = d.severity,
		.leads = 1,
		.evidence = facts,
		.evidence_count = 3,
	};
	const char *how, *end;

	if (d.process < 0)
		return;
	how = how_of(sink, p);
	end = end_of(sink, &d, how);
	facts[0] = (struct model_evidence){"ended_by", "ended by", MODEL_TEXT, 0, how, 0};
	facts[1] = (struct model_evidence){"pid", "process", MODEL_PID, (double)p->pid, NULL, 0};
	facts[2] =
		(struct model_evidence){"processes", "that died", MODEL_COUNT, 1 + d.more, NULL, 0};
	f.evidence_count = add_memory(m, p, facts, 3);
	f.title = finding_text(sink, "%s %s", subject_of(m, p), end);
	f.brief = finding_text(sink, "%s %s", finding_process(sink, m, d.process), end);
	f.text = text_of(m, sink, &d);
	f.moments = &p->ended_ns;
	f.moment_count = 1;
	f.pools = &p->pool;
	f.pool_count = p->pool >= 0;
	finding_advise(m, &f, which_advice(m, &d));
	finding_report(sink, &f);
}
