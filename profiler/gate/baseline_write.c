/*
 * Writing a baseline file: the runs that are there, if they are of the same environment, and the new ones; the newest that fit. One
 * run is one line of text, so that the file can be kept in a repository. The file is replaced by renaming, never half-written.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/gate/baseline.h"
#include "profiler/gate/cells.h"
#include "profiler/gate/environment.h"
#include "profiler/view/escape.h"

/* What ten runs and the environment may take together, so that ten do fit. */
enum {
	ENVIRONMENT_BYTES = 2048,
	RUN_BYTES = (BASELINE_MAX_BYTES - ENVIRONMENT_BYTES - 128) / BASELINE_RUNS
};

/* ---- one run ------------------------------------------------------------------------------------------------- */

/* Whether a rule of the budget compares this figure. */
static int is_compared(const struct budget *budget, const struct run *run, const char *key)
{
	for (size_t i = 0; i < budget->rules.count; i++) {
		const struct budget_rule *rule = &budget->rules.items[i];

		if (rule->kind != BUDGET_BASELINE)
			continue;
		for (size_t k = 0; k < run->subjects.count; k++) {
			const struct subject *s = &run->subjects.items[k];
			size_t length = strlen(s->name);

			if (!strncmp(key, s->name, length) && key[length] == '.' &&
			    !strcmp(key + length + 1, rule->metric->name) && rule_matches(rule, s))
				return 1;
		}
	}
	return 0;
}

/* 0 = first: what is compared; the job; the rest in the order of the table. */
static int importance(const struct budget *budget, const struct run *run, const char *key)
{
	return is_compared(budget, run, key) ? 0 : strncmp(key, "total.", 6) ? 2 : 1;
}

static size_t text_size(const json_t *value)
{
	return json_dumpb(value, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
}

/* The figures that fit into `room` bytes of JSON, the important ones first. */
static json_t *choose_metrics(const struct budget *budget, const struct run *run, const json_t *all,
			      size_t room, size_t *left_out)
{
	json_t *chosen = json_object(), *value;
	const char *key;
	size_t used = 2;

	*left_out = 0;
	for (int class = 0; class < 3 && chosen; class ++) {
		json_object_foreach((json_t *)all, key, value)
		{
			size_t size = strlen(key) + 4 + text_size(value); /* quotes, colon, comma */

			if (importance(budget, run, key) != class)
				continue;
			if (used + size > room) {
				*left_out += class == 0;
				continue;
			}
			used += size;
			json_object_set(chosen, key, value);
		}
	}
	return chosen;
}

static json_t *run_entry(const struct baseline_run *from, const char *commit,
			 const struct budget *budget, const struct run *run, size_t *left_out)
{
	json_t *entry = json_object();
	char *clean = escape_utf8(commit);
	size_t used;

	if (!entry || !clean) {
		free(clean);
		json_decref(entry);
		return NULL;
	}
	clean[escape_cut(clean, 80)] = '\0';
	json_object_set_new(entry, "commit", json_string(clean));
	json_object_set_new(entry, "time", json_string(from->time));
	json_object_set(entry, "findings", from->findings);
	used = text_size(entry) + sizeof("\"metrics\":,");
	json_object_set_new(entry, "metrics",
			    choose_metrics(budget, run, from->metrics,
					   used < RUN_BYTES ? RUN_BYTES - used : 0, left_out));
	free(clean);
	return entry;
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void note_hard(void *arg, const char *words, enum model_weight weight, const char *base,
		      const char *head)
{
	(void)words, (void)base, (void)head;
	if (weight == MODEL_HARD)
		*(int *)arg = 1;
}

/* Names of pools beyond what fits are left out: fewer are compared then. */
static json_t *small_environment(const struct run *run)
{
	json_t *all = environment_of(run), *small = json_object(), *value;
	const char *key;
	size_t used = 2;

	json_object_foreach(all, key, value)
	{
		size_t size = strlen(key) + text_size(value) + 4;

		if (used + size > ENVIRONMENT_BYTES)
			continue;
		used += size;
		json_object_set(small, key, value);
	}
	json_decref(all);
	return small;
}

/* The runs of an existing file that stay; an empty array when there is none. */
static json_t *old_runs(const char *file, const json_t *environment,
			struct baseline_written *written, struct error *e)
{
	json_t *root, *runs, *copy = json_array(), *run;
	size_t i;
	int hard = 0;

	if (access(file, F_OK) && errno == ENOENT)
		return copy;
	root = baseline_load(file, e);
	if (!root) {
		json_decref(copy);
		return NULL;
	}
	runs = json_object_get(root, "runs");
	environment_compare(json_object_get(root, "environment"), environment, note_hard, &hard);
	written->dropped = hard ? json_array_size(runs) : 0;
	json_array_foreach(runs, i, run) if (!hard) json_array_append(copy, run);
	json_decref(root);
	return copy;
}

static size_t size_of(const json_t *environment, const json_t *runs)
{
	size_t size =
		sizeof("{\"schema\": 1, \"kind\": \"baseline\",\n\"environment\": ,\n\"runs\": [\n]}\n") +
		text_size(environment);
	json_t *run;
	size_t i;

	json_array_foreach(runs, i, run) size += text_size(run) + sizeof(",\n");
	return size;
}

static void write_text(FILE *out, const json_t *environment, const json_t *runs)
{
	json_t *run;
	size_t i;

	fputs("{\"schema\": 1, \"kind\": \"baseline\",\n\"environment\": ", out);
	json_dumpf(environment, out, JSON_COMPACT);
	fputs(",\n\"runs\": [", out);
	json_array_foreach(runs, i, run)
	{
		fputs(i ? ",\n" : "\n", out);
		json_dumpf(run, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
	}
	fputs("\n]}\n", out);
}

static int replace(const char *file, const json_t *environment, const json_t *runs, struct error *e)
{
	char *fresh = NULL;
	FILE *out = NULL;
	int fd = asprintf(&fresh, "%s.XXXXXX", file) < 0 ? -1 : mkstemp(fresh);
	int failed = fd < 0;

	if (!failed) {
		fchmod(fd, 0644);
		out = fdopen(fd, "w");
	}
	if (out) {
		write_text(out, environment, runs);
		failed = ferror(out);
		failed |= fclose(out);
	}
	if (!failed)
		failed = rename(fresh, file);
	if (failed) {
		error_set_errno(e, ERROR_SYSTEM, errno, "cannot write the baseline %s", file);
		if (fd >= 0)
			unlink(fresh);
	}
	free(fresh);
	return failed ? e->kind : 0;
}

static int append_runs(json_t *list, const struct run *runs, size_t run_count, const char *commit,
		       const struct budget *budget, struct baseline_written *written,
		       struct error *e)
{
	struct baseline own = {0};
	int failed = 0;

	for (size_t i = 0; i < run_count && !failed; i++) {
		failed = baseline_add_run(&own, &runs[i], &runs[0], e);
		if (!failed)
			failed = json_array_append_new(list,
						       run_entry(&own.runs.items[i], commit, budget,
								 &runs[i], &written->left_out));
	}
	baseline_release(&own);
	return failed;
}

int baseline_write(const char *file, const struct run *runs, size_t run_count, const char *commit,
		   const struct budget *budget, struct baseline_written *written, struct error *e)
{
	json_t *environment = small_environment(&runs[0]), *list;
	int failed;

	*written = (struct baseline_written){0};
	e->kind = 0;
	list = environment ? old_runs(file, environment, written, e) : NULL;
	failed = !list || append_runs(list, runs, run_count, commit, budget, written, e);
	if (failed && !e->kind)
		error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot write the baseline %s", file);
	while (!failed && json_array_size(list) > 1 &&
	       (json_array_size(list) > BASELINE_RUNS ||
		size_of(environment, list) > BASELINE_MAX_BYTES))
		json_array_remove(list, 0);
	if (!failed)
		failed = replace(file, environment, list, e);
	written->runs = json_array_size(list);
	json_decref(environment);
	json_decref(list);
	return failed ? e->kind : 0;
}
