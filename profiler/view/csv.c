/*
 * One table of the JSON report as CSV (RFC 4180, but LF): the JSON names are the columns, unknown is empty. Lists and objects inside a row
 * have no cell; of the run's objects (totals, peak, ...) each is a table of one row. The timeline is the only table of its own.
 * A table without rows still has its header, so the columns of those that may be empty are written down here.
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

/* All rows of a table have the same keys, those of `empty_header`. */
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

static void print_rows(FILE *out, json_t *rows, const char *empty_header)
{
	size_t i;
	json_t *row;

	if (!json_array_size(rows))
		fprintf(out, "%s\n", empty_header);
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

#define PROCESS_COLUMNS                                                                        \
	"start_s,end_s,exit,instrumented,pss_bytes_max,private_bytes_max,live_heap_bytes_max," \
	"unshared_bytes_max,fds_max,fd_limit"

/* Of those that may have no rows. */
static const char pool_columns[] =
	"id,owner_pid,rank,stage,epoch,name,label,dataset,origin,framework,framework_version,"
	"start_method,declared_workers,batch_size,prefetch,persistent,stateful,named,guessed,grouped,"
	"releasable,released,kept,start_s,first_batch_s,exhausted_s,end_s,restart_s,stall_s,batches,"
	"expected_batches,memory_bytes_max,private_bytes_max,live_heap_bytes_max,unshared_bytes_max,"
	"in_owner_bytes_max,shm_bytes_max,parked_batch_bytes_max,idle_retained_bytes_max,"
	"idle_retained_seconds,idle_retained_byte_seconds";
static const char worker_columns[] = "pool,stage,epoch,pid," PROCESS_COLUMNS ",worker_id,orphan";
static const char owner_columns[] = "pid," PROCESS_COLUMNS
				    ",rank,command,allocator,python,python_state,python_reason";
static const char phase_columns[] =
	"stage,epoch,name,owner_pid,start_s,end_s,peak_pss_bytes,stall_s";
static const char timeline_columns[] =
	"t_s,pss_bytes,owner_bytes,delivering_bytes,parked_bytes,idle_bytes,idle_retained_bytes,"
	"overlap_bytes,parked_batch_bytes,limit_bytes,cgroup_bytes,pools,processes,estimated";
static const char finding_columns[] =
	"id,severity,title,text,bytes,site_function,site_file,site_line,site_bytes,advice,framework,release_helps";
static const char site_columns[] =
	"pool,pid,processes,function,file,line,mapped,live_bytes,live_blocks,alloc_bytes,"
	"alloc_blocks";

static const struct table {
	const char *name;
	json_t *(*rows)(const struct model *m, const char *name);
	const char *empty_header;
} tables[] = {
	{"pools", part_of_report, pool_columns},
	{"workers", workers, worker_columns},
	{"phases", part_of_report, phase_columns},
	{"timeline", timeline, timeline_columns},
	{"totals", part_of_report, ""},
	{"peak", part_of_report, ""},
	{"owners", part_of_report, owner_columns},
	{"findings", part_of_report, finding_columns},
	{"sites", part_of_report, site_columns},
	{"reconciliation", part_of_report, ""},
	{"overhead", part_of_report, ""},
};

static const char table_names[] =
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
		print_rows(out, rows, tables[i].empty_header);
		json_decref(rows);
		return 0;
	}
	error_set(e, ERROR_USAGE, "no table \"%s\"; tables: %s", name, table_names);
	return ERROR_USAGE;
}
