/*
 * One table of the JSON report as CSV (RFC 4180, but LF): the JSON names are the columns, unknown is empty. Lists and objects inside a row
 * have no cell; of the run's objects (totals, peak, ...) each is a table of one row. The timeline is the only table of its own.
 */
#include <errno.h>
#include <string.h>

#include "profiler/view/export.h"
#include "profiler/view/json.h"
#include "profiler/view/json_values.h"

enum { DIGITS = 15 };

static void print_text(FILE *out, const char *text)
{
	int quoted = !!text[strcspn(text, ",\"\r\n")];

	if (quoted)
		fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	if (quoted)
		fputc('"', out);
}

static void print_cell(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		print_text(out, json_string_value(value));
	else if (json_is_integer(value) || json_is_real(value) || json_is_boolean(value))
		json_dumpf(value, out, JSON_ENCODE_ANY | JSON_REAL_PRECISION(DIGITS));
}

static int has_cell(const json_t *value)
{
	return !json_is_object(value) && !json_is_array(value);
}

/* All rows of a table have the same keys. */
static void print_row(FILE *out, json_t *row, int names)
{
	const char *key, *between = "";
	json_t *value;

	json_object_foreach(row, key, value)
	{
		if (!has_cell(value))
			continue;
		fputs(between, out);
		if (names)
			print_text(out, key);
		else
			print_cell(out, value);
		between = ",";
	}
	fputc('\n', out);
}

static void print_rows(FILE *out, json_t *rows)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row)
	{
		if (!i)
			print_row(out, row, 1);
		print_row(out, row, 0);
	}
}

/* ---- the tables ---- */

static json_t *part_of_report(const struct model *m, const char *name)
{
	json_t *report = json_of_session(m), *part = json_object_get(report, name), *rows;

	rows = json_is_array(part) ? json_incref(part) : json_pack("[O]", part);
	json_decref(report);
	return rows;
}

/* The workers of all pools, each row with its pool. */
static json_t *workers(const struct model *m, const char *name)
{
	json_t *pools = part_of_report(m, "pools"), *rows = json_array(), *pool, *worker;
	size_t i, k;

	json_array_foreach(pools, i, pool)
		json_array_foreach(json_object_get(pool, name), k, worker)
	{
		json_t *row = json_object();

		json_object_set(row, "pool", json_object_get(pool, "id"));
		json_object_set(row, "stage", json_object_get(pool, "stage"));
		json_object_set(row, "epoch", json_object_get(pool, "epoch"));
		json_object_update(row, worker);
		json_array_append_new(rows, row);
	}
	json_decref(pools);
	return rows;
}

/* Every round: the job's memory over time. */
static json_t *timeline(const struct model *m, const char *name)
{
	json_t *rows = json_array();

	(void)name;
	for (size_t i = 0; i < m->round_count; i++) {
		const struct model_round *r = &m->rounds[i];
		json_t *row = json_object();

		json_object_set_new(row, "t_s", json_seconds(r->t_ns));
		json_object_set_new(row, "pss_bytes", json_count(r->total_bytes));
		json_object_set_new(row, "owner_bytes", json_count(r->owner_bytes));
		json_object_set_new(row, "delivering_bytes", json_count(r->delivering_bytes));
		json_object_set_new(row, "parked_bytes", json_count(r->parked_bytes));
		json_object_set_new(row, "idle_bytes", json_count(r->idle_bytes));
		json_object_set_new(row, "idle_retained_bytes", json_count(r->held_idle_bytes));
		json_object_set_new(row, "overlap_bytes", json_count(r->overlap_bytes));
		json_object_set_new(row, "parked_batch_bytes", json_count(r->parked_batch_bytes));
		json_object_set_new(row, "limit_bytes", json_count(r->limit_bytes));
		json_object_set_new(row, "cgroup_bytes", json_count(r->cgroup_bytes));
		json_object_set_new(row, "pools", json_integer(r->pools_alive));
		json_object_set_new(row, "processes", json_integer(r->processes));
		json_object_set_new(row, "estimated", json_boolean(r->estimated));
		json_array_append_new(rows, row);
	}
	return rows;
}

static const struct table {
	const char *name;
	json_t *(*rows)(const struct model *m, const char *name);
} tables[] = {
	{"pools", part_of_report},    {"workers", workers},
	{"phases", part_of_report},   {"timeline", timeline},
	{"totals", part_of_report},   {"peak", part_of_report},
	{"owners", part_of_report},   {"findings", part_of_report},
	{"sites", part_of_report},    {"reconciliation", part_of_report},
	{"overhead", part_of_report},
};

const char export_csv_tables[] =
	"pools|workers|phases|timeline|totals|peak|owners|findings|sites|reconciliation|overhead";

int export_csv(FILE *out, const struct model *m, const struct export_options *options,
	       struct error *e)
{
	const char *name = options->table ? options->table : tables[0].name;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		json_t *rows;

		if (strcmp(tables[i].name, name))
			continue;
		rows = tables[i].rows(m, name);
		if (!rows)
			return error_set_errno(e, ERROR_SYSTEM, ENOMEM, "cannot make the table");
		print_rows(out, rows);
		json_decref(rows);
		return 0;
	}
	error_set(e, ERROR_USAGE, "no table \"%s\"; tables: %s", name, export_csv_tables);
	return ERROR_USAGE;
}
