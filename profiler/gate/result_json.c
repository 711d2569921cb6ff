/* The result as JSON, and as GitLab's code quality report. Figures that are unknown are null. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/gate/explain.h"
#include "profiler/gate/output.h"
#include "profiler/view/escape.h"

enum { SCHEMA = 1 };

static json_t *text(const char *s)
{
	char *clean = s ? escape_utf8(s) : NULL;
	json_t *string = clean ? json_string(clean) : json_null();

	free(clean);
	return string;
}

static json_t *number(double value)
{
	if (isnan(value))
		return json_null();
	return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value)
							   : json_real(value);
}

static void set_text(json_t *o, const char *key, char *owned)
{
	json_object_set_new(o, key, text(owned));
	free(owned);
}

static json_t *row_json(const struct row *row)
{
	json_t *o = json_object();

	json_object_set_new(o, "verdict", json_string(verdict_word(row->verdict)));
	json_object_set_new(o, "fails", json_boolean(row_fails(row)));
	json_object_set_new(o, "key", text(row->key));
	json_object_set_new(o, "value", number(row->value));
	json_object_set_new(o, "limit", number(row->limit));
	json_object_set_new(o, "head_runs", json_integer((json_int_t)row->head_runs));
	json_object_set_new(o, "base_runs", json_integer((json_int_t)row->base_runs));
	if (row->base_runs) {
		json_object_set_new(o, "base", number(row->comparison.base));
		json_object_set_new(o, "tolerance", number(row->comparison.tolerance));
		json_object_set_new(o, "noise", number(row->comparison.noise));
	}
	json_object_set_new(o, "rule", text(row->rule->source));
	set_text(o, "place", explain_place(row->rule));
	set_text(o, "text", explain_figures(row));
	set_text(o, "why", explain_why(row));
	return o;
}

static json_t *texts(const char *const *items, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, text(items[i]));
	return list;
}

static json_t *sessions_json(const struct result *result)
{
	json_t *list = json_array();

	for (size_t r = 0; r < result->run_count; r++)
		for (size_t i = 0; i < result->runs[r].model_count; i++)
			json_array_append_new(list, text(result->runs[r].models[i]->file));
	return list;
}

static int dump(FILE *out, json_t *root)
{
	int failed = !root || json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) < 0;

	fputc('\n', out);
	json_decref(root);
	return failed && !ferror(out) ? -1 : 0;
}

int json_result(FILE *out, const struct result *result)
{
	json_t *root = json_object(), *rows = json_array();

	for (size_t i = 0; i < result->rows.count; i++)
		json_array_append_new(rows, row_json(&result->rows.items[i]));
	json_object_set_new(root, "schema", json_integer(SCHEMA));
	json_object_set_new(root, "verdict", json_string(result_word(result)));
	json_object_set_new(root, "exit_code", json_integer(result->exit_code));
	json_object_set_new(root, "sessions", sessions_json(result));
	json_object_set_new(root, "baseline_runs",
			    json_integer((json_int_t)result->baseline->runs.count));
	json_object_set_new(root, "rules", rows);
	json_object_set_new(root, "new_findings",
			    texts(result->new_findings.items, result->new_findings.count));
	json_object_set_new(root, "notices", texts(result->notices.items, result->notices.count));
	return dump(out, root);
}

/* ---- code quality ------------------------------------------------------------------------------------------------ */

/* The identity of an entry, the same in every build: 128 bits of FNV-1a over id, path and pool, no line and no value. Nobody attacks it,
 * so it needs no cryptography. */
static void fingerprint(char out[33], const char *const parts[], size_t count)
{
	const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;
	unsigned __int128 hash = (unsigned __int128)UINT64_C(0x6c62272e07bb0142) << 64 |
				 UINT64_C(0x62b821756295c58d);

	for (size_t i = 0; i < count; i++) {
		for (const char *c = parts[i]; *c; c++)
			hash = (hash ^ (unsigned char)*c) * prime;
		hash *= prime; /* the NUL between parts */
	}
	snprintf(out, 33, "%016llx%016llx", (unsigned long long)(hash >> 64),
		 (unsigned long long)hash);
}

static const char *severity(const struct model_finding *f)
{
	static const char *const words[] = {
		[MODEL_NOTICE] = "info", [MODEL_WARNING] = "minor", [MODEL_ERROR] = "major"};

	return words[f->severity];
}

static char *describe(const struct model_finding *f, const struct subject *s)
{
	char *brief = explain_finding(f), *description;
	int failed =
		asprintf(&description, "%s: %s", f->title, brief && brief[0] ? brief : s->where);

	free(brief);
	return failed < 0 ? NULL : description;
}

static json_t *entry_json(const struct subject *s, const char *path, unsigned line)
{
	const struct model_finding *f = s->object;
	char print[33];
	json_t *o = json_object(), *location = json_object();

	fingerprint(print, (const char *const[]){f->id, path, s->name}, 3);
	set_text(o, "description", describe(f, s));
	json_object_set_new(o, "check_name", json_sprintf("loopmem/%s", f->id));
	json_object_set_new(o, "fingerprint", json_string(print));
	json_object_set_new(o, "severity", json_string(severity(f)));
	json_object_set_new(location, "path", text(path));
	json_object_set_new(location, "lines", json_pack("{s:i}", "begin", (int)line));
	json_object_set_new(o, "location", location);
	return o;
}

/* Equal fingerprints would be dropped by the reader: pools of several epochs are one entry. */
static int is_known(const struct run *run, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (run->subjects.items[k].kind == SELECT_FINDING &&
		    !strcmp(run->subjects.items[k].name, run->subjects.items[i].name))
			return 1;
	return 0;
}

int code_quality(FILE *out, const struct result *result)
{
	const struct run *run = &result->runs[0];
	json_t *list = json_array();

	for (size_t i = 0; i < run->subjects.count; i++) {
		const struct subject *s = &run->subjects.items[i];
		unsigned line;
		char *path;

		if (s->kind != SELECT_FINDING || is_known(run, i))
			continue;
		path = explain_source(s, &line);
		if (path)
			json_array_append_new(list, entry_json(s, path, line));
		free(path);
	}
	return dump(out, list);
}
