/* Options that choose call sites: see the header. */
#include "profiler/cmd/site_filter.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/cmd/choice.h"
#include "profiler/cmd/command.h"
#include "profiler/format_time.h"

int64_t option_number(const struct argp_state *state, const char *option, const char *text,
		      int64_t least, int64_t most)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (*end || end == text || errno || value < least || value > most)
		command_misuse(state, "%s %s: not a number from %lld to %lld", option, text,
			       (long long)least, (long long)most);
	return value;
}

enum model_stage option_stage(const struct argp_state *state, const char *option, const char *text)
{
	const char *names[MODEL_STAGES + 1] = {0};

	for (int stage = 0; stage < MODEL_STAGES; stage++)
		names[stage] = model_stage_name((enum model_stage)stage);
	return (enum model_stage)option_choice(state, option, text, names);
}

/* A pool is chosen by its number; the word that stands before it in its name is a stage. */
static int64_t pool_number(const struct argp_state *state, const char *text)
{
	for (int stage = 0; stage < MODEL_STAGES; stage++)
		if (!strcmp(text, model_stage_name((enum model_stage)stage)))
			command_misuse(state,
				       "--pool %s: not the number of a pool; --stage=%s is all "
				       "pools of that stage",
				       text, text);
	return option_number(state, "--pool", text, 1, INT32_MAX);
}

/* "93.5", "1:33.5", "1:01:33": as the views print moments. What follows a colon is below 60, and the seconds alone have
 * a fraction. NaN when it is none. */
static double seconds_of(const char *text)
{
	double seconds = 0;
	char *end;

	for (int parts = 0; parts < 3; parts++) {
		double part;

		if (*text < '0' || *text > '9')
			return NAN;
		part = strtod(text, &end);
		if ((parts && part >= 60) || (*end && part != floor(part)))
			return NAN;
		seconds = seconds * 60 + part;
		if (!*end)
			return seconds;
		if (*end != ':')
			return NAN;
		text = end + 1;
	}
	return NAN;
}

static void parse_moment(const char *text, const struct argp_state *state, struct site_filter *f)
{
	if (!strcmp(text, "peak")) {
		f->at = SITES_AT_PEAK;
	} else if (!strcmp(text, "end")) {
		f->at = SITES_AT_END;
	} else if (!strncmp(text, "phase:", 6)) {
		f->at = SITES_AT_PHASE;
		f->phase = option_number(state, "--at phase:", text + 6, 1, INT32_MAX);
	} else {
		f->at = SITES_AT_TIME;
		f->at_s = seconds_of(text);
		if (!(f->at_s >= 0 && f->at_s < 1e9))
			command_misuse(state,
				       "--at %s: not peak, end, phase:N or a number of seconds",
				       text);
	}
}

error_t site_filter_parse(int key, const char *text, const struct argp_state *state,
			  struct site_filter *f)
{
	switch (key) {
	case KEY_SITE_STAGE:
		f->stage = 1 + (int)option_stage(state, "--stage", text);
		break;
	case KEY_SITE_POOL:
		f->pool = pool_number(state, text);
		break;
	case KEY_SITE_WORKER:
		f->pid = option_number(state, "--worker", text, 1, INT32_MAX);
		break;
	case KEY_SITE_AT:
		parse_moment(text, state, f);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	f->given = 1;
	return 0;
}

static int find_pool(const struct model *m, int64_t number, int *pool, struct error *e)
{
	int64_t last = 0;

	*pool = -1;
	for (size_t i = 0; number && i < m->pool_count; i++) {
		if (m->pools[i].number == number)
			*pool = (int)i;
		if (m->pools[i].number > last)
			last = m->pools[i].number;
	}
	if (!number || *pool >= 0)
		return 0;
	if (!last)
		return error_set(e, ERROR_USAGE, "no pool #%lld in %s: it has no pools",
				 (long long)number, m->file);
	return error_set(e, ERROR_USAGE, "no pool #%lld in %s: the last is #%lld",
			 (long long)number, m->file, (long long)last);
}

static int has_pid(const struct model *m, int64_t pid)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].pid == pid)
			return 1;
	return 0;
}

/* The command's own end: its last reading, before everything is gone. */
static int64_t end_of(const struct model *m)
{
	for (size_t i = 0; i < m->process_count; i++)
		if (m->processes[i].parent < 0 && m->processes[i].ended_ns != MODEL_NONE)
			return m->processes[i].ended_ns;
	return m->last_ns;
}

/* When the job's memory was highest in a phase; its end when no round lies in it. */
static int64_t height_of(const struct model *m, const struct model_phase *phase)
{
	int64_t end = phase->end_ns == MODEL_NONE ? m->last_ns : phase->end_ns, at = end, most = -1;

	for (size_t i = 0; i < m->round_count; i++) {
		const struct model_round *round = &m->rounds[i];

		if (round->t_ns < phase->start_ns || round->t_ns > end ||
		    round->total_bytes <= most)
			continue;
		most = round->total_bytes;
		at = round->t_ns;
	}
	return at;
}

/* Gaps between phases have no number. */
static int find_phase(const struct model *m, int64_t number, int64_t *t_ns, struct error *e)
{
	int64_t count = 0;

	for (size_t i = 0; i < m->phase_count; i++) {
		const struct model_phase *phase = &m->phases[i];

		if (phase->between || ++count < number)
			continue;
		*t_ns = height_of(m, phase);
		return 0;
	}
	return error_set(e, ERROR_USAGE, "no phase %lld in %s: it has %lld", (long long)number,
			 m->file, (long long)count);
}

static int find_moment(const struct site_filter *f, const struct model *m, int64_t *t_ns,
		       struct error *e)
{
	char end[FORMAT_MAX];

	*t_ns = MODEL_NONE;
	if (f->at == SITES_AT_TIME) {
		*t_ns = llround(f->at_s * 1e9);
		if (*t_ns > m->last_ns)
			return error_set(e, ERROR_USAGE, "--at is after the end of %s: %s", m->file,
					 format_moment(end, m->last_ns));
	}
	if (f->at == SITES_AT_END)
		*t_ns = end_of(m);
	return f->at == SITES_AT_PHASE ? find_phase(m, f->phase, t_ns, e) : 0;
}

int site_filter_apply(const struct site_filter *f, const struct model *m,
		      struct model_site_filter *out, struct error *e)
{
	out->stage = f->stage - 1;
	out->pid = f->pid;
	if (f->pid && !has_pid(m, f->pid))
		return error_set(e, ERROR_USAGE, "no process %lld in %s", (long long)f->pid,
				 m->file);
	if (find_pool(m, f->pool, &out->pool, e))
		return e->kind;
	return find_moment(f, m, &out->t_ns, e);
}
