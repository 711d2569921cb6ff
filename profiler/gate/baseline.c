/* Baselines: reading them, and the figures of sessions in their form. Writing: baseline_write.c. */
#include "profiler/gate/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "profiler/gate/environment.h"
#include "profiler/gate/figures.h"

enum { SCHEMA = 1 };

void baseline_release(struct baseline *b)
{
	for (size_t i = 0; i < b->runs.count; i++) {
		json_decref(b->runs.items[i].metrics);
		json_decref(b->runs.items[i].findings);
	}
	array_release(&b->runs);
	array_release(&b->differences);
	array_release(&b->missing);
	strings_release(&b->strings);
}

double baseline_value(const struct baseline_run *run, const char *key)
{
	const json_t *value = json_object_get(run->metrics, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- environments ------------------------------------------------------------------------------------------- */

struct differing {
	struct baseline *baseline;
	int hard, sampling;
};

static int is_noted(const struct baseline *b, const struct baseline_difference *d)
{
	for (size_t i = 0; i < b->differences.count; i++)
		if (!strcmp(b->differences.items[i].words, d->words) &&
		    !strcmp(b->differences.items[i].base, d->base))
			return 1;
	return 0;
}

static void note_difference(void *arg, const char *words, enum model_weight weight,
			    const char *base, const char *head)
{
	struct differing *differing = arg;
	struct baseline *b = differing->baseline;
	struct baseline_difference difference = {
		.words = strings_keep(&b->strings, words),
		.base = strings_keep(&b->strings, base),
		.head = strings_keep(&b->strings, head),
		.weight = weight,
	};
	struct baseline_difference *added = is_noted(b, &difference) ? NULL
								     : array_add(&b->differences);

	differing->hard |= weight == MODEL_HARD;
	differing->sampling |= weight == MODEL_SAMPLING;
	if (added)
		*added = difference;
}

static struct differing differences_to(struct baseline *b, const json_t *environment,
				       const struct run *head)
{
	struct differing differing = {.baseline = b};
	json_t *now = environment_of(head);

	if (now)
		environment_compare(environment, now, note_difference, &differing);
	json_decref(now);
	return differing;
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

int baseline_is_file(const char *file)
{
	char head[64] = "";
	FILE *in = fopen(file, "re");
	size_t length = in ? fread(head, 1, sizeof(head) - 1, in) : 0;

	if (in)
		fclose(in);
	head[length] = '\0';
	return head[strspn(head, " \t\r\n")] == '{';
}

static const char *text_of(struct baseline *b, const json_t *run, const char *key)
{
	const char *text = json_string_value(json_object_get(run, key));

	return strings_keep(&b->strings, text ? text : "");
}

static int add_file_run(struct baseline *b, const json_t *run, const struct differing *differing)
{
	struct baseline_run *added;

	if (!json_is_object(json_object_get(run, "metrics")))
		return 0;
	added = array_add(&b->runs);
	if (!added)
		return -1;
	added->commit = added->name = text_of(b, run, "commit");
	added->time = text_of(b, run, "time");
	added->metrics = json_incref(json_object_get(run, "metrics"));
	added->findings = json_incref(json_object_get(run, "findings"));
	added->hard = differing->hard;
	added->sampling = differing->sampling;
	return 0;
}

static json_t *parse(const char *file, struct error *e)
{
	json_error_t wrong;
	FILE *in = fopen(file, "re");
	json_t *root = in ? json_loadf(in, JSON_REJECT_DUPLICATES, &wrong) : NULL;

	if (!in)
		error_set_errno(e, ERROR_UNREADABLE, errno, "cannot read the baseline %s", file);
	else if (!root)
		error_set(e, ERROR_UNREADABLE, "cannot read the baseline %s: line %d: %s", file,
			  wrong.line, wrong.text);
	if (in)
		fclose(in);
	return root;
}

static int check_file(const json_t *root, const char *file, struct error *e)
{
	const char *kind = json_string_value(json_object_get(root, "kind"));
	const json_t *schema = json_object_get(root, "schema");

	if (!kind || strcmp(kind, "baseline") != 0 ||
	    !json_is_array(json_object_get(root, "runs"))) {
		error_set(e, ERROR_UNREADABLE, "%s is not a baseline", file);
		error_hint(e, "baselines are made by: loopmem check --write-baseline FILE SESSION");
		return ERROR_UNREADABLE;
	}
	if (!json_is_integer(schema) || json_integer_value(schema) != SCHEMA)
		return error_set(e, ERROR_UNREADABLE,
				 "%s is a baseline of schema %lld, written for another loopmem",
				 file, (long long)json_integer_value(schema));
	return 0;
}

json_t *baseline_load(const char *file, struct error *e)
{
	json_t *root = parse(file, e);

	if (root && check_file(root, file, e)) {
		json_decref(root);
		return NULL;
	}
	return root;
}

int baseline_add_file(struct baseline *b, const char *file, const struct run *head, struct error *e)
{
	struct differing differing;
	json_t *root, *run;
	size_t i;
	int failed = 0;

	if (access(file, F_OK) && errno == ENOENT) {
		const char **missing = array_add(&b->missing);

		if (!missing)
			return error_set_errno(e, ERROR_SYSTEM, ENOMEM,
					       "cannot read the baseline %s", file);
		*missing = strings_keep(&b->strings, file);
		return 0;
	}
	root = baseline_load(file, e);
	if (!root)
		return e->kind;
	differing = differences_to(b, json_object_get(root, "environment"), head);
	json_array_foreach(json_object_get(root, "runs"), i, run)
		failed |= add_file_run(b, run, &differing);
	json_decref(root);
	return failed || b->strings.failed ? error_set_errno(e, ERROR_SYSTEM, ENOMEM,
							     "cannot read the baseline %s", file)
					   : 0;
}

/* ---- sessions ---------------------------------------------------------------------------------------------------- */

int baseline_add_run(struct baseline *b, const struct run *run, const struct run *head,
		     struct error *e)
{
	json_t *environment = environment_of(run);
	struct differing differing = differences_to(b, environment, head);
	struct baseline_run *added = array_add(&b->runs);
	char text[32] = "";
	time_t started = (time_t)(run->models[0]->started_unix_ns / 1000000000);
	struct tm utc;

	json_decref(environment);
	if (gmtime_r(&started, &utc))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
	if (added) {
		added->commit = "";
		added->name = strings_keep(&b->strings, run->models[0]->file);
		added->time = strings_keep(&b->strings, text);
		added->metrics = figures_of(run);
		added->findings = finding_ids_of(run);
		added->hard = differing.hard;
		added->sampling = differing.sampling;
	}
	if (!added || !added->metrics || !added->findings || b->strings.failed)
		return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot read the baseline %s",
				       run->models[0]->file);
	return 0;
}
