/*
 * What the scripts read: the document of `report -f json` and beside it the series of the chart. Bytes of the chart are exact; the memory of
 * processes is in KiB, each value as the difference to the one before it, which keeps the file small.
 */
#include "profiler/view/html.h"
#include "profiler/view/json.h"
#include "profiler/view/json_values.h"

static json_t *numbers(const int64_t *values, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_integer(values[i]));
	return list;
}

/* Appends a value as its difference to the one before. */
static void add_difference(json_t *list, int64_t *before_kib, int64_t bytes)
{
	json_array_append_new(list, json_integer(bytes / 1024 - *before_kib));
	*before_kib = bytes / 1024;
}

static json_t *columns(const struct html_series *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->column_count; i++) {
		const struct html_column *c = &s->columns[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:s, s:i, s:o}", "kind", html_kind_name(c->kind), "stage",
				  c->kind == HTML_OWNER ? "s-owner" : model_stage_name(c->stage),
				  "lane", c->lane, "bytes", numbers(c->bytes, s->rows.count)));
	}
	return list;
}

static json_t *times(const struct html_series *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->rows.count; i++)
		json_array_append_new(list, json_seconds(s->rows.t_ns[i]));
	return list;
}

static json_t *held_idle(const struct html_series *s)
{
	json_t *list = json_array();

	for (size_t i = 0; i < s->rows.count; i++)
		json_array_append_new(list, json_integer(s->rounds[i].held_idle_bytes));
	return list;
}

static json_t *lanes(const struct html *h)
{
	json_t *list = json_array();

	for (size_t i = 0; i < h->m->pool_count; i++)
		json_array_append_new(list, json_integer(h->series.lanes[i]));
	return list;
}

static json_t *process(const struct html *h, size_t i)
{
	const struct model_process *p = &h->m->processes[i];
	const struct html_process *series = &h->series.processes[i];
	json_t *proportional = json_array(), *private_bytes = json_array();
	struct html_process_row before = {0};

	for (size_t row = 0; row < series->rows.count; row++) {
		const struct html_process_row *at = &series->rows.items[row];

		add_difference(proportional, &before.proportional, at->proportional);
		add_difference(private_bytes, &before.private_bytes, at->private_bytes);
	}
	return json_pack("{s:I, s:i, s:i, s:o, s:o, s:I, s:o, s:o}", "pid", (json_int_t)p->pid,
			 "parent", p->parent, "pool", p->role == MODEL_ROLE_WORKER ? p->pool : -1,
			 "worker", json_count(p->worker_id), "role",
			 json_text(p->role_text ? p->role_text : "process"), "first",
			 (json_int_t)series->first, "pss_kib", proportional, "private_kib",
			 private_bytes);
}

static json_t *processes(const struct html *h)
{
	json_t *list = json_array();

	for (size_t i = 0; i < h->m->process_count; i++)
		json_array_append_new(list, process(h, i));
	return list;
}

static json_t *series(const struct html *h)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "t_s", times(&h->series), "columns",
			 columns(&h->series), "held_idle_bytes", held_idle(&h->series),
			 "batch_bytes", numbers(h->series.batch_bytes, h->series.rows.count),
			 "lanes", lanes(h), "processes", processes(h));
}

/* Nothing in a string may look like the end of the script element. */
static int write_escaped(const char *text, size_t size, void *data)
{
	FILE *out = data;

	for (size_t i = 0; i < size; i++)
		if (text[i] == '<')
			fputs("\\u003c", out);
		else
			putc(text[i], out);
	return 0;
}

int html_data(const struct html *h)
{
	json_t *document = json_of_session(h->m);
	int failed;

	json_object_set_new(document, "series", series(h));
	fputs("<script type=\"application/json\" id=\"data\">", h->out);
	failed = json_dump_callback(document, write_escaped, h->out,
				    JSON_COMPACT | JSON_REAL_PRECISION(15));
	fputs("</script>\n", h->out);
	json_decref(document);
	return failed ? -1 : 0;
}
